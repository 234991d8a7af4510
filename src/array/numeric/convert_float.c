/* convert_float.c - kernels from floats: to integers truncated and clamped, between floats, and
 * float16 by hand. */
#include "array/numeric/numeric_internal.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* LOW and HIGH are powers of two (or zero), so that they are exact in both float types.
 * Everything strictly between LOW - 1 and HIGH truncates into the integer type, and what fails
 * both comparisons is NaN. */
#define FLOAT_TO_INT(SN, S, DN, D, D_MIN, D_MAX, LOW, HIGH)                                                            \
    static void SN##_to_##DN(const void *src, void *dst, size_t count)                                                 \
    {                                                                                                                  \
        const S *from = src;                                                                                           \
        D *to = dst;                                                                                                   \
        for (size_t i = 0; i < count; i++) {                                                                           \
            const S value = from[i];                                                                                   \
            to[i] = value >= (S)(HIGH)  ? (D)(D_MAX)                                                                   \
                    : value > (S)(LOW)  ? (D)value                                                                     \
                    : value <= (S)(LOW) ? (D)(D_MIN)                                                                   \
                                        : (D)0;                                                                        \
        }                                                                                                              \
    }

#define FROM_FLOAT(SN, S)                                                                                              \
    FLOAT_TO_INT(SN, S, i8, int8_t, INT8_MIN, INT8_MAX, -0x1p7, 0x1p7)                                                 \
    FLOAT_TO_INT(SN, S, i16, int16_t, INT16_MIN, INT16_MAX, -0x1p15, 0x1p15)                                           \
    FLOAT_TO_INT(SN, S, i32, int32_t, INT32_MIN, INT32_MAX, -0x1p31, 0x1p31)                                           \
    FLOAT_TO_INT(SN, S, i64, int64_t, INT64_MIN, INT64_MAX, -0x1p63, 0x1p63)                                           \
    FLOAT_TO_INT(SN, S, u8, uint8_t, 0, UINT8_MAX, 0, 0x1p8)                                                           \
    FLOAT_TO_INT(SN, S, u16, uint16_t, 0, UINT16_MAX, 0, 0x1p16)                                                       \
    FLOAT_TO_INT(SN, S, u32, uint32_t, 0, UINT32_MAX, 0, 0x1p32)                                                       \
    FLOAT_TO_INT(SN, S, u64, uint64_t, 0, UINT64_MAX, 0, 0x1p64)

FROM_FLOAT(f32, float)
FROM_FLOAT(f64, double)

static void f32_to_f64(const void *src, void *dst, size_t count)
{
    const float *from = src;
    double *to = dst;
    for (size_t i = 0; i < count; i++)
        to[i] = from[i];
}

/* H5Tconvert calls everything beyond FLT_MAX infinite, also what would still round down to it. */
static void f64_to_f32(const void *src, void *dst, size_t count)
{
    const double *from = src;
    float *to = dst;
    for (size_t i = 0; i < count; i++) {
        const double value = from[i];
        to[i] = value > FLT_MAX ? INFINITY : value < -FLT_MAX ? -INFINITY : (float)value;
    }
}

const vz_kernel vz_kernels_from_f32[VZ_NATIVE_TYPES] = {
    f32_to_i8, f32_to_i16, f32_to_i32, f32_to_i64, f32_to_u8, f32_to_u16, f32_to_u32, f32_to_u64, NULL, f32_to_f64,
};
const vz_kernel vz_kernels_from_f64[VZ_NATIVE_TYPES] = {
    f64_to_i8, f64_to_i16, f64_to_i32, f64_to_i64, f64_to_u8, f64_to_u16, f64_to_u32, f64_to_u64, f64_to_f32, NULL,
};

/* A half's exponent and fraction, moved to a float's place, read 2^112 too small: one
 * multiplication puts that right for normal and subnormal numbers. Infinity and NaN need their
 * exponent filled up. */
void vz_number_half_to_float(const uint16_t *src, float *dst, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t half = src[i];
        const uint32_t moved = (half & 0x7fffu) << 13;
        float value;
        memcpy(&value, &moved, sizeof value);
        value *= 0x1p112f;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        if ((half & 0x7c00u) == 0x7c00u)
            /* a signalling NaN becomes a quiet one */
            bits = moved | 0x7f800000u | ((half & 0x3ffu) ? 0x400000u : 0);
        bits |= (half & 0x8000u) << 16;
        memcpy(&dst[i], &bits, sizeof bits);
    }
}

/* `bits` of a double's fraction are dropped from value, ties to even. */
static uint64_t round_off(uint64_t value, unsigned bits)
{
    const uint64_t rest = value & (((uint64_t)1 << bits) - 1), half = (uint64_t)1 << (bits - 1);
    const uint64_t kept = value >> bits;
    return kept + (rest > half || (rest == half && (kept & 1)));
}

enum { HALF_DROPPED_BITS = 52 - 10, HALF_BIAS_GAP = 1023 - 15, HALF_INFINITY = 0x7c00, HALF_QUIET = 0x200 };
#define HALF_MAX 65504.0

static uint16_t half_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint16_t sign = (uint16_t)(bits >> 63 << 15);
    const uint64_t magnitude = bits & ~((uint64_t)1 << 63);
    if (isnan(value))
        return (uint16_t)(sign | HALF_INFINITY | HALF_QUIET | ((magnitude >> HALF_DROPPED_BITS) & 0x3ff));
    if (fabs(value) > HALF_MAX)
        return (uint16_t)(sign | HALF_INFINITY);
    const int exponent = (int)(magnitude >> 52) - HALF_BIAS_GAP;
    if (exponent > 0) /* the carry of rounding runs into the exponent, which is what it should do */
        return (uint16_t)(sign | round_off(magnitude - ((uint64_t)HALF_BIAS_GAP << 52), HALF_DROPPED_BITS));
    if (exponent < -10)
        return sign;
    const uint64_t fraction = (magnitude & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
    return (uint16_t)(sign | round_off(fraction, (unsigned)(HALF_DROPPED_BITS + 1 - exponent)));
}

void vz_number_double_to_half(const double *src, uint16_t *dst, size_t count)
{
    for (size_t i = 0; i < count; i++)
        dst[i] = half_of(src[i]);
}
