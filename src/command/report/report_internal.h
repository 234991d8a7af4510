/* report_internal.h - h5zarr report: its command line, the model, and where the page goes. */
#ifndef VZ_COMMAND_REPORT_INTERNAL_H
#define VZ_COMMAND_REPORT_INTERNAL_H

#include "base/util/bytes.h"
#include "base/util/error.h"
#include <stdbool.h>

/* output_file.c */
#define VZ_PAGE_MODEL_MAX ((size_t)256 << 20) /* bytes of a model that is read */
/* All of a file; "-": standard input. VZ_LIMIT: more than VZ_PAGE_MODEL_MAX. */
bool vz_page_read_file(const char *path, vz_buffer *out, vz_error *err);
/* The file gets its name when it is whole; "-": standard output. A report that is there is
 * replaced, any other file only if `overwrite` says so. The file at `source` never is; NULL: there
 * is none. */
bool vz_page_save(const char *path, const char *source, bool overwrite, const vz_buffer *text, vz_error *err);

#endif
