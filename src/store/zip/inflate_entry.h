/* inflate_entry.h - the bytes of an entry as they stand in a zip file: can they be read here, where do they begin, what are
 * they, and are they whole. Who reads them keeps his own bounds for sizes. */
#ifndef VZ_ZIP_INFLATE_ENTRY_H
#define VZ_ZIP_INFLATE_ENTRY_H

#include "store/zip/zip_format.h"

/* VZ_UNSUPPORTED: encrypted, or compressed otherwise than by deflate. */
bool vz_zip_check_method(uint16_t method, uint16_t flags, vz_error *err);
/* The length of the local header of which these are the first VZ_ZIP_LOCAL_SIZE bytes, and which stands at `local`;
 * `stored` bytes follow it. VZ_CORRUPT: there is none, or they reach beyond a file of `size` bytes. */
bool vz_zip_measure_local(const uint8_t *head, uint64_t local, uint64_t stored, uint64_t size, uint32_t *length,
                          vz_error *err);
/* Into exactly `size` bytes; VZ_CORRUPT if that is not what they are. */
bool vz_zip_inflate(vz_bytes stored, uint8_t *place, size_t size, vz_error *err);
/* VZ_CORRUPT: all bytes of the value have another checksum. */
bool vz_zip_check_sum(const uint8_t *data, size_t size, uint32_t crc, vz_error *err);

#endif
