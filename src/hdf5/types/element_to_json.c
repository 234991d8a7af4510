/* element_to_json.c - elements of an HDF5 type as JSON values. */
#include "hdf5/types/elements.h"
#include "codec/codec/codec.h"
#include "metadata/metadata/metadata.h"
#include <math.h>
#include <stdlib.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static vz_json *render(const vz_type_tree *layout, const uint8_t *data, bool *exact, vz_error *err);

bool vz_elements_are_list_like(const vz_type_tree *layout)
{
    return layout->class == H5T_ARRAY || layout->class == H5T_VLEN || layout->is_complex;
}

bool vz_elements_hold_references(const vz_type_tree *layout)
{
    while (layout->class == H5T_ARRAY || layout->class == H5T_VLEN)
        layout = layout->base;
    return layout->is_reference;
}

const vz_json *vz_elements_references(const vz_json *value)
{
    const vz_json *inner = vz_json_get(value, "value"), *kind = vz_json_get(value, "zarr_dtype");
    if (inner && vz_json_length(value) == 2 && (vz_json_is(kind, "object") || vz_json_is(kind, "region")))
        return inner;
    inner = vz_json_get(value, "_REFERENCE");
    return inner && vz_json_length(value) == 1 ? inner : value;
}

/* ---- numbers ---- */

static vz_json *render_real(const vz_type_tree *layout, const uint8_t *data, bool *exact, vz_error *err)
{
    const uint64_t bits = vz_scalar_load(data, layout->size, layout->number.big_endian);
    const double value = vz_real_from_bits(bits, layout->size);
    if (isnan(value) && bits != vz_real_to_bits(NAN, layout->size))
        *exact = false; /* another NaN than "NaN" is read as */
    return vz_json_double(value, err);
}

static vz_json *render_number(const vz_type_tree *layout, const uint8_t *data, bool *exact, vz_error *err)
{
    if (layout->number.kind == VZ_NUMBER_FLOAT)
        return render_real(layout, data, exact, err);
    const uint64_t bits = vz_scalar_load(data, layout->size, layout->number.big_endian);
    if (layout->number.kind == VZ_NUMBER_INT)
        return vz_json_int64(vz_scalar_signed(bits, layout->size), err);
    return vz_json_uint64(bits, err);
}

static vz_json *render_base64(const vz_type_tree *layout, const uint8_t *data, vz_error *err)
{
    char *text = vz_base64_encode(data, layout->size, err);
    vz_json *value = text ? vz_json_text(text, err) : NULL;
    free(text);
    return value;
}

/* Forms that only HDF5 understands: the nearest common number; the exact bytes go to the
 * annotation. */
static vz_json *render_exotic(const vz_type_tree *layout, const uint8_t *data, bool *exact, vz_error *err)
{
    union {
        double real;
        int64_t integer;
        uint64_t natural;
        uint8_t bytes[64];
    } value = {0};
    const bool real = layout->class == H5T_FLOAT;
    const bool is_signed = !real && layout->class != H5T_BITFIELD && H5Tget_sign(layout->exotic) == H5T_SGN_2;
    const hid_t common = real ? H5T_NATIVE_DOUBLE : is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
    *exact = false;
    if (layout->class == H5T_BITFIELD || layout->size > sizeof value || (!real && layout->size > 8))
        return render_base64(layout, data, err);
    memcpy(value.bytes, data, layout->size);
    if (H5Tconvert(layout->exotic, common, 1, &value, NULL, H5P_DEFAULT) < 0) {
        vz_type_refused(err, "convert a number of this form");
        return NULL;
    }
    return real        ? vz_json_double(value.real, err)
           : is_signed ? vz_json_int64(value.integer, err)
                       : vz_json_uint64(value.natural, err);
}

static vz_json *render_bool(const uint8_t *data, bool *exact, vz_error *err)
{
    if (*data > 1)
        *exact = false;
    return vz_json_bool(*data != 0, err);
}

/* ---- text ---- */

/* The text with what is not UTF-8 replaced. */
static vz_json *render_broken(const char *text, size_t length, vz_error *err)
{
    vz_buffer out = {0};
    bool ok = true;
    while (ok && length) {
        const size_t good = vz_utf8_sequence(text, length, false);
        ok = good ? vz_buffer_append(&out, text, good, err) : vz_buffer_append(&out, REPLACEMENT, 3, err);
        text += good ? good : 1;
        length -= good ? good : 1;
    }
    vz_json *value = ok ? vz_json_string((const char *)out.data, out.size, err) : NULL;
    vz_buffer_clear(&out);
    return value;
}

static vz_json *render_text(const char *text, size_t length, bool *exact, vz_error *err)
{
    if (vz_utf8_valid(text, length))
        return vz_json_string(text, length, err);
    *exact = false;
    return render_broken(text, length, err);
}

static vz_json *render_variable(const uint8_t *data, bool *exact, vz_error *err)
{
    const char *text;
    memcpy(&text, data, sizeof text);
    return render_text(text ? text : "", text ? strlen(text) : 0, exact, err);
}

/* The object that the text of a reference is; null for the null reference. */
static vz_json *render_reference(const uint8_t *data, vz_error *err)
{
    const char *text;
    memcpy(&text, data, sizeof text);
    return text && *text ? vz_json_parse(text, strlen(text), err) : vz_json_null(err);
}

/* The text without padding. Exact if padding it again gives the same bytes, which after an early
 * NUL it does not. */
static vz_json *render_fixed(const vz_type_tree *layout, const uint8_t *data, bool *exact, vz_error *err)
{
    const char *text = (const char *)data;
    const char pad = layout->pad == H5T_STR_SPACEPAD ? ' ' : '\0';
    size_t length = strnlen(text, layout->size);
    while (pad == ' ' && length && text[length - 1] == ' ')
        length--;
    for (size_t i = length; i < layout->size; i++)
        if (text[i] != pad)
            *exact = false;
    return render_text(text, length, exact, err);
}

/* ---- types of types ---- */

static vz_json *render_list(const vz_type_tree *base, const uint8_t *data, size_t count, bool *exact, vz_error *err)
{
    vz_json *list = vz_json_array(err);
    for (size_t i = 0; list && i < count; i++)
        if (!vz_json_append(list, render(base, data + i * base->size, exact, err), err)) {
            vz_json_free(list);
            return NULL;
        }
    return list;
}

static vz_json *render_sequence(const vz_type_tree *layout, const uint8_t *data, bool *exact, vz_error *err)
{
    hvl_t sequence;
    memcpy(&sequence, data, sizeof sequence);
    return render_list(layout->base, sequence.p, sequence.len, exact, err);
}

static vz_json *render_compound(const vz_type_tree *layout, const uint8_t *data, bool *exact, vz_error *err)
{
    vz_json *object = vz_json_object(err);
    for (size_t i = 0; object && i < layout->count; i++) {
        const vz_type_tree_member *member = &layout->members[i];
        if (!vz_json_set(object, member->name, render(member->layout, data + member->offset, exact, err), err)) {
            vz_json_free(object);
            return NULL;
        }
    }
    return object;
}

static vz_json *render(const vz_type_tree *layout, const uint8_t *data, bool *exact, vz_error *err)
{
    if (layout->is_bool)
        return render_bool(data, exact, err);
    if (layout->is_number)
        return render_number(layout, data, exact, err);
    if (layout->exotic >= 0)
        return render_exotic(layout, data, exact, err);
    if (layout->is_complex)
        return render_list(layout->base ? layout->base : layout->members[0].layout, data, 2, exact, err);
    if (layout->is_reference)
        return render_reference(data, err);
    switch (layout->class) {
    case H5T_STRING:
        return layout->is_variable ? render_variable(data, exact, err) : render_fixed(layout, data, exact, err);
    case H5T_ARRAY:
        return render_list(layout->base, data, layout->count, exact, err);
    case H5T_VLEN:
        return render_sequence(layout, data, exact, err);
    case H5T_COMPOUND:
        return render_compound(layout, data, exact, err);
    default:
        return render_base64(layout, data, err);
    }
}

static vz_json *render_dims(const vz_type_tree *layout, unsigned rank, const hsize_t *dims, const uint8_t **data,
                            bool *exact, vz_error *err)
{
    if (rank == 0) {
        const uint8_t *element = *data;
        *data += layout->size;
        return render(layout, element, exact, err);
    }
    vz_json *list = vz_json_array(err);
    for (hsize_t i = 0; list && i < dims[0]; i++)
        if (!vz_json_append(list, render_dims(layout, rank - 1, dims + 1, data, exact, err), err)) {
            vz_json_free(list);
            return NULL;
        }
    return list;
}

vz_json *vz_elements_to_json(const vz_type_tree *layout, unsigned rank, const hsize_t *dims, const uint8_t *data,
                             bool *exact, vz_error *err)
{
    return render_dims(layout, rank, dims, &data, exact, err);
}
