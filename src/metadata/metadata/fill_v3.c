/* fill_v3.c - fill values as v3 writes them: v2's forms, and floats as "0x7fc00000", bytes as lists
 * of numbers, structures as objects. */
#include "metadata/metadata/v3_internal.h"
#include "codec/codec/codec.h"
#include "metadata/metadata/v2_internal.h"
#include "metadata/metadata/metadata_internal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool parse_element(const vz_dtype *dtype, const vz_json *value, uint8_t *bytes, vz_error *err);

/* ---- reading ---- */

static bool parse_float(size_t size, bool big_endian, const vz_json *value, uint8_t *bytes, vz_error *err)
{
    uint64_t bits;
    const vz_dtype dtype = {.kind = VZ_DTYPE_FLOAT, .size = size, .big_endian = big_endian};
    if (!vz_meta_fill_is_hex(value, size, &bits))
        return vz_meta_fill_parse_element(&dtype, value, bytes, err);
    vz_scalar_store(bits, size, big_endian, bytes);
    return true;
}

/* [1, 255, ...]: at most `size` of them. */
static bool parse_numbers(const vz_json *list, uint8_t *bytes, size_t size, vz_error *err)
{
    if (vz_json_length(list) > size)
        return vz_fail(err, VZ_CORRUPT, "fill_value: holds %zu bytes, an element has %zu", vz_json_length(list), size);
    for (size_t i = 0; i < vz_json_length(list); i++) {
        uint64_t byte;
        if (!vz_json_get_uint64(vz_json_at(list, i), &byte) || byte > UINT8_MAX)
            return vz_fail(err, VZ_CORRUPT, "fill_value: item %zu is no byte", i);
        bytes[i] = (uint8_t)byte;
    }
    return true;
}

/* Fields that are not mentioned are zero, as are those of objects, of which the element holds no
 * bytes of its own. */
static bool parse_fields(const vz_dtype *record, const vz_json *value, uint8_t *bytes, vz_error *err)
{
    for (size_t i = 0; i < record->field_count; i++) {
        const vz_dtype_field *field = &record->fields[i];
        const vz_json *member = vz_json_get(value, field->name);
        if (member && !parse_element(field->dtype, member, bytes + field->offset, err))
            return false;
    }
    return true;
}

static bool parse_element(const vz_dtype *dtype, const vz_json *value, uint8_t *bytes, vz_error *err)
{
    const bool is_list = vz_json_kind_of(value) == VZ_JSON_ARRAY;
    switch (dtype->kind) {
    case VZ_DTYPE_FLOAT:
        return parse_float(dtype->size, dtype->big_endian, value, bytes, err);
    case VZ_DTYPE_COMPLEX:
        return vz_meta_fill_parse_complex(dtype, value, bytes, parse_float, err);
    case VZ_DTYPE_RAW:
    case VZ_DTYPE_BYTES:
        return is_list ? parse_numbers(value, bytes, dtype->size, err)
                       : vz_meta_fill_parse_element(dtype, value, bytes, err);
    case VZ_DTYPE_STRUCT:
        return vz_json_kind_of(value) == VZ_JSON_OBJECT ? parse_fields(dtype, value, bytes, err)
                                                        : vz_meta_fill_parse_element(dtype, value, bytes, err);
    case VZ_DTYPE_OBJECT:
        return true;
    default:
        return vz_meta_fill_parse_element(dtype, value, bytes, err);
    }
}

static bool parse_item_numbers(vz_meta *meta, const vz_json *list, vz_error *err)
{
    const size_t size = vz_json_length(list);
    uint8_t *bytes = calloc(1, size ? size : 1);
    const vz_item item = {bytes, size};
    const bool ok =
        bytes ? parse_numbers(list, bytes, size, err) && vz_meta_set_fill(meta, &item, err) : vz_fail_memory(err);
    free(bytes);
    return ok;
}

static bool parse_item(vz_meta *meta, const vz_json *value, vz_error *err)
{
    static const vz_item empty = {(const uint8_t *)"", 0};
    if (!value || vz_json_kind_of(value) == VZ_JSON_NULL)
        return vz_meta_set_fill(meta, &empty, err);
    if (meta->dtype->object == VZ_OBJECT_BYTES && vz_json_kind_of(value) == VZ_JSON_ARRAY)
        return parse_item_numbers(meta, value, err);
    return vz_meta_fill_parse_item(meta, value, err);
}

bool vz_meta_fill_parse_v3(vz_meta *meta, const vz_json *value, vz_error *err)
{
    const vz_dtype *dtype = meta->dtype;
    if (dtype->kind == VZ_DTYPE_OBJECT)
        return parse_item(meta, value, err);
    bool zero = vz_json_kind_of(value) == VZ_JSON_NULL || dtype->object != VZ_OBJECT_NONE;
    if (!zero && !vz_meta_fill_check(dtype, value, &zero, err))
        return false;
    if (zero)
        return vz_meta_set_zero_fill(meta, err);
    uint8_t *bytes = calloc(1, dtype->size ? dtype->size : 1);
    if (!bytes)
        return vz_fail_memory(err);
    const bool ok = parse_element(dtype, value, bytes, err) && vz_meta_set_fill(meta, bytes, err);
    free(bytes);
    return ok;
}

/* ---- printing ---- */

/* A NaN with other bits than the usual one is written as its bits. */
static vz_json *print_float(size_t size, bool big_endian, const uint8_t *bytes, vz_error *err)
{
    const uint64_t bits = vz_scalar_load(bytes, size, big_endian);
    const double real = vz_real_from_bits(bits, size);
    if (isnan(real)) {
        char text[24];
        snprintf(text, sizeof text, "0x%0*llx", (int)(2 * size), (unsigned long long)bits);
        return vz_json_text(bits == vz_real_to_bits(NAN, size) ? "NaN" : text, err);
    }
    if (isinf(real))
        return vz_json_text(real > 0 ? "Infinity" : "-Infinity", err);
    return vz_json_double(real, err);
}

vz_json *vz_meta_fill_print_v3(const vz_meta *meta, vz_error *err)
{
    const vz_dtype *dtype = meta->dtype;
    if (dtype->kind == VZ_DTYPE_FLOAT)
        return print_float(dtype->size, dtype->big_endian, meta->fill, err);
    if (dtype->kind == VZ_DTYPE_COMPLEX)
        return vz_meta_fill_print_complex(dtype, meta->fill, print_float, err);
    vz_meta defined = *meta;
    defined.fill_defined = true;
    return vz_meta_fill_print_v2(&defined, err);
}
