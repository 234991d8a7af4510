/* rounding.c - numbers rounded to a narrower type, exactly, in the ways of Zarr's cast_value. */
#include "codec/codec/codec_internal.h"

#include <float.h>
#include <math.h>

#define WORD_BITS 64

typedef struct real_form {
    int digits; /* binary, the leading one included */
    int least;  /* exponent of the least normal number */
    double max; /* the largest finite one */
} real_form;

static real_form form_of(vz_codec_number_type type)
{
    switch (type.size) {
    case 2:
        return (real_form){11, -14, 65504};
    case 4:
        return (real_form){FLT_MANT_DIG, FLT_MIN_EXP - 1, FLT_MAX};
    default:
        return (real_form){DBL_MANT_DIG, DBL_MIN_EXP - 1, DBL_MAX};
    }
}

double vz_real_max(vz_codec_number_type type)
{
    return form_of(type).max;
}

double vz_codec_round_to_integer(double value, vz_codec_cast_rounding rounding)
{
    switch (rounding) {
    case VZ_ROUND_TOWARDS_ZERO:
        return trunc(value);
    case VZ_ROUND_TOWARDS_POSITIVE:
        return ceil(value);
    case VZ_ROUND_TOWARDS_NEGATIVE:
        return floor(value);
    case VZ_ROUND_NEAREST_AWAY:
        return round(value);
    default:
        return rint(value);
    }
}

/* A value other than zero: sign, whole digits, and the power of two that multiplies them. */
typedef struct parts {
    bool negative;
    uint64_t digits;
    int exponent;
} parts;

static parts take_apart(vz_codec_number value)
{
    if (value.kind == 'f') {
        int exponent;
        const double fraction = frexp(fabs(value.real), &exponent);
        return (parts){signbit(value.real) != 0, (uint64_t)ldexp(fraction, DBL_MANT_DIG), exponent - DBL_MANT_DIG};
    }
    const bool negative = value.kind == 'i' && (int64_t)value.integer < 0;
    return (parts){negative, negative ? -value.integer : value.integer, 0};
}

/* Does a number whose last `drop` bits go, 1 or more, become the next larger one in magnitude? */
static bool rounds_up(parts p, unsigned drop, uint64_t kept, vz_codec_cast_rounding rounding)
{
    const uint64_t lost = drop < WORD_BITS ? p.digits & (((uint64_t)1 << drop) - 1) : p.digits;
    /* beyond: out of reach */
    const uint64_t half = drop <= WORD_BITS ? (uint64_t)1 << (drop - 1) : UINT64_MAX;
    if (lost == 0)
        return false;
    switch (rounding) {
    case VZ_ROUND_TOWARDS_ZERO:
        return false;
    case VZ_ROUND_TOWARDS_POSITIVE:
        return !p.negative;
    case VZ_ROUND_TOWARDS_NEGATIVE:
        return p.negative;
    case VZ_ROUND_NEAREST_AWAY:
        return drop <= WORD_BITS && lost >= half;
    default:
        return drop <= WORD_BITS && (lost > half || (lost == half && (kept & 1)));
    }
}

double vz_codec_round_to_real(vz_codec_number_type type, vz_codec_number value, vz_codec_cast_rounding rounding)
{
    const real_form form = form_of(type);
    if (value.kind == 'f' ? !isfinite(value.real) || value.real == 0 : value.integer == 0)
        return value.kind == 'f' ? value.real : 0;
    const parts p = take_apart(value);
    const int leading = p.exponent + WORD_BITS - 1 - __builtin_clzll(p.digits);
    const int last = (leading > form.least ? leading : form.least) - (form.digits - 1);
    if (last <= p.exponent) /* no digit goes */
        return value.kind == 'f' ? value.real : ldexp(p.negative ? -(double)p.digits : (double)p.digits, p.exponent);
    const unsigned drop = (unsigned)(last - p.exponent);
    const uint64_t kept = drop < WORD_BITS ? p.digits >> drop : 0;
    const double result = ldexp((double)(kept + rounds_up(p, drop, kept, rounding)), last);
    return p.negative ? -result : result;
}
