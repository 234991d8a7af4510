/* json_element.c - elements of object arrays as JSON values, and back. */
#include "hdf5/types/elements_internal.h"
#include "hdf5/types/elements.h"
#include <stdlib.h>

#define BYTES "__bytes__"

bool vz_type_json_item_fits(const vz_type_tree *layout, const vz_dtype *record)
{
    if (layout->has_sequences)
        return false;
    if (!record)
        return true;
    if (layout->class != H5T_COMPOUND || layout->count != record->field_count)
        return false;
    for (size_t i = 0; i < layout->count; i++)
        if (strcmp(record->fields[i].name, layout->members[i].name) != 0)
            return false;
    return true;
}

/* ---- reading ---- */

static bool parse(const vz_type_tree *layout, const vz_json *value, uint8_t *out, vz_arena *arena, vz_error *err);

static bool wrong(const char *what, const vz_json *value, vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "a stored value is %s, which is no %s", vz_json_kind_name(value), what);
}

/* 0, 0.0, false, "" and null */
static bool is_zero(const vz_json *value)
{
    double number;
    bool truth;
    return vz_json_kind_of(value) == VZ_JSON_NULL || vz_json_is(value, "") ||
           (vz_json_get_double(value, &number) && number == 0) || (vz_json_get_bool(value, &truth) && !truth);
}

static bool put_text(const char *text, size_t length, uint8_t *out, vz_arena *arena, vz_error *err)
{
    if (length && memchr(text, '\0', length)) /* readers would take it for the end */
        return vz_fail(err, VZ_UNSUPPORTED, "text with a NUL character in it cannot be shown as an HDF5 string");
    char *copy = vz_arena_alloc(arena, length + 1, err);
    if (!copy)
        return false;
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    memcpy(out, &copy, sizeof copy);
    return true;
}

static bool put_json(const vz_json *value, uint8_t *out, vz_arena *arena, vz_error *err)
{
    vz_buffer text = {0};
    const bool ok =
        vz_json_print(value, 0, &text, err) && put_text((const char *)text.data, text.size, out, arena, err);
    vz_buffer_clear(&text);
    return ok;
}

static bool parse_variable(const vz_json *value, uint8_t *out, vz_arena *arena, vz_error *err)
{
    size_t length = 0;
    const char *text = vz_json_get_string(value, &length);
    if (text || vz_json_kind_of(value) == VZ_JSON_NULL)
        return put_text(text ? text : "", length, out, arena, err);
    return put_json(value, out, arena, err);
}

static bool parse_reference(const vz_json *value, uint8_t *out, vz_arena *arena, vz_error *err)
{
    size_t length;
    const char *text = vz_json_get_string(value, &length);
    if (vz_json_kind_of(value) == VZ_JSON_OBJECT)
        return put_json(value, out, arena, err);
    if (text && length)
        return put_text(text, length, out, arena, err);
    return is_zero(value) || wrong("reference", value, err);
}

/* A part of a compound, where 0 is no text. */
static bool parse_part(const vz_type_tree *layout, const vz_json *value, uint8_t *out, vz_arena *arena, vz_error *err)
{
    return (layout->is_variable && !vz_json_get_string(value, NULL) && is_zero(value)) ||
           parse(layout, value, out, arena, err);
}

static bool parse_row(const vz_type_tree *layout, const vz_json *row, uint8_t *out, vz_arena *arena, vz_error *err)
{
    if (vz_json_kind_of(row) != VZ_JSON_ARRAY)
        return is_zero(row) || wrong("row of a compound", row, err);
    if (vz_json_length(row) != layout->count)
        return vz_fail(err, VZ_CORRUPT, "a stored row has %zu values, the compound %zu members", vz_json_length(row),
                       layout->count);
    for (size_t i = 0; i < layout->count; i++)
        if (!parse_part(layout->members[i].layout, vz_json_at(row, i), out + layout->members[i].offset, arena, err))
            return false;
    return true;
}

static bool parse_array(const vz_type_tree *layout, const vz_json *list, uint8_t *out, vz_arena *arena, vz_error *err)
{
    const vz_type_tree *base = layout->base;
    if (vz_json_kind_of(list) != VZ_JSON_ARRAY)
        return is_zero(list) || wrong("list", list, err);
    if (vz_json_length(list) != layout->count)
        return vz_fail(err, VZ_CORRUPT, "a stored list has %zu values, the array member %zu elements",
                       vz_json_length(list), layout->count);
    for (size_t i = 0; i < layout->count; i++)
        if (!parse_part(base, vz_json_at(list, i), out + i * base->size, arena, err))
            return false;
    return true;
}

static bool parse_record(const vz_type_tree *layout, vz_bytes bytes, uint8_t *out, vz_arena *arena, vz_error *err)
{
    return vz_record_read(layout, &bytes, out, arena, err) &&
           (bytes.size == 0 || vz_fail(err, VZ_CORRUPT, "stored bytes of a member are too many"));
}

static bool parse_bytes(const vz_type_tree *layout, const char *base64, size_t length, uint8_t *out, vz_arena *arena,
                        vz_error *err)
{
    vz_buffer bytes = {0};
    bool ok = vz_base64_decode(base64, length, &bytes, err);
    if (ok && layout->is_variable)
        ok = put_text((const char *)bytes.data, bytes.size, out, arena, err);
    else if (ok)
        ok = parse_record(layout, (vz_bytes){bytes.data, bytes.size}, out, arena, err);
    vz_buffer_clear(&bytes);
    return ok;
}

/* numpy's rows and foreign writers have true for 1. */
static bool parse_plain(const vz_type_tree *layout, const vz_json *value, uint8_t *out, vz_arena *arena, vz_error *err)
{
    bool truth;
    int64_t number;
    if (vz_elements_from_json(layout, 0, NULL, value, out, arena) || vz_json_kind_of(value) == VZ_JSON_NULL)
        return true;
    vz_json *other = NULL;
    if (layout->is_number && vz_json_get_bool(value, &truth))
        other = vz_json_int64(truth, err);
    else if (layout->is_bool && vz_json_get_int64(value, &number) && (number == 0 || number == 1))
        other = vz_json_bool(number, err);
    const bool ok = other && vz_elements_from_json(layout, 0, NULL, other, out, arena);
    vz_json_free(other);
    if (ok)
        return true;
    memset(out, 0, layout->size);
    return is_zero(value) || wrong("value of its member's type", value, err);
}

static bool parse(const vz_type_tree *layout, const vz_json *value, uint8_t *out, vz_arena *arena, vz_error *err)
{
    size_t length;
    const char *base64 = vz_json_length(value) == 1 ? vz_json_get_string(vz_json_get(value, BYTES), &length) : NULL;
    if (base64 && !layout->is_reference)
        return parse_bytes(layout, base64, length, out, arena, err);
    if (layout->is_reference)
        return parse_reference(value, out, arena, err);
    if (layout->class == H5T_STRING && layout->is_variable)
        return parse_variable(value, out, arena, err);
    if (layout->class == H5T_COMPOUND && !layout->is_complex)
        return parse_row(layout, value, out, arena, err);
    if (layout->class == H5T_ARRAY)
        return parse_array(layout, value, out, arena, err);
    return parse_plain(layout, value, out, arena, err);
}

/* Strings without escapes, and objects for references, are most of what there is: they need no
 * tree. */
static bool parse_quickly(const vz_type_tree *layout, vz_item item, uint8_t *out, vz_arena *arena, bool *parsed,
                          vz_error *err)
{
    const char *text = (const char *)item.data;
    const size_t size = (size_t)item.size;
    *parsed = true;
    if (layout->is_reference && text[0] == '{')
        return put_text(text, size, out, arena, err);
    if (layout->class == H5T_STRING && layout->is_variable && size >= 2 && text[0] == '"' && !memchr(text, '\\', size))
        return put_text(text + 1, size - 2, out, arena, err);
    *parsed = false;
    return true;
}

bool vz_type_json_item_read(const vz_type_tree *layout, bool member, vz_item item, uint8_t *out, vz_arena *arena,
                            vz_error *err)
{
    bool parsed = item.size == 0;
    if (!parsed && !parse_quickly(layout, item, out, arena, &parsed, err))
        return false;
    if (parsed)
        return true;
    vz_json *value = vz_json_parse((const char *)item.data, (size_t)item.size, err);
    const bool ok =
        value && (member ? parse_part(layout, value, out, arena, err) : parse(layout, value, out, arena, err));
    vz_json_free(value);
    return ok;
}

/* ---- writing ---- */

static vz_json *render(const vz_type_tree *layout, const uint8_t *in, vz_error *err);

static vz_json *render_list(const vz_type_tree *layout, const uint8_t *in, vz_error *err)
{
    const bool row = layout->class == H5T_COMPOUND;
    vz_json *list = vz_json_array(err);
    for (size_t i = 0; list && i < layout->count; i++) {
        vz_json *value = row ? render(layout->members[i].layout, in + layout->members[i].offset, err)
                             : render(layout->base, in + i * layout->base->size, err);
        if (!vz_json_append(list, value, err)) {
            vz_json_free(list);
            return NULL;
        }
    }
    return list;
}

static vz_json *render_bytes(const vz_type_tree *layout, const uint8_t *in, vz_error *err)
{
    vz_buffer bytes = {0};
    const char *text = NULL;
    if (layout->is_variable)
        memcpy(&text, in, sizeof text);
    bool ok = text ? vz_buffer_append(&bytes, text, strlen(text), err) : vz_record_write(layout, in, &bytes, err);
    char *base64 = ok ? vz_base64_encode(bytes.data, bytes.size, err) : NULL;
    vz_json *object = base64 ? vz_json_object(err) : NULL;
    ok = object && vz_json_set_text(object, BYTES, base64, err);
    free(base64);
    vz_buffer_clear(&bytes);
    if (ok)
        return object;
    vz_json_free(object);
    return NULL;
}

static vz_json *render(const vz_type_tree *layout, const uint8_t *in, vz_error *err)
{
    bool exact = true;
    if ((layout->class == H5T_COMPOUND && !layout->is_complex) || layout->class == H5T_ARRAY)
        return render_list(layout, in, err);
    vz_json *value = vz_elements_to_json(layout, 0, NULL, in, &exact, err);
    if (!value || exact)
        return value;
    vz_json_free(value);
    return render_bytes(layout, in, err);
}

bool vz_type_json_item_write(const vz_type_tree *layout, const uint8_t *in, vz_item *item, vz_arena *arena,
                             vz_error *err)
{
    vz_buffer text = {0};
    uint8_t *copy = NULL;
    vz_json *value = render(layout, in, err);
    if (value && vz_json_print(value, 0, &text, err))
        copy = vz_arena_copy(arena, text.data, text.size, err);
    *item = (vz_item){copy, copy ? text.size : 0};
    vz_buffer_clear(&text);
    vz_json_free(value);
    return copy != NULL;
}
