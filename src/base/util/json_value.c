/* json_value.c - values and arrays: making, freeing, reading. Objects are in json_object.c. */
#include "base/util/bytes_internal.h"
#include "base/util/c_library.h"
#include "base/util/json_internal.h"
#include <stdlib.h>

static vz_json *value_new(vz_json_kind kind, size_t extra, vz_error *err)
{
    vz_json *value = extra > SIZE_MAX - sizeof(vz_json) ? NULL : malloc(sizeof *value + extra);
    if (!value) {
        vz_fail_memory(err);
        return NULL;
    }
    *value = (vz_json){.kind = kind};
    return value;
}

static vz_json *text_new(vz_json_kind kind, const char *text, size_t length, vz_error *err)
{
    vz_json *value = length < SIZE_MAX ? value_new(kind, length + 1, err) : NULL;
    if (!value)
        return NULL;
    value->count = length;
    value->text = (char *)(value + 1);
    if (length)
        memcpy(value->text, text, length);
    value->text[length] = '\0';
    return value;
}

vz_json *vz_json_number(vz_json_kind kind, const char *text, size_t length, vz_error *err)
{
    return text_new(kind, text, length, err);
}

vz_json *vz_json_trusted_string(const char *text, size_t length, vz_error *err)
{
    return text_new(VZ_JSON_STRING, text, length, err);
}

vz_json *vz_json_printed(const char *text, size_t length, size_t values, vz_error *err)
{
    vz_json *printed = text_new(VZ_JSON_PRINTED, text, length, err);
    if (printed)
        printed->capacity = values;
    return printed;
}

const char *vz_json_get_printed(const vz_json *value, size_t *length)
{
    if (!value || value->kind != VZ_JSON_PRINTED)
        return NULL;
    *length = value->count;
    return value->text;
}

/* Not where it would be read again as something else. */
static bool is_json_utf8(const char *text, size_t length)
{
    while (length) {
        if ((unsigned char)*text < 0x80) { /* as most are */
            text++;
            length--;
            continue;
        }
        const size_t sequence = vz_utf8_sequence(text, length, true);
        if (!sequence || vz_utf8_is_pair(text, length))
            return false;
        text += sequence;
        length -= sequence;
    }
    return true;
}

vz_json *vz_json_string(const char *text, size_t length, vz_error *err)
{
    if (!is_json_utf8(text, length)) {
        vz_fail(err, VZ_INVALID, "JSON: a string that is not UTF-8");
        return NULL;
    }
    return vz_json_trusted_string(text, length, err);
}

vz_json *vz_json_text(const char *text, vz_error *err)
{
    return vz_json_string(text, strlen(text), err);
}

vz_json *vz_json_null(vz_error *err)
{
    return value_new(VZ_JSON_NULL, 0, err);
}

vz_json *vz_json_bool(bool value, vz_error *err)
{
    return value_new(value ? VZ_JSON_TRUE : VZ_JSON_FALSE, 0, err);
}

vz_json *vz_json_array(vz_error *err)
{
    return value_new(VZ_JSON_ARRAY, 0, err);
}

vz_json *vz_json_object(vz_error *err)
{
    return value_new(VZ_JSON_OBJECT, 0, err);
}

vz_json *vz_json_share(vz_json *value)
{
    value->shares++;
    return value;
}

struct vz_json_member *vz_json_members_memory(const vz_json *object)
{
    size_t places = 0;
    if (object->has_front)
        memcpy(&places, object->members - 1, sizeof places);
    return object->members - places;
}

void vz_json_free(vz_json *value)
{
    if (!value)
        return;
    if (value->shares > 0) {
        value->shares--;
        return;
    }
    if (value->kind == VZ_JSON_ARRAY) {
        for (size_t i = 0; i < value->count; i++)
            vz_json_free(value->items[i]);
        free(value->items);
        free(value->index);
    } else if (value->kind == VZ_JSON_OBJECT) {
        for (size_t i = 0; i < value->count; i++) {
            vz_json_key_free(value->members[i].key);
            vz_json_free(value->members[i].value);
        }
        free(vz_json_members_memory(value));
        free(value->index);
    }
    free(value);
}

static void overwrite(vz_json *value)
{
    for (size_t i = 0; i < vz_json_length(value); i++)
        overwrite(value->kind == VZ_JSON_ARRAY ? value->items[i] : value->members[i].value);
    if (value->kind == VZ_JSON_STRING || value->kind == VZ_JSON_INTEGER || value->kind == VZ_JSON_REAL)
        vz_wipe(value->text, value->count);
}

void vz_json_free_secret(vz_json *value)
{
    if (value)
        overwrite(value);
    vz_json_free(value);
}

bool vz_json_grow(vz_json *value, void **elements, size_t size, vz_error *err)
{
    if (value->count < value->capacity)
        return true;
    const size_t capacity = value->capacity ? 2 * value->capacity : 4;
    if (capacity > UINT32_MAX / 4)
        return vz_fail(err, VZ_LIMIT, "JSON: more than %zu elements", value->capacity);
    void *larger = realloc(*elements, capacity * size);
    if (!larger)
        return vz_fail_memory(err);
    *elements = larger;
    value->capacity = capacity;
    return true;
}

bool vz_json_append(vz_json *array, vz_json *take, vz_error *err)
{
    if (!take)
        return false;
    if (!array || array->kind != VZ_JSON_ARRAY) {
        vz_json_free(take);
        return vz_fail(err, VZ_INVALID, "JSON: cannot append to %s", vz_json_kind_name(array));
    }
    vz_json_changes(array);
    void *items = array->items;
    const bool ok = vz_json_grow(array, &items, sizeof *array->items, err);
    array->items = items;
    if (!ok) {
        vz_json_free(take);
        return false;
    }
    array->items[array->count++] = take;
    return true;
}

vz_json_kind vz_json_kind_of(const vz_json *value)
{
    return value ? value->kind : VZ_JSON_NULL;
}

const char *vz_json_kind_name(const vz_json *value)
{
    static const char *const names[] = {
        [VZ_JSON_NULL] = "null",          [VZ_JSON_FALSE] = "false",      [VZ_JSON_TRUE] = "true",
        [VZ_JSON_INTEGER] = "an integer", [VZ_JSON_REAL] = "a real",      [VZ_JSON_STRING] = "a string",
        [VZ_JSON_ARRAY] = "an array",     [VZ_JSON_OBJECT] = "an object", [VZ_JSON_PRINTED] = "a text",
    };
    return value ? names[value->kind] : "nothing";
}

bool vz_json_get_bool(const vz_json *value, bool *out)
{
    if (!value || (value->kind != VZ_JSON_TRUE && value->kind != VZ_JSON_FALSE))
        return false;
    *out = value->kind == VZ_JSON_TRUE;
    return true;
}

const char *vz_json_get_string(const vz_json *value, size_t *length)
{
    if (!value || value->kind != VZ_JSON_STRING)
        return NULL;
    if (length)
        *length = value->count;
    return value->text;
}

bool vz_json_is(const vz_json *value, const char *text)
{
    return value && value->kind == VZ_JSON_STRING && value->count == strlen(text) &&
           memcmp(value->text, text, value->count) == 0;
}

size_t vz_json_length(const vz_json *value)
{
    return value && (value->kind == VZ_JSON_ARRAY || value->kind == VZ_JSON_OBJECT) ? value->count : 0;
}

vz_json *vz_json_at(const vz_json *array, size_t index)
{
    return array && array->kind == VZ_JSON_ARRAY && index < array->count ? array->items[index] : NULL;
}
