/* float16.c - half precision: 1 sign, 5 exponent (bias 15), 10 fraction bits; double: 1, 11 (bias
 * 1023), 52. */
#include "codec/codec/codec_internal.h"

#include <string.h>

double vz_half_to_double(uint16_t half)
{
    const uint64_t sign = (uint64_t)(half >> 15) << 63, fraction = half & 0x3ff;
    const unsigned exponent = half >> 10 & 0x1f;
    if (exponent == 0) {
        const double value = (double)fraction * 0x1p-24;
        return sign ? -value : value;
    }
    const uint64_t wide = exponent == 0x1f ? 0x7ff : exponent - 15 + 1023;
    const uint64_t bits = sign | wide << 52 | fraction << 42;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint16_t vz_half_from_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint16_t sign = (uint16_t)(bits >> 63 << 15);
    const uint64_t fraction = bits & 0xfffffffffffff;
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    if (exponent == 1024) { /* infinity, or not a number: that must keep a fraction bit */
        const uint16_t payload = (uint16_t)(fraction >> 42);
        return (uint16_t)(sign | 0x7c00 | (fraction && !payload ? 1 : payload));
    }
    if (exponent > 15)
        return sign | 0x7c00;
    if (exponent < -25)
        return sign;
    /* A number of 11 bits (fewer below 2^-14) and the bits that are rounded away. A carry out of
     * the fraction runs into the exponent, as it should. */
    const unsigned drop = exponent < -14 ? 42 + (unsigned)(-14 - exponent) : 42;
    const uint64_t whole = fraction | (uint64_t)1 << 52;
    uint64_t kept = whole >> drop;
    const uint64_t rest = whole & (((uint64_t)1 << drop) - 1), tie = (uint64_t)1 << (drop - 1);
    if (rest > tie || (rest == tie && (kept & 1)))
        kept++;
    const uint64_t base = exponent < -14 ? 0 : (uint64_t)(exponent + 14) << 10;
    return (uint16_t)(sign | (base + kept));
}

double vz_real_from_bits(uint64_t bits, size_t size)
{
    if (size == 2)
        return vz_half_to_double((uint16_t)bits);
    if (size == 4) {
        const uint32_t narrow = (uint32_t)bits;
        float value;
        memcpy(&value, &narrow, sizeof value);
        return value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint64_t vz_real_to_bits(double value, size_t size)
{
    if (size == 2)
        return vz_half_from_double(value);
    if (size == 4) {
        const float narrow = (float)value;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        return bits;
    }
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
