/* strmap.c - entries in insertion order, found through an open-addressing table of their positions. A removed entry
 * leaves a hole in the order, so that walks go on; holes vanish when the table is built anew. */
#include "util/strmap.h"
#include "util/bytes.h"
#include <stdlib.h>

#define SLOT_EMPTY     0u
#define FIRST_CAPACITY 4u

struct entry {
    char *key; /* NULL: a hole */
    void *value;
    uint64_t hash;
};

struct vz_strmap {
    struct entry *entries;
    size_t used; /* entries and holes */
    size_t count;
    size_t capacity; /* of entries; a power of two */
    size_t *slots;   /* 2 * capacity: 1 + position in entries, or SLOT_EMPTY; a hole keeps its slot */
};

vz_strmap *vz_strmap_new(void)
{
    return calloc(1, sizeof(vz_strmap));
}

void vz_strmap_free(vz_strmap *map, void (*free_value)(void *))
{
    if (!map)
        return;
    for (size_t i = 0; i < map->used; i++) {
        if (map->entries[i].key && free_value)
            free_value(map->entries[i].value);
        free(map->entries[i].key);
    }
    free(map->entries);
    free(map->slots);
    free(map);
}

/* The seed differs from map to map, so that names in a hostile store cannot be chosen to collide. */
static uint64_t hash_of(const vz_strmap *map, const char *key)
{
    return vz_hash(key, strlen(key), (uint64_t)(uintptr_t)map);
}

static struct entry *find(const vz_strmap *map, const char *key, uint64_t hash)
{
    if (!map->capacity)
        return NULL;
    const size_t mask = 2 * map->capacity - 1;
    for (size_t slot = hash & mask; map->slots[slot] != SLOT_EMPTY; slot = (slot + 1) & mask) {
        struct entry *entry = &map->entries[map->slots[slot] - 1];
        if (entry->key && entry->hash == hash && strcmp(entry->key, key) == 0)
            return entry;
    }
    return NULL;
}

static void occupy(vz_strmap *map, size_t position)
{
    const size_t mask = 2 * map->capacity - 1;
    size_t slot = map->entries[position].hash & mask;
    while (map->slots[slot] != SLOT_EMPTY)
        slot = (slot + 1) & mask;
    map->slots[slot] = position + 1;
}

/* Builds entries and slots anew without holes, with room for as many again. */
static bool rebuild(vz_strmap *map, vz_error *err)
{
    size_t capacity = FIRST_CAPACITY;
    while (capacity < 2 * map->count)
        capacity *= 2;
    struct entry *entries = malloc(capacity * sizeof *entries);
    size_t *slots = calloc(2 * capacity, sizeof *slots);
    if (!entries || !slots) {
        free(entries);
        free(slots);
        return vz_fail_memory(err);
    }
    size_t used = 0;
    for (size_t i = 0; i < map->used; i++)
        if (map->entries[i].key)
            entries[used++] = map->entries[i];
    free(map->entries);
    free(map->slots);
    *map = (vz_strmap){.entries = entries, .used = used, .count = used, .capacity = capacity, .slots = slots};
    for (size_t i = 0; i < used; i++)
        occupy(map, i);
    return true;
}

void *vz_strmap_get(const vz_strmap *map, const char *key)
{
    const struct entry *entry = find(map, key, hash_of(map, key));
    return entry ? entry->value : NULL;
}

bool vz_strmap_put(vz_strmap *map, const char *key, void *value, vz_error *err)
{
    const uint64_t hash = hash_of(map, key);
    struct entry *entry = find(map, key, hash);
    if (entry) {
        entry->value = value;
        return true;
    }
    char *copy = strdup(key);
    if (!copy)
        return vz_fail_memory(err);
    if (map->used == map->capacity && !rebuild(map, err)) {
        free(copy);
        return false;
    }
    map->entries[map->used] = (struct entry){.key = copy, .value = value, .hash = hash};
    occupy(map, map->used++);
    map->count++;
    return true;
}

void *vz_strmap_remove(vz_strmap *map, const char *key)
{
    struct entry *entry = find(map, key, hash_of(map, key));
    if (!entry)
        return NULL;
    void *value = entry->value;
    free(entry->key);
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
