/* json_to_element.c - JSON values as elements of an HDF5 type. A value that does not fit is
 * refused, never changed. */
#include "hdf5/types/elements.h"
#include "codec/codec/codec.h"
#include "metadata/metadata/metadata.h"
#include <math.h>

static bool parse(const vz_type_tree *layout, const vz_json *value, uint8_t *data, vz_arena *arena);

/* ---- numbers ---- */

static bool parse_real(const vz_type_tree *layout, const vz_json *value, uint8_t *data)
{
    double number;
    if (!vz_json_get_double(value, &number))
        return false;
    const uint64_t bits = vz_real_to_bits(number, layout->size);
    if (isfinite(number) && !isfinite(vz_real_from_bits(bits, layout->size)))
        return false;
    vz_scalar_store(bits, layout->size, layout->number.big_endian, data);
    return true;
}

static bool parse_signed(const vz_type_tree *layout, const vz_json *value, uint8_t *data)
{
    int64_t number;
    if (!vz_json_get_int64(value, &number) || vz_scalar_signed((uint64_t)number, layout->size) != number)
        return false;
    vz_scalar_store((uint64_t)number, layout->size, layout->number.big_endian, data);
    return true;
}

static bool parse_unsigned(const vz_type_tree *layout, const vz_json *value, uint8_t *data)
{
    uint64_t number;
    if (!vz_json_get_uint64(value, &number) || (layout->size < 8 && number >> (8 * layout->size)))
        return false;
    vz_scalar_store(number, layout->size, layout->number.big_endian, data);
    return true;
}

static bool parse_number(const vz_type_tree *layout, const vz_json *value, uint8_t *data)
{
    if (layout->number.kind == VZ_NUMBER_FLOAT)
        return parse_real(layout, value, data);
    return layout->number.kind == VZ_NUMBER_INT ? parse_signed(layout, value, data)
                                                : parse_unsigned(layout, value, data);
}

static bool parse_base64(const vz_type_tree *layout, const vz_json *value, uint8_t *data)
{
    size_t length;
    const char *text = vz_json_get_string(value, &length);
    vz_buffer out = vz_buffer_borrow(data, layout->size);
    return text && vz_base64_decode(text, length, &out, NULL) && out.size == layout->size;
}

/* Numbers of odd forms, as another program left them: HDF5 converts, and must give the same
 * number back. */
static bool parse_exotic(const vz_type_tree *layout, const vz_json *value, uint8_t *data)
{
    union {
        double real;
        int64_t integer;
        uint64_t natural;
        uint8_t bytes[64];
    } number = {0}, again;
    if (layout->class == H5T_BITFIELD || layout->size > sizeof number)
        return parse_base64(layout, value, data);
    hid_t common = H5T_NATIVE_DOUBLE;
    if (layout->class == H5T_FLOAT
            ? !vz_json_get_double(value, &number.real)
            : !vz_json_get_int64(value, &number.integer) && !vz_json_get_uint64(value, &number.natural))
        return false;
    if (layout->class != H5T_FLOAT)
        common = vz_json_get_int64(value, &again.integer) ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
    const uint64_t before = number.natural;
    if (H5Tconvert(common, layout->exotic, 1, &number, NULL, H5P_DEFAULT) < 0)
        return false;
    again = number;
    memcpy(data, number.bytes, layout->size);
    return H5Tconvert(layout->exotic, common, 1, &again, NULL, H5P_DEFAULT) >= 0 &&
           (layout->class == H5T_FLOAT || again.natural == before);
}

static bool parse_bool(const vz_json *value, uint8_t *data)
{
    bool truth;
    if (!vz_json_get_bool(value, &truth))
        return false;
    *data = truth;
    return true;
}

/* ---- text ---- */

static bool parse_variable(const vz_json *value, uint8_t *data, vz_arena *arena)
{
    size_t length;
    const char *text = vz_json_get_string(value, &length);
    if (text && strlen(text) != length)
        return false;
    const char *copy = text ? vz_arena_copy(arena, text, length + 1, NULL) : NULL;
    memcpy(data, &copy, sizeof copy);
    return copy != NULL;
}

static bool parse_fixed(const vz_type_tree *layout, const vz_json *value, uint8_t *data)
{
    size_t length;
    const char *text = vz_json_get_string(value, &length);
    /* A NUL-terminated string that fills its element is legal, if unwise. */
    if (!text || length > layout->size)
        return false;
    memcpy(data, text, length);
    memset(data + length, layout->pad == H5T_STR_SPACEPAD ? ' ' : '\0', layout->size - length);
    return true;
}

/* Its JSON, or a path, as format 3 has them (reference.h). */
static bool is_text_of_reference(const vz_json *value)
{
    const char *text = vz_json_get_string(value, NULL);
    return text && (!*text || *text == '{' || *text == '/');
}

static bool parse_reference(const vz_json *value, uint8_t *data, vz_arena *arena)
{
    vz_buffer text = {0};
    const char *copy = "";
    bool ok = true;
    if (vz_json_kind_of(value) == VZ_JSON_OBJECT) {
        ok = vz_json_print(value, 0, &text, NULL) && vz_buffer_append(&text, "", 1, NULL);
        copy = ok ? vz_arena_copy(arena, text.data, text.size, NULL) : NULL;
        vz_buffer_clear(&text);
    } else if (is_text_of_reference(value))
        return parse_variable(value, data, arena);
    else if (vz_json_kind_of(value) != VZ_JSON_NULL)
        return false;
    memcpy(data, &copy, sizeof copy);
    return copy != NULL;
}

/* ---- types of types ---- */

static bool parse_list(const vz_type_tree *base, const vz_json *list, size_t count, uint8_t *data, vz_arena *arena)
{
    if (vz_json_kind_of(list) != VZ_JSON_ARRAY || vz_json_length(list) != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!parse(base, vz_json_at(list, i), data + i * base->size, arena))
            return false;
    return true;
}

static bool parse_sequence(const vz_type_tree *layout, const vz_json *value, uint8_t *data, vz_arena *arena)
{
    uint64_t size;
    hvl_t sequence = {.len = vz_json_length(value)};
    if (!vz_mul(sequence.len, layout->base->size, &size))
        return false;
    if (sequence.len && !(sequence.p = vz_arena_alloc(arena, size, NULL)))
        return false;
    if (sequence.len)
        memset(sequence.p, 0, size);
    memcpy(data, &sequence, sizeof sequence);
    return parse_list(layout->base, value, sequence.len, sequence.p, arena);
}

static bool parse_compound(const vz_type_tree *layout, const vz_json *value, uint8_t *data, vz_arena *arena)
{
    if (vz_json_kind_of(value) != VZ_JSON_OBJECT || vz_json_length(value) != layout->count)
        return false;
    for (size_t i = 0; i < layout->count; i++) {
        const vz_type_tree_member *member = &layout->members[i];
        const vz_json *part = vz_json_get(value, member->name);
        if (!part || !parse(member->layout, part, data + member->offset, arena))
            return false;
    }
    return true;
}

static bool parse(const vz_type_tree *layout, const vz_json *value, uint8_t *data, vz_arena *arena)
{
    if (layout->is_bool)
        return parse_bool(value, data);
    if (layout->is_number)
        return parse_number(layout, value, data);
    if (layout->exotic >= 0)
        return parse_exotic(layout, value, data);
    if (layout->is_complex)
        return parse_list(layout->base ? layout->base : layout->members[0].layout, value, 2, data, arena);
    if (layout->is_reference)
        return parse_reference(value, data, arena);
    switch (layout->class) {
    case H5T_STRING:
        return layout->is_variable ? parse_variable(value, data, arena) : parse_fixed(layout, value, data);
    case H5T_ARRAY:
        return parse_list(layout->base, value, layout->count, data, arena);
    case H5T_VLEN:
        return parse_sequence(layout, value, data, arena);
    case H5T_COMPOUND:
        return parse_compound(layout, value, data, arena);
    default:
        return parse_base64(layout, value, data);
    }
}

static bool parse_dims(const vz_type_tree *layout, unsigned rank, const hsize_t *dims, const vz_json *value,
                       uint8_t **data, vz_arena *arena)
{
    if (rank == 0) {
        uint8_t *element = *data;
        *data += layout->size;
        return parse(layout, value, element, arena);
    }
    if (vz_json_kind_of(value) != VZ_JSON_ARRAY || vz_json_length(value) != dims[0])
        return false;
    for (hsize_t i = 0; i < dims[0]; i++)
        if (!parse_dims(layout, rank - 1, dims + 1, vz_json_at(value, i), data, arena))
            return false;
    return true;
}

bool vz_elements_from_json(const vz_type_tree *layout, unsigned rank, const hsize_t *dims, const vz_json *value,
                           uint8_t *data, vz_arena *arena)
{
    return parse_dims(layout, rank, dims, value, &data, arena);
}
