/* strmap.c - entries in insertion order, found through a hash index of their positions. A
 * removed entry leaves a hole in the order, so that walks go on; holes vanish when there is no
 * room left. */
#include "base/util/hash.h"
#include "base/util/bytes_internal.h"
#include <stdlib.h>

#define FIRST_CAPACITY 4u

struct entry {
    const char *key; /* NULL: a hole */
    void *value;
};

struct vz_strmap {
    struct entry *entries;
    size_t used; /* entries and holes */
    size_t count;
    size_t capacity;
    vz_hash_index *index;
    bool borrows; /* its keys */
};

vz_strmap *vz_strmap_new(void)
{
    return calloc(1, sizeof(vz_strmap));
}

vz_strmap *vz_strmap_new_borrowing(void)
{
    vz_strmap *map = vz_strmap_new();
    if (map)
        map->borrows = true;
    return map;
}

static void free_key(const vz_strmap *map, const char *key)
{
    if (!map->borrows)
        free((char *)(uintptr_t)key);
}

void vz_strmap_free(vz_strmap *map, void (*free_value)(void *))
{
    if (!map)
        return;
    for (size_t i = 0; i < map->used; i++) {
        if (map->entries[i].key && free_value)
            free_value(map->entries[i].value);
        free_key(map, map->entries[i].key);
    }
    free(map->entries);
    free(map->index);
    free(map);
}

/* The seed differs from map to map, so that names in a hostile store cannot be chosen to
 * collide. */
static uint64_t hash_of(const vz_strmap *map, const char *key)
{
    return vz_hash_key(key, strlen(key), (uint64_t)(uintptr_t)map);
}

static struct entry *find(const vz_strmap *map, const char *key, uint64_t hash)
{
    size_t cursor = 0, at;
    while (vz_hash_index_next(map->index, hash, &cursor, &at))
        if (strcmp(map->entries[at].key, key) == 0)
            return &map->entries[at];
    return NULL;
}

static void close_holes(vz_strmap *map)
{
    size_t used = 0;
    for (size_t i = 0; i < map->used; i++) {
        if (!map->entries[i].key)
            continue;
        if (used < i) {
            vz_hash_index_move(map->index, hash_of(map, map->entries[i].key), i, used);
            map->entries[used] = map->entries[i];
        }
        used++;
    }
    map->used = used;
}

bool vz_strmap_reserve(vz_strmap *map, size_t count, vz_error *err)
{
    if (count <= map->capacity)
        return true;
    if (!vz_hash_index_reserve(&map->index, count, err))
        return false;
    struct entry *entries = realloc(map->entries, count * sizeof *entries);
    if (!entries)
        return vz_fail_memory(err);
    map->entries = entries;
    map->capacity = count;
    return true;
}

/* Room for one more entry; without holes for as many again, so that what closing them costs is
 * spread. */
static bool make_room(vz_strmap *map, vz_error *err)
{
    if (map->used < map->capacity)
        return true;
    size_t capacity = map->capacity ? map->capacity : FIRST_CAPACITY;
    while (capacity < 2 * map->count)
        capacity *= 2;
    if (!vz_strmap_reserve(map, capacity, err))
        return false;
    close_holes(map);
    return true;
}

void *vz_strmap_get(const vz_strmap *map, const char *key)
{
    if (map->count == 0)
        return NULL;
    const struct entry *entry = find(map, key, hash_of(map, key));
    return entry ? entry->value : NULL;
}

bool vz_strmap_put(vz_strmap *map, const char *key, void *value, vz_error *err)
{
    const uint64_t hash = hash_of(map, key);
    struct entry *entry = find(map, key, hash);
    if (entry) {
        entry->key = map->borrows ? key : entry->key;
        entry->value = value;
        return true;
    }
    const char *kept = map->borrows ? key : strdup(key);
    if (!kept)
        return vz_fail_memory(err);
    if (!make_room(map, err)) {
        free_key(map, kept);
        return false;
    }
    map->entries[map->used] = (struct entry){.key = kept, .value = value};
    vz_hash_index_add(map->index, hash, map->used++);
    map->count++;
    return true;
}

void *vz_strmap_remove(vz_strmap *map, const char *key)
{
    const uint64_t hash = hash_of(map, key);
    struct entry *entry = find(map, key, hash);
    if (!entry)
        return NULL;
    void *value = entry->value;
    vz_hash_index_remove(map->index, hash, (size_t)(entry - map->entries));
    free_key(map, entry->key);
    *entry = (struct entry){.key = NULL};
    map->count--;
    return value;
}

size_t vz_strmap_count(const vz_strmap *map)
{
    return map->count;
}

bool vz_strmap_next(const vz_strmap *map, size_t *cursor, const char **key, void **value)
{
    while (*cursor < map->used) {
        const struct entry *entry = &map->entries[(*cursor)++];
        if (!entry->key)
            continue;
        if (key)
            *key = entry->key;
        if (value)
            *value = entry->value;
        return true;
    }
    return false;
}
