/* json_object.c - objects: members in order, and beyond a few of them a hash index that finds a
 * key. The index is kept current by every change, so that readers in several threads change
 * nothing. */
#include "base/util/hash_internal.h"
#include "base/util/bytes_internal.h"
#include "base/util/json_internal.h"
#include <stdlib.h>

#define SMALL_COUNT 8u /* up to so many members are looked through one by one */

/* The seed differs from object to object, so that keys in a hostile store cannot be chosen to
 * collide. */
static uint64_t hash_of(const vz_json *object, const char *key)
{
    return vz_hash_key(key, strlen(key), (uint64_t)(uintptr_t)object);
}

/* ---- members that left ---- */

/* Places before the first member. */
static size_t front_of(const vz_json *object)
{
    return (size_t)(object->members - vz_json_members_memory(object));
}

/* Programs that delete all members of a large object mostly begin at its first one. The others stay
 * where they are. */
static void leave_front(vz_json *object)
{
    const size_t places = front_of(object) + 1;
    memcpy(object->members, &places, sizeof places);
    object->members++;
    object->capacity--;
    object->has_front = true;
}

static void fill_front(vz_json *object)
{
    struct vz_json_member *memory = vz_json_members_memory(object);
    object->capacity += front_of(object);
    memmove(memory, object->members, object->count * sizeof *memory);
    object->members = memory;
    object->has_front = false;
}

/* ---- members ---- */

/* Room for one more member, also in the index where one more makes too many to be looked
 * through. */
static bool make_room(vz_json *object, vz_error *err)
{
    if (object->has_front && object->count == object->capacity)
        fill_front(object);
    void *members = object->members;
    const bool ok = vz_json_grow(object, &members, sizeof *object->members, err);
    object->members = members;
    if (!ok || object->count < SMALL_COUNT)
        return ok;
    const bool is_first = !object->index;
    if (!vz_hash_index_reserve(&object->index, object->count + 1, err))
        return false;
    for (size_t i = 0; is_first && i < object->count; i++)
        vz_hash_index_add(object->index, hash_of(object, object->members[i].key), i);
    return true;
}

static struct vz_json_member *find(const vz_json *object, const char *key)
{
    size_t cursor = 0, at = 0;
    if (object->index && !object->has_text) {
        const uint64_t hash = hash_of(object, key);
        while (vz_hash_index_next(object->index, hash, &cursor, &at))
            if (strcmp(object->members[at].key, key) == 0)
                return &object->members[at];
        return NULL;
    }
    for (; at < object->count; at++) /* most keys differ in their first letter */
        if (object->members[at].key[0] == key[0] && strcmp(object->members[at].key, key) == 0)
            return &object->members[at];
    return NULL;
}

static bool is_object(const vz_json *value)
{
    return value && value->kind == VZ_JSON_OBJECT;
}

static struct vz_json_member *find_key(const vz_json *object, const char *key)
{
    return is_object(object) ? find(object, key) : NULL;
}

/* Keys hold what strings may, and NUL as C0 80. */
static bool is_key(const char *key)
{
    size_t left = strlen(key);
    while (left) {
        if ((unsigned char)*key < 0x80) { /* as most are */
            key++;
            left--;
            continue;
        }
        size_t length = vz_utf8_sequence(key, left, true);
        if (!length && left >= 2 && memcmp(key, "\xC0\x80", 2) == 0)
            length = 2;
        if (!length || vz_utf8_is_pair(key, left))
            return false;
        key += length;
        left -= length;
    }
    return true;
}

bool vz_json_set_key(vz_json *object, const char *key, vz_json *take, vz_error *err)
{
    struct vz_json_member *member = find(object, key);
    if (!member)
        return vz_json_add_key(object, key, take, err);
    vz_json_changes(object);
    vz_json_key_free(key);
    vz_json_free(member->value);
    member->value = take;
    return true;
}

bool vz_json_add_key(vz_json *object, const char *key, vz_json *take, vz_error *err)
{
    vz_json_changes(object);
    if (!make_room(object, err)) {
        vz_json_key_free(key);
        vz_json_free(take);
        return false;
    }
    if (object->index)
        vz_hash_index_add(object->index, hash_of(object, key), object->count);
    object->members[object->count++] = (struct vz_json_member){.key = key, .value = take};
    return true;
}

static const char *key_copy(const char *key, vz_error *err)
{
    if (is_key(key))
        return vz_json_key_new(key, strlen(key), err);
    vz_fail(err, VZ_INVALID, "JSON: a key that is not UTF-8");
    return NULL;
}

bool vz_json_set(vz_json *object, const char *key, vz_json *take, vz_error *err)
{
    if (!take)
        return false;
    const char *copy = NULL;
    if (!is_object(object))
        vz_fail(err, VZ_INVALID, "JSON: %s has no keys", vz_json_kind_name(object));
    else
        copy = key_copy(key, err);
    if (!copy) {
        vz_json_free(take);
        return false;
    }
    return vz_json_set_key(object, copy, take, err);
}

bool vz_json_set_text(vz_json *object, const char *key, const char *text, vz_error *err)
{
    return vz_json_set(object, key, vz_json_text(text, err), err);
}

vz_json *vz_json_get(const vz_json *object, const char *key)
{
    const struct vz_json_member *member = find_key(object, key);
    return member ? member->value : NULL;
}

const char *vz_json_get_text(const vz_json *object, const char *key)
{
    size_t size = 0;
    const char *text = vz_json_get_string(vz_json_get(object, key), &size);
    return text && strlen(text) == size ? text : NULL;
}

vz_json *vz_json_detach(vz_json *object, const char *key)
{
    struct vz_json_member *member = find_key(object, key);
    if (!member)
        return NULL;
    vz_json *value = member->value;
    const size_t position = (size_t)(member - object->members);
    vz_json_changes(object);
    if (object->index)
        vz_hash_index_remove(object->index, hash_of(object, key), position);
    if (position + 1 < object->count)
        vz_hash_index_close_gap(object->index, position);
    vz_json_key_free(member->key);
    if (object->index && position == 0)
        leave_front(object);
    else
        memmove(member, member + 1, (object->count - position - 1) * sizeof *member);
    object->count--;
    return value;
}

bool vz_json_remove(vz_json *object, const char *key)
{
    vz_json *value = vz_json_detach(object, key);
    vz_json_free(value);
    return value != NULL;
}

bool vz_json_rename(vz_json *object, const char *from, const char *to, vz_error *err)
{
    struct vz_json_member *member = find_key(object, from);
    if (!member)
        return vz_fail(err, VZ_NOT_FOUND, "JSON: no key %.80s", from);
    if (strcmp(from, to) == 0)
        return true;
    if (find_key(object, to))
        return vz_fail(err, VZ_EXISTS, "JSON: the key %.80s is taken", to);
    const char *key = key_copy(to, err);
    if (!key)
        return false;
    vz_json_changes(object);
    if (object->index) {
        const size_t position = (size_t)(member - object->members);
        vz_hash_index_remove(object->index, hash_of(object, from), position);
        vz_hash_index_add(object->index, hash_of(object, to), position);
    }
    vz_json_key_free(member->key);
    member->key = key;
    return true;
}

bool vz_json_member(const vz_json *object, size_t index, const char **key, vz_json **value)
{
    if (!is_object(object) || index >= object->count)
        return false;
    if (key)
        *key = object->members[index].key;
    if (value)
        *value = object->members[index].value;
    return true;
}

ptrdiff_t vz_json_index(const vz_json *object, const char *key)
{
    const struct vz_json_member *member = find_key(object, key);
    return member ? member - object->members : -1;
}
