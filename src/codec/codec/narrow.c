/* narrow.c - values and codes of numbers of few bits. */
#include "codec/codec/narrow.h"
#include <math.h>
#include <string.h>

#define DOUBLE_FRACTION 52
#define DOUBLE_BIAS     1023

/* clang-format off */
static const vz_narrow_form forms[VZ_NARROW_COUNT] = {
    /* name, special, sign, bits, exponent, mantissa, bias, size, NaN */
    [VZ_NARROW_BFLOAT16]           = {"bfloat16",           VZ_NARROW_IEEE,      true,  16, 8, 7, 127, 2, 0x7fc0},
    [VZ_NARROW_FLOAT8_E3M4]        = {"float8_e3m4",        VZ_NARROW_IEEE,      true,   8, 3, 4,   3, 1, 0x78},
    [VZ_NARROW_FLOAT8_E4M3]        = {"float8_e4m3",        VZ_NARROW_IEEE,      true,   8, 4, 3,   7, 1, 0x7c},
    [VZ_NARROW_FLOAT8_E4M3B11FNUZ] = {"float8_e4m3b11fnuz", VZ_NARROW_NO_ZERO,   true,   8, 4, 3,  11, 1, 0x80},
    [VZ_NARROW_FLOAT8_E4M3FN]      = {"float8_e4m3fn",      VZ_NARROW_ONE_NAN,   true,   8, 4, 3,   7, 1, 0x7f},
    [VZ_NARROW_FLOAT8_E4M3FNUZ]    = {"float8_e4m3fnuz",    VZ_NARROW_NO_ZERO,   true,   8, 4, 3,   8, 1, 0x80},
    [VZ_NARROW_FLOAT8_E5M2]        = {"float8_e5m2",        VZ_NARROW_IEEE,      true,   8, 5, 2,  15, 1, 0x7e},
    [VZ_NARROW_FLOAT8_E5M2FNUZ]    = {"float8_e5m2fnuz",    VZ_NARROW_NO_ZERO,   true,   8, 5, 2,  16, 1, 0x80},
    [VZ_NARROW_FLOAT8_E8M0FNU]     = {"float8_e8m0fnu",     VZ_NARROW_EXPONENTS, false,  8, 8, 0, 127, 1, 0xff},
    [VZ_NARROW_FLOAT6_E2M3FN]      = {"float6_e2m3fn",      VZ_NARROW_FINITE,    true,   6, 2, 3,   1, 1, 0},
    [VZ_NARROW_FLOAT6_E3M2FN]      = {"float6_e3m2fn",      VZ_NARROW_FINITE,    true,   6, 3, 2,   3, 1, 0},
    [VZ_NARROW_FLOAT4_E2M1FN]      = {"float4_e2m1fn",      VZ_NARROW_FINITE,    true,   4, 2, 1,   1, 1, 0},
    [VZ_NARROW_INT2]               = {"int2",               VZ_NARROW_INTEGER,   true,   2, 0, 0,   0, 1, 0},
    [VZ_NARROW_INT4]               = {"int4",               VZ_NARROW_INTEGER,   true,   4, 0, 0,   0, 1, 0},
    [VZ_NARROW_UINT2]              = {"uint2",              VZ_NARROW_INTEGER,   false,  2, 0, 0,   0, 1, 0},
    [VZ_NARROW_UINT4]              = {"uint4",              VZ_NARROW_INTEGER,   false,  4, 0, 0,   0, 1, 0},
};
/* clang-format on */

const vz_narrow_form *vz_narrow_form_of(vz_narrow narrow)
{
    return &forms[narrow];
}

vz_narrow vz_narrow_named(const char *name)
{
    for (unsigned i = VZ_NARROW_NONE + 1; i < VZ_NARROW_COUNT; i++)
        if (strcmp(forms[i].name, name) == 0)
            return (vz_narrow)i;
    return VZ_NARROW_NONE;
}

static uint16_t low_bits(unsigned count)
{
    return (uint16_t)((1u << count) - 1);
}

/* ---- values ---- */

static bool is_nan(const vz_narrow_form *form, uint16_t code)
{
    const uint16_t magnitude = code & low_bits(form->exponent + form->mantissa);
    switch (form->special) {
    case VZ_NARROW_IEEE:
        return magnitude > low_bits(form->exponent) << form->mantissa;
    case VZ_NARROW_ONE_NAN:
        return magnitude == form->nan;
    case VZ_NARROW_NO_ZERO:
    case VZ_NARROW_EXPONENTS:
        return code == form->nan;
    default:
        return false;
    }
}

static double integer_value(const vz_narrow_form *form, uint16_t code)
{
    const bool negative = form->is_signed && code >> (form->bits - 1);
    return negative ? (double)code - (1 << form->bits) : code;
}

static double magnitude_value(const vz_narrow_form *form, uint16_t code)
{
    const int exponent = code >> form->mantissa & low_bits(form->exponent);
    const int fraction = code & low_bits(form->mantissa);
    if (form->special == VZ_NARROW_EXPONENTS)
        return ldexp(1, exponent - form->bias);
    if (exponent == 0)
        return ldexp(fraction, 1 - form->bias - form->mantissa);
    if (form->special == VZ_NARROW_IEEE && exponent == low_bits(form->exponent))
        return INFINITY;
    return ldexp(fraction + (1 << form->mantissa), exponent - form->bias - form->mantissa);
}

double vz_narrow_value(vz_narrow narrow, uint16_t code)
{
    const vz_narrow_form *form = &forms[narrow];
    code &= low_bits(form->bits);
    if (form->special == VZ_NARROW_INTEGER)
        return integer_value(form, code);
    const bool negative = form->is_signed && code >> (form->bits - 1);
    if (is_nan(form, code))
        return negative ? -NAN : NAN;
    const double value = magnitude_value(form, code);
    return negative ? -value : value;
}

/* ---- codes ---- */

static uint16_t with_sign(const vz_narrow_form *form, uint16_t code, bool negative)
{
    return negative ? (uint16_t)(code | 1u << (form->bits - 1)) : code;
}

/* ml_dtypes gives a type without NaN the zero of the other sign. */
static uint16_t code_of_nan(const vz_narrow_form *form, bool negative)
{
    switch (form->special) {
    case VZ_NARROW_IEEE:
    case VZ_NARROW_ONE_NAN:
        return with_sign(form, form->nan, negative);
    case VZ_NARROW_FINITE:
        return with_sign(form, 0, !negative);
    default:
        return form->nan;
    }
}

static uint16_t code_beyond(const vz_narrow_form *form, bool negative)
{
    switch (form->special) {
    case VZ_NARROW_IEEE:
        return with_sign(form, (uint16_t)(low_bits(form->exponent) << form->mantissa), negative);
    case VZ_NARROW_FINITE:
        return with_sign(form, low_bits(form->exponent + form->mantissa), negative);
    default:
        return code_of_nan(form, negative);
    }
}

static uint16_t largest(const vz_narrow_form *form)
{
    const uint16_t all = low_bits(form->exponent + form->mantissa);
    if (form->special == VZ_NARROW_IEEE)
        return (uint16_t)((low_bits(form->exponent) << form->mantissa) - 1);
    return form->special == VZ_NARROW_ONE_NAN ? all - 1 : all;
}

/* Powers of two: the nearer one, the upper one in the middle between two. Between the least two
 * ml_dtypes always takes the upper one. */
static uint16_t exponent_code(const vz_narrow_form *form, double value)
{
    int exponent;
    if (!(value > 0) || isinf(value))
        return form->nan;
    if (value > 0x1p-127 && value < 0x1p-126)
        return 1;
    const double fraction = frexp(value, &exponent); /* in [0.5, 1) */
    const int code = exponent - 1 + (fraction >= 0.75) + form->bias;
    return code < 0 ? 0 : code >= form->nan ? form->nan : (uint16_t)code;
}

/* The code of a finite magnitude, or a number beyond the largest code. A carry out of the fraction
 * runs into the exponent, as it should. */
static unsigned round_magnitude(const vz_narrow_form *form, uint64_t bits)
{
    const int exponent = (int)(bits >> DOUBLE_FRACTION) - DOUBLE_BIAS, least = 1 - form->bias;
    const uint64_t hidden = (uint64_t)1 << DOUBLE_FRACTION, whole = (bits & (hidden - 1)) | hidden;
    if (exponent < least - form->mantissa - 1)
        return 0;
    if (exponent > form->bias + 1 + low_bits(form->exponent))
        return UINT16_MAX;
    const unsigned normal = DOUBLE_FRACTION - form->mantissa;
    const unsigned drop = exponent < least ? normal + (unsigned)(least - exponent) : normal;
    const uint64_t rest = whole & (((uint64_t)1 << drop) - 1), tie = (uint64_t)1 << (drop - 1);
    uint64_t kept = whole >> drop;
    if (rest > tie || (rest == tie && (kept & 1)))
        kept++;
    return (unsigned)kept + (exponent < least ? 0 : (unsigned)(exponent - least) << form->mantissa);
}

uint16_t vz_narrow_code(vz_narrow narrow, float value)
{
    const vz_narrow_form *form = &forms[narrow];
    const bool negative = signbit(value);
    const double wide = value; /* in which every float but zero is a normal number */
    uint64_t bits;
    if (form->special == VZ_NARROW_EXPONENTS)
        return exponent_code(form, value);
    if (isnan(value))
        return code_of_nan(form, negative);
    if (isinf(value))
        return code_beyond(form, negative);
    memcpy(&bits, &wide, sizeof bits);
    const unsigned magnitude = round_magnitude(form, bits & INT64_MAX);
    if (magnitude > largest(form))
        return code_beyond(form, negative);
    const bool no_sign = magnitude == 0 && form->special == VZ_NARROW_NO_ZERO;
    return with_sign(form, (uint16_t)magnitude, negative && !no_sign);
}

/* ---- many ---- */

/* The upper half of a float is one. */
static void widen_bfloat16(const void *codes, float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint16_t code;
        memcpy(&code, (const uint8_t *)codes + i * sizeof code, sizeof code);
        const uint32_t bits = (uint32_t)code << 16;
        memcpy(&values[i], &bits, sizeof bits);
    }
}

void vz_narrow_to_floats(vz_narrow narrow, const void *codes, float *values, size_t count)
{
    if (narrow == VZ_NARROW_BFLOAT16) {
        widen_bfloat16(codes, values, count);
        return;
    }
    float table[UINT8_MAX + 1];
    const bool many = count > UINT8_MAX;
    for (unsigned code = 0; many && code <= UINT8_MAX; code++)
        table[code] = (float)vz_narrow_value(narrow, (uint16_t)code);
    for (size_t i = 0; i < count; i++) {
        const uint8_t code = ((const uint8_t *)codes)[i];
        values[i] = many ? table[code] : (float)vz_narrow_value(narrow, code);
    }
}

void vz_narrow_from_floats(vz_narrow narrow, const float *values, void *codes, size_t count)
{
    uint8_t *to = codes;
    for (size_t i = 0; i < count; i++) {
        const uint16_t code = vz_narrow_code(narrow, values[i]);
        if (forms[narrow].size == sizeof code)
            memcpy(to + i * sizeof code, &code, sizeof code);
        else
            to[i] = (uint8_t)code;
    }
}
