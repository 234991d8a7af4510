/* json_object.c - objects: members in order, and beyond a few of them an open-addressing table that finds a key. The
 * table is kept current by every change, so that readers in several threads change nothing. */
#include "util/json_tree.h"
#include <stdlib.h>

#define SMALL_COUNT 8u /* up to so many members are looked through one by one */

/* The seed differs from object to object, so that keys in a hostile store cannot be chosen to collide. */
static uint64_t hash_of(const vz_json *object, const char *key)
{
    return vz_hash(key, strlen(key), (uint64_t)(uintptr_t)object);
}

static size_t slot_mask(const vz_json *object)
{
    return 2 * object->capacity - 1;
}

static void occupy(vz_json *object, size_t position)
{
    size_t slot = object->members[position].hash & slot_mask(object);
    while (object->slots[slot])
        slot = (slot + 1) & slot_mask(object);
    object->slots[slot] = (uint32_t)(position + 1);
}

static void refill(vz_json *object)
{
    if (!object->slots)
        return;
    memset(object->slots, 0, 2 * object->capacity * sizeof *object->slots);
    for (size_t i = 0; i < object->count; i++)
        occupy(object, i);
}

static size_t slot_of(const vz_json *object, size_t position)
{
    size_t slot = object->members[position].hash & slot_mask(object);
    while (object->slots[slot] != (uint32_t)(position + 1))
        slot = (slot + 1) & slot_mask(object);
    return slot;
}

/* Empties the member's slot; what was pushed on by it moves up, so that no search ends too early. */
static void vacate(vz_json *object, size_t position)
{
    if (!object->slots)
        return;
    const size_t mask = slot_mask(object);
    size_t hole = slot_of(object, position);
    for (size_t slot = (hole + 1) & mask; object->slots[slot]; slot = (slot + 1) & mask) {
        const size_t home = object->members[object->slots[slot] - 1].hash & mask;
        if (((slot - home) & mask) < ((slot - hole) & mask))
            continue;
        object->slots[hole] = object->slots[slot];
        hole = slot;
    }
    object->slots[hole] = 0;
}

/* A member in front of these is gone. */
static void shift(vz_json *object, size_t position)
{
    const uint32_t gone = (uint32_t)(position + 1);
    for (size_t slot = 0; object->slots && slot <= slot_mask(object); slot++)
        object->slots[slot] -= object->slots[slot] > gone;
}

/* Room for one more member; the table has twice as many slots as there is room for members. */
static bool grow(vz_json *object, vz_error *err)
{
    const size_t before = object->capacity;
    void *members = object->members;
    const bool ok = vz_json_grow(object, &members, sizeof *object->members, err);
    object->members = members;
    if (!ok || object->capacity == before || object->capacity <= SMALL_COUNT)
        return ok;
    uint32_t *slots = realloc(object->slots, 2 * object->capacity * sizeof *slots);
    if (!slots) {
        object->capacity = before;
        return vz_fail_memory(err);
    }
    object->slots = slots;
    refill(object);
    return true;
}

static struct vz_json_member *find(const vz_json *object, const char *key, uint64_t hash)
{
    if (!object->slots) {
        for (size_t i = 0; i < object->count; i++)
            if (object->members[i].hash == hash && strcmp(object->members[i].key, key) == 0)
                return &object->members[i];
        return NULL;
    }
    for (size_t slot = hash & slot_mask(object); object->slots[slot]; slot = (slot + 1) & slot_mask(object)) {
        struct vz_json_member *member = &object->members[object->slots[slot] - 1];
        if (member->hash == hash && strcmp(member->key, key) == 0)
            return member;
    }
    return NULL;
}

static bool is_object(const vz_json *value)
{
    return value && value->kind == VZ_JSON_OBJECT;
}

static struct vz_json_member *find_key(const vz_json *object, const char *key)
{
    return is_object(object) ? find(object, key, hash_of(object, key)) : NULL;
}

/* Keys hold what strings may, and NUL as C0 80. */
static bool is_key(const char *key)
{
    size_t left = strlen(key);
    while (left) {
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

bool vz_json_set_key(vz_json *object, char *key, vz_json *take, vz_error *err)
{
    const uint64_t hash = hash_of(object, key);
    struct vz_json_member *member = find(object, key, hash);
    if (member) {
        free(key);
        vz_json_free(member->value);
        member->value = take;
        return true;
    }
    if (!grow(object, err)) {
        free(key);
        vz_json_free(take);
        return false;
    }
    object->members[object->count] = (struct vz_json_member){.key = key, .value = take, .hash = hash};
    if (object->slots)
        occupy(object, object->count);
    object->count++;
    return true;
}

static char *key_copy(const char *key, vz_error *err)
{
    if (!is_key(key)) {
        vz_fail(err, VZ_INVALID, "JSON: a key that is not UTF-8");
        return NULL;
    }
    char *copy = strdup(key);
    if (!copy)
        vz_fail_memory(err);
    return copy;
}

bool vz_json_set(vz_json *object, const char *key, vz_json *take, vz_error *err)
{
    if (!take)
        return false;
    char *copy = NULL;
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

vz_json *vz_json_get(const vz_json *object, const char *key)
{
    const struct vz_json_member *member = find_key(object, key);
    return member ? member->value : NULL;
}

vz_json *vz_json_detach(vz_json *object, const char *key)
{
    struct vz_json_member *member = find_key(object, key);
    if (!member)
        return NULL;
    vz_json *value = member->value;
    const size_t position = (size_t)(member - object->members);
    vacate(object, position);
    shift(object, position);
    free(member->key);
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
    char *key = key_copy(to, err);
    if (!key)
        return false;
    const size_t position = (size_t)(member - object->members);
    vacate(object, position);
    free(member->key);
    member->key = key;
    member->hash = hash_of(object, key);
    if (object->slots)
        occupy(object, position);
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
