/* convert_int.c - kernels from integers: to integers with clamping, to floats rounded to nearest
 * even. */
#include "array/numeric/numeric_internal.h"

/* The casts to 64 bits keep the comparisons free of sign trouble; the compiler drops the branches
 * that a pair of types cannot take. */
#define CLAMPED(S, S_SIGNED, D, D_SIGNED, D_MIN, D_MAX, value)                                                         \
    ((S_SIGNED) && (int64_t)(value) < 0                                                                                \
         ? ((D_SIGNED) ? ((int64_t)(value) < (int64_t)(D_MIN) ? (D)(D_MIN) : (D)(value)) : (D)0)                       \
         : ((uint64_t)(value) > (uint64_t)(D_MAX) ? (D)(D_MAX) : (D)(value)))

#define INT_TO_INT(SN, S, S_SIGNED, DN, D, D_SIGNED, D_MIN, D_MAX)                                                     \
    static void SN##_to_##DN(const void *src, void *dst, size_t count)                                                 \
    {                                                                                                                  \
        const S *from = src;                                                                                           \
        D *to = dst;                                                                                                   \
        for (size_t i = 0; i < count; i++)                                                                             \
            to[i] = CLAMPED(S, S_SIGNED, D, D_SIGNED, D_MIN, D_MAX, from[i]);                                          \
    }

#define INT_TO_FLOAT(SN, S, DN, D)                                                                                     \
    static void SN##_to_##DN(const void *src, void *dst, size_t count)                                                 \
    {                                                                                                                  \
        const S *from = src;                                                                                           \
        D *to = dst;                                                                                                   \
        for (size_t i = 0; i < count; i++)                                                                             \
            to[i] = (D)from[i];                                                                                        \
    }

#define FROM_INT(SN, S, S_SIGNED)                                                                                      \
    INT_TO_INT(SN, S, S_SIGNED, i8, int8_t, 1, INT8_MIN, INT8_MAX)                                                     \
    INT_TO_INT(SN, S, S_SIGNED, i16, int16_t, 1, INT16_MIN, INT16_MAX)                                                 \
    INT_TO_INT(SN, S, S_SIGNED, i32, int32_t, 1, INT32_MIN, INT32_MAX)                                                 \
    INT_TO_INT(SN, S, S_SIGNED, i64, int64_t, 1, INT64_MIN, INT64_MAX)                                                 \
    INT_TO_INT(SN, S, S_SIGNED, u8, uint8_t, 0, 0, UINT8_MAX)                                                          \
    INT_TO_INT(SN, S, S_SIGNED, u16, uint16_t, 0, 0, UINT16_MAX)                                                       \
    INT_TO_INT(SN, S, S_SIGNED, u32, uint32_t, 0, 0, UINT32_MAX)                                                       \
    INT_TO_INT(SN, S, S_SIGNED, u64, uint64_t, 0, 0, UINT64_MAX)                                                       \
    INT_TO_FLOAT(SN, S, f32, float)                                                                                    \
    INT_TO_FLOAT(SN, S, f64, double)                                                                                   \
    const vz_kernel vz_kernels_from_##SN[VZ_NATIVE_TYPES] = {                                                          \
        SN##_to_i8,  SN##_to_i16, SN##_to_i32, SN##_to_i64, SN##_to_u8,                                                \
        SN##_to_u16, SN##_to_u32, SN##_to_u64, SN##_to_f32, SN##_to_f64,                                               \
    };

FROM_INT(i8, int8_t, 1)
FROM_INT(i16, int16_t, 1)
FROM_INT(i32, int32_t, 1)
FROM_INT(i64, int64_t, 1)
FROM_INT(u8, uint8_t, 0)
FROM_INT(u16, uint16_t, 0)
FROM_INT(u32, uint32_t, 0)
FROM_INT(u64, uint64_t, 0)
