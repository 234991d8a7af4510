/* fill_narrow.c - fill values of numbers of few bits: as other numbers have them, and as codes
 * ("0x7f") where no number tells the code. */
#include "metadata/metadata/metadata_internal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool wrong(const vz_json *value, const char *name, vz_error *err)
{
    const char *text = vz_json_number_text(value);
    return vz_fail(err, VZ_CORRUPT, "fill_value: %.60s is no %s", text ? text : vz_json_kind_name(value), name);
}

/* "0x" and as many digits as the bits of the number take, or fewer. */
bool vz_meta_fill_is_hex(const vz_json *value, size_t size, uint64_t *bits)
{
    size_t length;
    const char *text = vz_json_get_string(value, &length);
    if (!text || length < 3 || length > 2 + 2 * size || text[0] != '0' || text[1] != 'x' ||
        strspn(text + 2, "0123456789abcdefABCDEF") != length - 2)
        return false;
    *bits = strtoull(text + 2, NULL, 16);
    return true;
}

static bool parse_integer(const vz_narrow_form *form, const vz_json *value, uint16_t *code, vz_error *err)
{
    const int64_t count = (int64_t)1 << form->bits, least = form->is_signed ? -count / 2 : 0;
    int64_t number;
    if (!vz_json_get_int64(value, &number) || number < least || number >= least + count)
        return wrong(value, form->name, err);
    *code = (uint16_t)(number & (count - 1));
    return true;
}

/* Zero, which one type does not have, is its least value, as in tensorstore. */
static bool parse_real(vz_narrow narrow, const vz_json *value, uint16_t *code, vz_error *err)
{
    const vz_narrow_form *form = vz_narrow_form_of(narrow);
    double real;
    if (vz_json_is(value, "NaN"))
        *code = form->nan ? form->nan : vz_narrow_code(narrow, NAN);
    else if (vz_json_is(value, "Infinity"))
        *code = vz_narrow_code(narrow, INFINITY);
    else if (vz_json_is(value, "-Infinity"))
        *code = vz_narrow_code(narrow, -INFINITY);
    else if (!value || !vz_json_get_double(value, &real))
        return wrong(value, form->name, err);
    else
        *code = form->special == VZ_NARROW_EXPONENTS && real == 0 ? 0 : vz_narrow_code(narrow, (float)real);
    return true;
}

bool vz_meta_fill_parse_narrow(const vz_dtype *dtype, const vz_json *value, uint8_t *bytes, vz_error *err)
{
    const vz_narrow_form *form = vz_narrow_form_of(dtype->narrow);
    uint16_t code = 0;
    uint64_t bits;
    if (form->special == VZ_NARROW_INTEGER) {
        if (!parse_integer(form, value, &code, err))
            return false;
    } else if (vz_meta_fill_is_hex(value, dtype->size, &bits)) {
        if (bits >> form->bits)
            return vz_fail(err, VZ_CORRUPT, "fill_value: a %s has %u bits", form->name, form->bits);
        code = (uint16_t)bits;
    } else if (!parse_real(dtype->narrow, value, &code, err)) {
        return false;
    }
    vz_scalar_store(code, dtype->size, dtype->big_endian, bytes);
    return true;
}

static vz_json *print_code(const vz_dtype *dtype, uint16_t code, vz_error *err)
{
    char text[8];
    snprintf(text, sizeof text, "0x%0*x", (int)(2 * dtype->size), code);
    return vz_json_text(text, err);
}

/* Powers of two are written as their code: tensorstore 0.1.86 takes a number for the float of
 * another type. */
vz_json *vz_meta_fill_print_narrow(const vz_dtype *dtype, const uint8_t *bytes, vz_error *err)
{
    const vz_narrow_form *form = vz_narrow_form_of(dtype->narrow);
    const uint16_t code = (uint16_t)vz_scalar_load(bytes, dtype->size, dtype->big_endian);
    const double value = vz_narrow_value(dtype->narrow, code);
    if (form->special == VZ_NARROW_INTEGER)
        return vz_json_int64((int64_t)value, err);
    if (isnan(value) && code == form->nan)
        return vz_json_text("NaN", err);
    if (isnan(value) || form->special == VZ_NARROW_EXPONENTS)
        return print_code(dtype, code, err);
    if (isinf(value))
        return vz_json_text(value > 0 ? "Infinity" : "-Infinity", err);
    return vz_json_double(value, err);
}
