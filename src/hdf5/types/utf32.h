/* utf32.h - numpy's fixed-width text (UTF-32, padded with zeros), HDF5's, and UTF-8. Private to this room. */
#ifndef VZ_TYPES_UTF32_H
#define VZ_TYPES_UTF32_H

#include "hdf5/types/type_tree.h"

/* Bytes of the text as UTF-8, without the NUL. Characters beyond Unicode, and surrogates, become U+FFFD. */
size_t vz_utf32_length(const uint8_t *data, size_t width, bool big_endian);
/* Writes the text and a NUL; returns the length. */
size_t vz_utf32_decode(const uint8_t *data, size_t width, bool big_endian, char *text);
/* VZ_LIMIT when the text has more than `width` characters, VZ_UNSUPPORTED when it is not UTF-8. */
bool vz_utf32_encode(const char *text, uint8_t *data, size_t width, bool big_endian, vz_error *err);
/* Characters of a text; VZ_UNSUPPORTED when it is not UTF-8. */
bool vz_utf8_count(const char *text, size_t *count, vz_error *err);
/* Bytes of a fixed string without its padding; what stands behind a NUL is no padding, as it reads back. */
size_t vz_fixed_length(const vz_type_tree *layout, const uint8_t *text);

#endif
