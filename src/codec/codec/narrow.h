/* narrow.h - numbers of few bits: bfloat16, the floats of 8, 6 and 4 bits, integers of 4 and 2. */
#ifndef VZ_CODEC_NARROW_H
#define VZ_CODEC_NARROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The types that zarr-extensions and ml_dtypes have beyond those of C. An element takes whole
 * bytes: two for bfloat16, one for all others. Bits above those of the type mean nothing. */
typedef enum vz_narrow {
    VZ_NARROW_NONE,
    VZ_NARROW_BFLOAT16,
    VZ_NARROW_FLOAT8_E3M4,
    VZ_NARROW_FLOAT8_E4M3,
    VZ_NARROW_FLOAT8_E4M3B11FNUZ,
    VZ_NARROW_FLOAT8_E4M3FN,
    VZ_NARROW_FLOAT8_E4M3FNUZ,
    VZ_NARROW_FLOAT8_E5M2,
    VZ_NARROW_FLOAT8_E5M2FNUZ,
    VZ_NARROW_FLOAT8_E8M0FNU,
    VZ_NARROW_FLOAT6_E2M3FN,
    VZ_NARROW_FLOAT6_E3M2FN,
    VZ_NARROW_FLOAT4_E2M1FN,
    VZ_NARROW_INT2,
    VZ_NARROW_INT4,
    VZ_NARROW_UINT2,
    VZ_NARROW_UINT4,
    VZ_NARROW_COUNT
} vz_narrow;

/* How a float spends its highest codes. */
typedef enum vz_narrow_special {
    VZ_NARROW_INTEGER,   /* no float */
    VZ_NARROW_IEEE,      /* infinities and NaNs have the highest exponent */
    VZ_NARROW_ONE_NAN,   /* no infinities; NaN is all ones below the sign */
    VZ_NARROW_NO_ZERO,   /* no infinities and no -0, whose code is NaN */
    VZ_NARROW_FINITE,    /* neither infinities nor NaNs */
    VZ_NARROW_EXPONENTS, /* powers of two without sign and zero; NaN is all ones */
} vz_narrow_special;

typedef struct vz_narrow_form {
    const char *name; /* in zarr-extensions */
    vz_narrow_special special;
    bool is_signed;
    uint8_t bits, exponent, mantissa; /* widths: all, and of the parts of a float */
    int bias;
    uint8_t size; /* bytes of an element */
    uint16_t nan; /* the code that "NaN" means, if there is one */
} vz_narrow_form;

/* Not for VZ_NARROW_NONE. */
const vz_narrow_form *vz_narrow_form_of(vz_narrow narrow);
/* VZ_NARROW_NONE: no type has that name. */
vz_narrow vz_narrow_named(const char *name);

/* The value of a code; of integers, too. Exact. */
double vz_narrow_value(vz_narrow narrow, uint16_t code);
/* The code of the nearest value, as ml_dtypes rounds: ties to even. Beyond the largest value lies
 * infinity, else NaN, else the largest value. Of floats only. */
uint16_t vz_narrow_code(vz_narrow narrow, float value);

/* Elements of the machine's byte order, one after the other; `codes` has form->size bytes each. Of
 * floats only. */
void vz_narrow_to_floats(vz_narrow narrow, const void *codes, float *values, size_t count);
void vz_narrow_from_floats(vz_narrow narrow, const float *values, void *codes, size_t count);

#endif
