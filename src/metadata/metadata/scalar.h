/* scalar.h - single numbers and code points in the bytes of an element, whatever their order (for metadata, not for
 * bulk). */
#ifndef VZ_METADATA_SCALAR_H
#define VZ_METADATA_SCALAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* size is 1, 2, 4 or 8. */
uint64_t vz_scalar_load(const uint8_t *bytes, size_t size, bool big_endian);
void vz_scalar_store(uint64_t bits, size_t size, bool big_endian, uint8_t *bytes);
/* Sign-extends `size` bytes. */
int64_t vz_scalar_signed(uint64_t bits, size_t size);
/* UTF-8 of a code point (beyond U+10FFFF: U+FFFD; a surrogate keeps its three bytes); returns the length. */
size_t vz_scalar_utf8(uint32_t code, uint8_t utf8[4]);

#endif
