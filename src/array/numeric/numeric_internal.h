/* numeric_internal.h - the inner loops of conversion: native byte order, contiguous, aligned.
 * Private to the convert_*.c files. */
#ifndef VZ_NUMERIC_NUMERIC_INTERNAL_H
#define VZ_NUMERIC_NUMERIC_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

/* Float16 comes in and goes out as a wider float: there is no arithmetic on it here. */
typedef enum vz_number_native_type {
    VZ_NATIVE_I8,
    VZ_NATIVE_I16,
    VZ_NATIVE_I32,
    VZ_NATIVE_I64,
    VZ_NATIVE_U8,
    VZ_NATIVE_U16,
    VZ_NATIVE_U32,
    VZ_NATIVE_U64,
    VZ_NATIVE_F32,
    VZ_NATIVE_F64,
    VZ_NATIVE_TYPES
} vz_number_native_type;

typedef void (*vz_kernel)(const void *src, void *dst, size_t count);

/* Rows of the kernel table: one for each type converted from. */
extern const vz_kernel vz_kernels_from_i8[VZ_NATIVE_TYPES];
extern const vz_kernel vz_kernels_from_i16[VZ_NATIVE_TYPES];
extern const vz_kernel vz_kernels_from_i32[VZ_NATIVE_TYPES];
extern const vz_kernel vz_kernels_from_i64[VZ_NATIVE_TYPES];
extern const vz_kernel vz_kernels_from_u8[VZ_NATIVE_TYPES];
extern const vz_kernel vz_kernels_from_u16[VZ_NATIVE_TYPES];
extern const vz_kernel vz_kernels_from_u32[VZ_NATIVE_TYPES];
extern const vz_kernel vz_kernels_from_u64[VZ_NATIVE_TYPES];
extern const vz_kernel vz_kernels_from_f32[VZ_NATIVE_TYPES];
extern const vz_kernel vz_kernels_from_f64[VZ_NATIVE_TYPES];

/* Exact. */
void vz_number_half_to_float(const uint16_t *src, float *dst, size_t count);
/* Round to nearest even; what is beyond the largest finite value becomes infinity, as H5Tconvert
 * has it. */
void vz_number_double_to_half(const double *src, uint16_t *dst, size_t count);

#endif
