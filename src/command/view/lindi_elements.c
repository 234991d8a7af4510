/* lindi_elements.c - elements that LINDI has as JSON, in the form of numcodecs' json2. That is a
 * list of the elements, nested where there are several dimensions, the dtype, and the shape. */
#include "array/array/array.h"
#include "array/selection/selection.h"
#include "codec/codec/codec.h"
#include "command/view/view_internal.h"
#include <stdlib.h>

enum { CODE = 4 };     /* bytes of a code point */
#define LOOKED_AT 4096 /* elements, by readers, for a reference among null ones */

typedef struct elements {
    vz_node *array;
    vz_view_lindi_form form;
    const uint8_t *at;  /* the next one */
    uint64_t done;      /* those before it */
    bool has_reference; /* where readers look for one */
} elements;

/* ---- one element ---- */

/* Text of code points, without its padding. */
static vz_json *print_code_points(const vz_dtype *dtype, const uint8_t *at, vz_buffer *text, vz_error *err)
{
    size_t size = dtype->size;
    bool ok = true;
    text->size = 0;
    while (size >= CODE && vz_scalar_load(at + size - CODE, CODE, dtype->big_endian) == 0)
        size -= CODE;
    for (size_t i = 0; ok && i + CODE <= size; i += CODE) {
        uint8_t utf8[CODE];
        const uint32_t code = (uint32_t)vz_scalar_load(at + i, CODE, dtype->big_endian);
        ok = vz_buffer_append(text, utf8, vz_scalar_utf8(code, utf8), err);
    }
    return ok ? vz_json_string(text->data ? (const char *)text->data : "", text->size, err) : NULL;
}

/* The null reference is null. */
static vz_json *print_reference(vz_hierarchy *hierarchy, const char *text, size_t size, vz_error *err)
{
    if (size == 0)
        return vz_json_null(err);
    vz_json *reference = vz_json_parse(text, size, err);
    if (reference && vz_json_get_text(reference, "path") && vz_json_is(vz_json_get(reference, "source"), "."))
        return vz_view_lindi_reference(hierarchy, reference, err);
    if (reference)
        vz_fail(err, VZ_UNSUPPORTED, "LINDI has no form for a reference to another file, or to a deleted object");
    vz_json_free(reference);
    return NULL;
}

static vz_json *print_bytes(const vz_dtype *dtype, const uint8_t *at, vz_error *err)
{
    size_t size = dtype->size;
    while (size > 0 && at[size - 1] == 0)
        size--;
    return vz_json_string((const char *)at, size, err);
}

static vz_json *print_member(const vz_node *array, const vz_dtype_field *field, const uint8_t *at, vz_error *err)
{
    const vz_dtype *dtype = field->dtype;
    const uint64_t bits = dtype->kind == VZ_DTYPE_INT || dtype->kind == VZ_DTYPE_UINT || dtype->kind == VZ_DTYPE_FLOAT
                              ? vz_scalar_load(at, dtype->size, dtype->big_endian)
                              : 0;
    vz_buffer text = {0};
    vz_json *value = NULL;
    switch (dtype->kind) {
    case VZ_DTYPE_BOOL:
        return vz_json_bool(*at != 0, err);
    case VZ_DTYPE_INT:
        return vz_json_int64(vz_scalar_signed(bits, dtype->size), err);
    case VZ_DTYPE_UINT:
        return vz_json_uint64(bits, err);
    case VZ_DTYPE_FLOAT:
        return vz_json_double(vz_real_from_bits(bits, dtype->size), err);
    case VZ_DTYPE_BYTES:
        return print_bytes(dtype, at, err);
    default: /* text, as vz_view_lindi_find_form saw */
        value = print_code_points(dtype, at, &text, err);
        if (value && vz_view_lindi_is_reference(array, field->name)) {
            vz_json_free(value);
            value = print_reference(array->hierarchy, (const char *)text.data, text.size, err);
        }
        vz_buffer_clear(&text);
        return value;
    }
}

static vz_json *print_record(const vz_node *array, const uint8_t *at, vz_error *err)
{
    const vz_dtype *dtype = array->meta->dtype;
    vz_json *list = vz_json_array(err);
    for (size_t i = 0; list && i < dtype->field_count; i++)
        if (!vz_json_append(list, print_member(array, &dtype->fields[i], at + dtype->fields[i].offset, err), err)) {
            vz_json_free(list);
            return NULL;
        }
    return list;
}

static vz_json *print_next(elements *next, vz_error *err)
{
    const uint8_t *at = next->at;
    vz_item item = {0};
    next->at += next->array->meta->dtype->size;
    if (next->form == VZ_LINDI_RECORDS)
        return print_record(next->array, at, err);
    memcpy(&item, at, sizeof item);
    next->has_reference |= next->done++ < LOOKED_AT && item.size > 0;
    return next->form == VZ_LINDI_REFERENCES
               ? print_reference(next->array->hierarchy, (const char *)item.data, (size_t)item.size, err)
               : vz_json_string(item.size ? (const char *)item.data : "", (size_t)item.size, err);
}

/* ---- all of them ---- */

static bool append_all(elements *next, unsigned dimension, vz_json *list, vz_error *err)
{
    const vz_meta *meta = next->array->meta;
    const bool is_last = dimension + 1 >= meta->rank;
    const uint64_t length = meta->rank ? meta->shape[dimension] : 1;
    bool ok = true;
    for (uint64_t i = 0; ok && i < length; i++) {
        vz_json *value = is_last ? print_next(next, err) : vz_json_array(err);
        ok = value && (is_last || append_all(next, dimension + 1, value, err));
        if (ok)
            ok = vz_json_append(list, value, err);
        else
            vz_json_free(value);
    }
    return ok;
}

static bool print_all(vz_node *array, vz_view_lindi_form form, const uint8_t *data, vz_buffer *out, vz_error *err)
{
    const vz_meta *meta = array->meta;
    const uint64_t one = 1;
    elements next = {.array = array, .form = form, .at = data};
    vz_json *list = vz_json_array(err);
    const bool ok =
        list && append_all(&next, 0, list, err) && vz_json_append(list, vz_json_text("|O", err), err) &&
        vz_json_append(list, vz_meta_print_sizes(meta->rank ? meta->shape : &one, meta->rank ? meta->rank : 1, err),
                       err) &&
        vz_json_print(list, 0, out, err);
    vz_json_free(list);
    return ok && (form != VZ_LINDI_REFERENCES || next.has_reference ||
                  vz_fail(err, VZ_UNSUPPORTED, "LINDI has no form for an array of null references"));
}

/* numpy's text has one code point at least. */
static bool print_utf32(vz_item item, vz_buffer *out, vz_error *err)
{
    uint8_t code[CODE] = {0};
    bool ok = item.size > 0 || vz_buffer_append(out, code, CODE, err);
    for (size_t at = 0, length; ok && at < item.size; at += length) {
        length = vz_utf8_sequence(item.data + at, (size_t)item.size - at, false);
        if (length == 0)
            return vz_fail(err, VZ_UNSUPPORTED, "LINDI has no form for text that is not UTF-8");
        vz_scalar_store(vz_utf8_code_point(item.data + at, length), CODE, false, code);
        ok = vz_buffer_append(out, code, CODE, err);
    }
    return ok;
}

/* ---- reading ---- */

static bool read_all(vz_node *array, uint8_t *data, vz_arena *arena, vz_error *err)
{
    const vz_meta *meta = array->meta;
    vz_region region = {.rank = meta->rank};
    uint64_t stride = 1;
    for (unsigned d = meta->rank; d-- > 0;) {
        region.stride[d] = region.block[d] = 1;
        region.count[d] = meta->shape[d];
        region.memory_stride[d] = stride;
        stride *= meta->shape[d]; /* the caller measured it */
    }
    const vz_transfer transfer = {.region = &region, .buffer = data, .element_size = meta->dtype->size, .arena = arena};
    vz_array *io = vz_node_io(array, err);
    return io && vz_array_read(io, &transfer, err);
}

bool vz_view_lindi_elements(vz_node *array, vz_view_lindi_form form, vz_buffer *out, vz_error *err)
{
    const vz_meta *meta = array->meta;
    uint64_t size = meta->dtype->size;
    vz_arena arena = {0};
    vz_buffer data = {0};
    vz_item item;
    for (unsigned d = 0; d < meta->rank; d++)
        if (!vz_mul(size, meta->shape[d], &size))
            return vz_fail(err, VZ_LIMIT, "more elements than memory holds");
    bool ok = size <= SIZE_MAX && vz_buffer_reserve(&data, (size_t)size, err);
    if (ok) {
        memset(data.data, 0, (size_t)size);
        ok = read_all(array, data.data, &arena, err);
    }
    if (ok && form == VZ_LINDI_TEXTS && meta->rank == 0) {
        memcpy(&item, data.data, sizeof item);
        ok = print_utf32(item, out, err);
    } else {
        ok = ok && print_all(array, form, data.data, out, err);
    }
    vz_arena_clear(&arena);
    vz_buffer_clear(&data);
    return ok;
}
