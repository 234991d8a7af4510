/* scalar.c - single numbers and code points in the bytes of an element. */
#include "metadata/metadata/metadata.h"

uint64_t vz_scalar_load(const uint8_t *bytes, size_t size, bool big_endian)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)bytes[big_endian ? size - 1 - i : i] << (8 * i);
    return bits;
}

void vz_scalar_store(uint64_t bits, size_t size, bool big_endian, uint8_t *bytes)
{
    for (size_t i = 0; i < size; i++)
        bytes[big_endian ? size - 1 - i : i] = (uint8_t)(bits >> (8 * i));
}

int64_t vz_scalar_signed(uint64_t bits, size_t size)
{
    const unsigned shift = (unsigned)(64 - 8 * size);
    return (int64_t)(bits << shift) >> shift;
}

size_t vz_scalar_utf8(uint32_t code, uint8_t utf8[4])
{
    if (code > 0x10ffff)
        code = 0xfffd;
    if (code < 0x80) {
        utf8[0] = (uint8_t)code;
        return 1;
    }
    const size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, code >>= 6)
        utf8[i] = (uint8_t)(0x80 | (code & 0x3f));
    utf8[0] = (uint8_t)((0xf00u >> length & 0xf0) | code);
    return length;
}
