/* check_elements.c - references in the elements of arrays: texts, rows, fields of compounds, and
 * sequences of them. Their targets are noted. */
#include "command/check/check_internal.h"
#include "metadata/metadata/metadata.h"
#include <stdlib.h>

#define ITEM_VALUES 65536 /* values in the text of one element */
#define TEXT_MIN    12    /* bytes of a reference at least: {"path":"/"} */

static bool is_reference_type(const vz_json *type)
{
    bool is = vz_json_is(type, "object") || vz_json_is(type, "object_reference");
    for (size_t i = 0; !is && type && vz_json_kind_of(type) == VZ_JSON_ARRAY && i < vz_json_length(type); i++)
        is = vz_json_is(vz_json_get(vz_json_at(type, i), "dtype"), "object");
    return is;
}

bool vz_check_is_of_references(const vz_json *attributes)
{
    const char *annotation = vz_json_get_string(vz_json_get(attributes, VZ_ANNOTATION), NULL);
    return is_reference_type(vz_json_get(attributes, "zarr_dtype")) ||
           is_reference_type(vz_json_get(attributes, "_DTYPE")) || vz_json_get(attributes, "_REFERENCE_FIELDS") ||
           (annotation && strstr(annotation, "{\"ref\":\""));
}

static void note_json(vz_check *check, const char *array, const char *text, size_t size)
{
    vz_json *value = vz_json_parse_within(text, size, ITEM_VALUES, NULL);
    vz_check_each_reference(check, array, value, vz_check_note, NULL);
    vz_json_free(value);
}

static void note_path(vz_check *check, const char *array, const char *text, size_t size)
{
    char *path = strndup(text, size);
    const vz_check_target target = {.path = path};
    if (path)
        vz_check_note(check, array, &target, NULL);
    free(path);
}

/* ---- elements of any length ---- */

/* The text of a reference, or of a row with some in it, or a path. */
static void note_text(vz_check *check, const char *array, const char *text, size_t size)
{
    if (*text == '/')
        note_path(check, array, text, size);
    else if (*text == '{' || *text == '[')
        note_json(check, array, text, size);
}

/* A sequence, packed: the text of a reference stands behind its length. */
static void note_packed(vz_check *check, const char *array, const uint8_t *bytes, size_t size)
{
    for (size_t at = sizeof(uint32_t); at + TEXT_MIN <= size; at++) {
        const uint32_t length = bytes[at] == '{' ? vz_bytes_load_le32(bytes + at - sizeof(uint32_t)) : 0;
        if (length < TEXT_MIN || length > size - at || bytes[at + length - 1] != '}')
            continue;
        note_json(check, array, (const char *)bytes + at, length);
        at += length - 1;
    }
}

void vz_check_note_items(vz_check *check, const char *array, const vz_dtype *dtype, const vz_item *items, size_t count)
{
    for (size_t i = 0; i < count && check->hierarchy; i++)
        if (items[i].size && dtype->object == VZ_OBJECT_BYTES)
            note_packed(check, array, items[i].data, (size_t)items[i].size);
        else if (items[i].size)
            note_text(check, array, (const char *)items[i].data, (size_t)items[i].size);
}

/* ---- elements of one size ---- */

static bool is_path_field(const vz_json *path_fields, const char *name)
{
    for (size_t i = 0; path_fields && i < vz_json_length(path_fields); i++)
        if (vz_json_is(vz_json_at(path_fields, i), name))
            return true;
    return false;
}

/* Text of code points, which ends with its field or at the first NUL. */
static void note_code_points(vz_check *check, const char *array, const vz_dtype *dtype, bool is_path, const uint8_t *at)
{
    enum { CODE = 4 };
    const uint64_t first = dtype->size >= CODE ? vz_scalar_load(at, CODE, dtype->big_endian) : 0;
    if (first != '{' && !(is_path && first == '/'))
        return;
    vz_buffer text = {0};
    bool ok = true;
    for (size_t i = 0; ok && i + CODE <= dtype->size; i += CODE) {
        uint8_t utf8[CODE];
        const uint32_t code = (uint32_t)vz_scalar_load(at + i, CODE, dtype->big_endian);
        if (!code)
            break;
        ok = vz_buffer_append(&text, utf8, vz_scalar_utf8(code, utf8), NULL);
    }
    if (ok && first == '{')
        note_json(check, array, (const char *)text.data, text.size);
    else if (ok)
        note_path(check, array, (const char *)text.data, text.size);
    vz_buffer_clear(&text);
}

static void note_fields(vz_check *check, const char *array, const vz_dtype *dtype, const vz_json *path_fields,
                        bool is_path, const uint8_t *at)
{
    if (dtype->kind == VZ_DTYPE_UNICODE)
        note_code_points(check, array, dtype, is_path, at);
    for (size_t i = 0; dtype->kind == VZ_DTYPE_STRUCT && i < dtype->field_count; i++) {
        const vz_dtype_field *field = &dtype->fields[i];
        uint64_t count = 1;
        for (unsigned d = 0; d < field->rank; d++)
            count *= field->dims[d]; /* of the dtype, whose size was found to be sound */
        for (uint64_t k = 0; k < count; k++)
            note_fields(check, array, field->dtype, NULL, is_path || is_path_field(path_fields, field->name),
                        at + field->offset + k * field->dtype->size);
    }
}

static bool has_text(const vz_dtype *dtype)
{
    bool has = dtype->kind == VZ_DTYPE_UNICODE;
    for (size_t i = 0; !has && dtype->kind == VZ_DTYPE_STRUCT && i < dtype->field_count; i++)
        has = has_text(dtype->fields[i].dtype);
    return has;
}

void vz_check_note_elements(vz_check *check, const char *array, const vz_dtype *dtype, const vz_json *path_fields,
                            const uint8_t *elements, size_t count)
{
    for (size_t i = 0; i < count && check->hierarchy && has_text(dtype); i++)
        note_fields(check, array, dtype, path_fields, false, elements + i * dtype->size);
}
