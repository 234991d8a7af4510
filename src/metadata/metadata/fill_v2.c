/* fill_v2.c - fill values as v2 writes them: numbers, "NaN" and "Infinity", [re, im], base64,
 * text. */
#include "metadata/metadata/v2_internal.h"
#include "codec/codec/codec.h"
#include "metadata/metadata/metadata_internal.h"
#include <math.h>
#include <stdlib.h>

static bool wrong(const vz_json *value, const char *expected, vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "fill_value: is %s, expected %s", vz_json_kind_name(value), expected);
}

/* Old writers put 0 where the type's zero was meant, whatever the type. */
static bool is_zero(const vz_json *value)
{
    int64_t number;
    return vz_json_get_int64(value, &number) && number == 0;
}

static bool parse_bool(const vz_json *value, uint8_t *bytes, vz_error *err)
{
    bool flag;
    int64_t number;
    if (vz_json_get_bool(value, &flag))
        bytes[0] = flag;
    else if (vz_json_get_int64(value, &number) && (number == 0 || number == 1))
        bytes[0] = (uint8_t)number;
    else
        return wrong(value, "true or false", err);
    return true;
}

/* Integers; also reals and booleans that are one. */
static bool read_integer(const vz_json *value, bool is_signed, uint64_t *bits)
{
    int64_t number;
    bool flag;
    double real;
    if (is_signed && vz_json_get_int64(value, &number))
        return *bits = (uint64_t)number, true;
    if (!is_signed && vz_json_get_uint64(value, bits))
        return true;
    if (vz_json_get_bool(value, &flag))
        return *bits = flag, true;
    if (vz_json_kind_of(value) != VZ_JSON_REAL || !vz_json_get_double(value, &real) || real != floor(real) ||
        fabs(real) > 9007199254740992.0 || (real < 0 && !is_signed))
        return false;
    *bits = (uint64_t)(int64_t)real;
    return true;
}

static bool fits_integer(uint64_t bits, bool is_signed, size_t size)
{
    if (size == 8)
        return true;
    if (!is_signed)
        return bits >> (8 * size) == 0;
    const int64_t limit = (int64_t)1 << (8 * size - 1), number = (int64_t)bits;
    return number >= -limit && number < limit;
}

static bool parse_integer(const vz_dtype *dtype, const vz_json *value, uint8_t *bytes, vz_error *err)
{
    const bool is_signed = dtype->kind != VZ_DTYPE_UINT;
    uint64_t bits;
    if (!read_integer(value, is_signed, &bits))
        return wrong(value, "an integer of the array's type", err);
    if (!fits_integer(bits, is_signed, dtype->size))
        return vz_fail(err, VZ_CORRUPT, "fill_value: %s does not fit %zu bytes",
                       vz_json_number_text(value) ? vz_json_number_text(value) : "the value", dtype->size);
    vz_scalar_store(bits, dtype->size, dtype->big_endian, bytes);
    return true;
}

static bool parse_time(const vz_dtype *dtype, const vz_json *value, uint8_t *bytes, vz_error *err)
{
    if (!vz_json_is(value, "NaT"))
        return parse_integer(dtype, value, bytes, err);
    vz_scalar_store((uint64_t)INT64_MIN, 8, dtype->big_endian, bytes);
    return true;
}

static bool parse_real(size_t size, bool big_endian, const vz_json *value, uint8_t *bytes, vz_error *err)
{
    double real;
    if (vz_json_is(value, "NaN"))
        real = NAN;
    else if (vz_json_is(value, "Infinity"))
        real = INFINITY;
    else if (vz_json_is(value, "-Infinity"))
        real = -INFINITY;
    else if (!value || !vz_json_get_double(value, &real))
        return value ? wrong(value, "a number, \"NaN\", \"Infinity\" or \"-Infinity\"", err)
                     : vz_fail(err, VZ_CORRUPT, "fill_value: a complex number needs two parts");
    vz_scalar_store(vz_real_to_bits(real, size), size, big_endian, bytes);
    return true;
}

bool vz_meta_fill_parse_complex(const vz_dtype *dtype, const vz_json *value, uint8_t *bytes,
                                vz_meta_fill_parse_part parse, vz_error *err)
{
    const size_t half = dtype->size / 2;
    if (vz_json_kind_of(value) != VZ_JSON_ARRAY)
        return parse(half, dtype->big_endian, value, bytes, err);
    if (vz_json_length(value) != 2)
        return vz_fail(err, VZ_CORRUPT, "fill_value: a complex number needs two parts");
    return parse(half, dtype->big_endian, vz_json_at(value, 0), bytes, err) &&
           parse(half, dtype->big_endian, vz_json_at(value, 1), bytes + half, err);
}

/* Base64 of the element; byte strings may be shorter (numpy strips NULs), and very old ones are
 * plain text. */
static bool parse_bytes(const vz_dtype *dtype, const vz_json *value, uint8_t *bytes, vz_error *err)
{
    size_t length;
    const char *text = vz_json_get_string(value, &length);
    if (!text)
        return wrong(value, "base64 text", err);
    vz_buffer decoded = {0};
    vz_bytes found = {(const uint8_t *)text, length};
    vz_error ignored = VZ_ERROR_NONE;
    bool ok = vz_base64_decode(text, length, &decoded, &ignored);
    if (ok)
        found = (vz_bytes){decoded.data, decoded.size};
    else if (dtype->kind != VZ_DTYPE_BYTES)
        vz_fail(err, VZ_CORRUPT, "fill_value: is not base64 text");
    ok = ok || dtype->kind == VZ_DTYPE_BYTES;
    const bool may_be_shorter = dtype->kind == VZ_DTYPE_BYTES || found.size == 0;
    if (ok && (found.size > dtype->size || (found.size < dtype->size && !may_be_shorter)))
        ok = vz_fail(err, VZ_CORRUPT, "fill_value: holds %zu bytes, an element has %zu", found.size, dtype->size);
    if (ok && found.size > 0)
        memcpy(bytes, found.data, found.size);
    vz_buffer_clear(&decoded);
    return ok;
}

/* One code point of UTF-8 text that json.h vouches for (surrogates come as three bytes); moves
 * *text. */
static uint32_t next_code_point(const uint8_t **text, const uint8_t *end)
{
    const uint8_t *p = *text;
    const size_t left = (size_t)(end - p), whole = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
    const size_t length = whole < left ? whole : left;
    *text = p + length;
    return vz_utf8_code_point(p, length);
}

/* Text longer than the type is cut, as numpy does. */
static bool parse_unicode(const vz_dtype *dtype, const vz_json *value, uint8_t *bytes, vz_error *err)
{
    size_t length;
    const uint8_t *text = (const uint8_t *)vz_json_get_string(value, &length);
    if (!text)
        return wrong(value, "text", err);
    const uint8_t *end = text + length;
    for (size_t at = 0; at < dtype->size && text < end; at += 4)
        vz_scalar_store(next_code_point(&text, end), 4, dtype->big_endian, bytes + at);
    return true;
}

static bool set_item(vz_meta *meta, const void *data, size_t size, vz_error *err)
{
    const vz_item item = {.data = data, .size = size};
    return vz_meta_set_fill(meta, &item, err);
}

static bool set_json(vz_meta *meta, const vz_json *value, vz_error *err)
{
    vz_buffer text = {0};
    const bool ok = vz_json_print(value, 0, &text, err) && set_item(meta, text.data, text.size, err);
    vz_buffer_clear(&text);
    return ok;
}

/* JSON values as they are. Of a structure with objects in it the fill is base64 of what the codec
 * makes of a number. It is the zero of every member; nobody writes another. */
static bool parse_json(vz_meta *meta, const vz_json *value, vz_error *err)
{
    const bool defined = vz_json_kind_of(value) != VZ_JSON_NULL;
    const bool ok = meta->dtype->item && defined ? set_item(meta, "0", 1, err) : set_json(meta, value, err);
    meta->fill_defined = defined;
    return ok;
}

/* Text as it is; byte strings as base64, or as text where they are not. Other objects have no fill
 * that could be held. */
bool vz_meta_fill_parse_item(vz_meta *meta, const vz_json *value, vz_error *err)
{
    size_t length;
    const char *text = vz_json_get_string(value, &length);
    const vz_dtype_object_kind object = meta->dtype->object;
    if (object == VZ_OBJECT_OTHER ||
        (object == VZ_OBJECT_SEQUENCE && (length = vz_json_length(value), !text) && !length))
        return set_item(meta, NULL, 0, err);
    if (object == VZ_OBJECT_SEQUENCE)
        return text && length == 0 ? set_item(meta, NULL, 0, err)
                                   : vz_fail(err, VZ_UNSUPPORTED, "fill_value: of variable-length sequences");
    if (!text)
        return wrong(value, "text", err);
    if (object == VZ_OBJECT_TEXT)
        return set_item(meta, text, length, err);
    vz_buffer decoded = {0};
    vz_error ignored = VZ_ERROR_NONE;
    const bool is_base64 = vz_base64_decode(text, length, &decoded, &ignored);
    const bool ok = is_base64 ? set_item(meta, decoded.size ? (const void *)decoded.data : "", decoded.size, err)
                              : set_item(meta, text, length, err);
    vz_buffer_clear(&decoded);
    return ok;
}

bool vz_meta_fill_parse_element(const vz_dtype *dtype, const vz_json *value, uint8_t *bytes, vz_error *err)
{
    switch (dtype->kind) {
    case VZ_DTYPE_BOOL:
        return parse_bool(value, bytes, err);
    case VZ_DTYPE_INT:
    case VZ_DTYPE_UINT:
        return parse_integer(dtype, value, bytes, err);
    case VZ_DTYPE_DATETIME:
    case VZ_DTYPE_TIMEDELTA:
        return parse_time(dtype, value, bytes, err);
    case VZ_DTYPE_FLOAT:
        return parse_real(dtype->size, dtype->big_endian, value, bytes, err);
    case VZ_DTYPE_COMPLEX:
        return vz_meta_fill_parse_complex(dtype, value, bytes, parse_real, err);
    case VZ_DTYPE_NARROW:
        return vz_meta_fill_parse_narrow(dtype, value, bytes, err);
    case VZ_DTYPE_UNICODE:
        return parse_unicode(dtype, value, bytes, err);
    default:
        return parse_bytes(dtype, value, bytes, err);
    }
}

static bool parse_fixed(vz_meta *meta, const vz_json *value, vz_error *err)
{
    bool zero;
    if (!vz_meta_fill_check(meta->dtype, value, &zero, err))
        return false;
    if (zero)
        return vz_meta_set_zero_fill(meta, err);
    uint8_t *bytes = calloc(1, meta->dtype->size ? meta->dtype->size : 1);
    if (!bytes)
        return vz_fail_memory(err);
    const bool ok = vz_meta_fill_parse_element(meta->dtype, value, bytes, err) && vz_meta_set_fill(meta, bytes, err);
    free(bytes);
    return ok;
}

static bool parse_zero(vz_meta *meta, vz_error *err)
{
    if (meta->dtype->kind != VZ_DTYPE_OBJECT)
        return vz_meta_set_zero_fill(meta, err);
    if (!vz_meta_set_fill(meta, NULL, err))
        return false;
    meta->fill_defined = true;
    return true;
}

bool vz_meta_fill_parse_v2(vz_meta *meta, const vz_json *value, vz_error *err)
{
    const vz_dtype *dtype = meta->dtype;
    if (dtype->kind == VZ_DTYPE_OBJECT && dtype->object == VZ_OBJECT_JSON)
        return parse_json(meta, value, err);
    if (vz_json_kind_of(value) == VZ_JSON_NULL)
        return vz_meta_set_fill(meta, NULL, err);
    /* A real zero of a kind that has no reals (long double, structures) is meant as zero too. */
    double real;
    const bool opaque = dtype->kind == VZ_DTYPE_RAW || dtype->kind == VZ_DTYPE_STRUCT;
    if (is_zero(value) || (opaque && vz_json_get_double(value, &real) && real == 0))
        return parse_zero(meta, err);
    if (dtype->kind == VZ_DTYPE_STRUCT && dtype->object != VZ_OBJECT_NONE)
        return parse_zero(meta, err); /* encoded as an object: not looked into */
    return dtype->kind == VZ_DTYPE_OBJECT ? vz_meta_fill_parse_item(meta, value, err) : parse_fixed(meta, value, err);
}
