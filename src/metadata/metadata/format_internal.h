/* format_internal.h - the rows that format.c lists, and the functions they name (used in this
 * module and by its unit tests). */
#ifndef VZ_METADATA_FORMAT_INTERNAL_H
#define VZ_METADATA_FORMAT_INTERNAL_H

#include "metadata/metadata/format.h"

extern const vz_zarr_format vz_zarr_format_v2, vz_zarr_format_v3;

/* meta_v2.c: ".zarray" */
vz_meta *vz_meta_parse_v2(const vz_json *document, vz_error *err);
vz_meta *vz_meta_outline_v2(const vz_json *document, vz_error *err);
bool vz_meta_print_v2(const vz_meta *meta, vz_json *document, vz_error *err);
bool vz_meta_readable_v2(const vz_json *document); /* zarr_python_v2.c */

/* meta_v3.c: "zarr.json" of an array */
vz_meta *vz_meta_parse_v3(const vz_json *document, vz_error *err);
vz_meta *vz_meta_outline_v3(const vz_json *document, vz_error *err);
bool vz_meta_print_v3(const vz_meta *meta, vz_json *document, vz_error *err);
bool vz_meta_adapt_v3(vz_meta *meta, uint64_t shard_size, vz_error *err); /* defaults_v3.c */
const char *vz_meta_codec_id_v3(const char *id);
bool vz_meta_readable_v3(const vz_json *document); /* zarr_python_v3.c: of groups as well */

#endif
