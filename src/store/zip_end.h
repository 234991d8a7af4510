/* zip_end.h - which end record of a zip file counts, for the zip*.c files. */
#ifndef VZ_STORE_ZIP_END_H
#define VZ_STORE_ZIP_END_H

#include "store/medium.h"
#include "store/zip_format.h"

/* The end record with which the file of `size` bytes ends. *found=false (and true returned): it does not end with one
 * that could be true. What is read of the directory is its checksum, and its first bytes. */
bool vz_zip_end_at_end(vz_medium *medium, uint64_t size, vz_zip_end *end, bool *found, vz_error *err);
/* If none is there: one that a few bytes follow, or behind which a writer was killed while it wrote a copy of that very
 * directory. */
bool vz_zip_end_before(vz_medium *medium, uint64_t size, vz_zip_end *end, bool *found, vz_error *err);
/* The checksum of the directory; false also if it reaches beyond the file. */
bool vz_zip_end_sum(vz_medium *medium, const vz_zip_end *end, uint32_t *crc, vz_error *err);

#endif
