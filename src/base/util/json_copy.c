/* json_copy.c - whole values: copied, compared. */
#include "base/util/json_internal.h"

/* To an object that has those before it. */
static bool copy_member(const struct vz_json_member *member, vz_json *to, vz_error *err)
{
    vz_json *value = vz_json_copy(member->value, err);
    const char *key = value ? vz_json_key_new(member->key, strlen(member->key), err) : NULL;
    if (key)
        return vz_json_add_key(to, key, value, err);
    vz_json_free(value);
    return false;
}

static bool copy_elements(const vz_json *from, vz_json *to, vz_error *err)
{
    if (from->kind == VZ_JSON_ARRAY) {
        for (size_t i = 0; i < from->count; i++)
            if (!vz_json_append(to, vz_json_copy(from->items[i], err), err))
                return false;
        return true;
    }
    for (size_t i = 0; i < from->count; i++)
        if (!copy_member(&from->members[i], to, err))
            return false;
    return true;
}

static vz_json *empty_like(const vz_json *value, vz_error *err)
{
    return value->kind == VZ_JSON_ARRAY ? vz_json_array(err) : vz_json_object(err);
}

vz_json *vz_json_copy(const vz_json *value, vz_error *err)
{
    switch (value->kind) {
    case VZ_JSON_INTEGER:
    case VZ_JSON_REAL:
        return vz_json_number(value->kind, value->text, value->count, err);
    case VZ_JSON_STRING:
        return vz_json_trusted_string(value->text, value->count, err);
    case VZ_JSON_ARRAY:
    case VZ_JSON_OBJECT:
        break;
    case VZ_JSON_PRINTED:
        return vz_json_printed(value->text, value->count, value->capacity, err);
    case VZ_JSON_NULL:
        return vz_json_null(err);
    default:
        return vz_json_bool(value->kind == VZ_JSON_TRUE, err);
    }
    vz_json *copy = empty_like(value, err);
    if (copy && !copy_elements(value, copy, err)) {
        vz_json_free(copy);
        return NULL;
    }
    return copy;
}

vz_json *vz_json_share_members(const vz_json *object, vz_error *err)
{
    vz_json *copy = vz_json_object(err);
    for (size_t i = 0; copy && i < vz_json_length(object); i++) {
        const struct vz_json_member *member = &object->members[i];
        const char *key = vz_json_key_new(member->key, strlen(member->key), err);
        if (!key || !vz_json_add_key(copy, key, vz_json_share(member->value), err)) {
            vz_json_free(copy);
            return NULL;
        }
    }
    return copy;
}

bool vz_json_own(vz_json **value, vz_error *err)
{
    if (!*value || (*value)->shares == 0)
        return true;
    vz_json *copy = vz_json_copy(*value, err);
    if (!copy)
        return false;
    vz_json_free(*value);
    *value = copy;
    return true;
}

static bool equal_text(const vz_json *a, const vz_json *b)
{
    return a->count == b->count && memcmp(a->text, b->text, a->count) == 0;
}

static bool is_integer_zero(const vz_json *value)
{
    return strcmp(value->text, "0") == 0 || strcmp(value->text, "-0") == 0;
}

static bool equal_reals(const vz_json *a, const vz_json *b)
{
    double x, y;
    return vz_json_get_double(a, &x) && vz_json_get_double(b, &y) && x == y;
}

static bool equal_items(const vz_json *a, const vz_json *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (!vz_json_equal(a->items[i], b->items[i]))
            return false;
    return true;
}

static bool equal_members(const vz_json *a, const vz_json *b)
{
    for (size_t i = 0; i < a->count; i++) {
        const vz_json *other = vz_json_get(b, a->members[i].key);
        if (!other || !vz_json_equal(a->members[i].value, other))
            return false;
    }
    return true;
}

bool vz_json_equal(const vz_json *a, const vz_json *b)
{
    if (!a || !b || a == b)
        return a == b;
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case VZ_JSON_INTEGER: /* integers have one text each, but zero */
        return equal_text(a, b) || (is_integer_zero(a) && is_integer_zero(b));
    case VZ_JSON_REAL:
        return equal_text(a, b) || equal_reals(a, b);
    case VZ_JSON_STRING:
    case VZ_JSON_PRINTED:
        return equal_text(a, b);
    case VZ_JSON_ARRAY:
        return a->count == b->count && equal_items(a, b);
    case VZ_JSON_OBJECT:
        return a->count == b->count && equal_members(a, b);
    default:
        return true;
    }
}
