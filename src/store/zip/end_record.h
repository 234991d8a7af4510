/* end_record.h - which end record of a zip file counts. */
#ifndef VZ_ZIP_END_RECORD_H
#define VZ_ZIP_END_RECORD_H

#include "store/store/byte_source.h"
#include "store/zip/zip_format.h"

/* The end record with which the file of `size` bytes ends. *found=false (and true returned): it does not end with one
 * that could be true. `records`, if not NULL, gets the directory, which is read for its checksum anyway; the caller
 * clears it. */
bool vz_zip_end_at_end(vz_medium *medium, uint64_t size, vz_zip_end *end, vz_buffer *records, bool *found,
                       vz_error *err);
/* Or a few bytes follow it, at most VZ_ZIP_BEHIND_MAX: whatever stands before it, this is a zip file. */
#define VZ_ZIP_BEHIND_MAX 1024
bool vz_zip_end_near_end(vz_medium *medium, uint64_t size, vz_zip_end *end, bool *found, vz_error *err);
/* If none is there: one that a few bytes follow, or behind which a writer was killed while it wrote a copy of that very
 * directory. */
bool vz_zip_end_before(vz_medium *medium, uint64_t size, vz_zip_end *end, bool *found, vz_error *err);
/* The checksum of the directory, and the directory itself where `records` is not NULL; false also if it reaches beyond
 * the file. */
bool vz_zip_end_sum(vz_medium *medium, const vz_zip_end *end, vz_buffer *records, uint32_t *crc, vz_error *err);

#endif
