/* number_map.c - rows without holes, found through a hash index of their positions. */
#include "base/util/hash.h"
#include <stdlib.h>

#define FIRST_CAPACITY 16u

struct vz_nummap_row {
    uint64_t number;
    void *value;
};

/* The low bits, by which a place is found, depend on all bits of the number. */
static uint64_t hash_of(uint64_t number)
{
    number ^= number >> 32;
    number *= 0x9fb21c651e98df25u;
    return number ^ number >> 32;
}

static struct vz_nummap_row *find(const vz_nummap *map, uint64_t number)
{
    size_t cursor = 0, at;
    while (vz_hash_index_next(map->index, hash_of(number), &cursor, &at))
        if (map->rows[at].number == number)
            return &map->rows[at];
    return NULL;
}

static bool make_room(vz_nummap *map, vz_error *err)
{
    if (map->count < map->capacity)
        return true;
    const size_t capacity = map->capacity ? 2 * map->capacity : FIRST_CAPACITY;
    if (!vz_hash_index_reserve(&map->index, capacity, err))
        return false;
    struct vz_nummap_row *rows = realloc(map->rows, capacity * sizeof *rows);
    if (!rows)
        return vz_fail_memory(err);
    map->rows = rows;
    map->capacity = capacity;
    return true;
}

void **vz_nummap_find(const vz_nummap *map, uint64_t number)
{
    struct vz_nummap_row *row = find(map, number);
    return row ? &row->value : NULL;
}

void **vz_nummap_put(vz_nummap *map, uint64_t number, vz_error *err)
{
    void **there = vz_nummap_find(map, number);
    if (there)
        return there;
    if (!make_room(map, err))
        return NULL;
    vz_hash_index_add(map->index, hash_of(number), map->count);
    struct vz_nummap_row *row = &map->rows[map->count++];
    *row = (struct vz_nummap_row){.number = number};
    return &row->value;
}

void vz_nummap_remove(vz_nummap *map, uint64_t number)
{
    struct vz_nummap_row *row = find(map, number);
    if (!row)
        return;
    const size_t at = (size_t)(row - map->rows), last = --map->count;
    vz_hash_index_remove(map->index, hash_of(number), at);
    if (at == last)
        return;
    vz_hash_index_move(map->index, hash_of(map->rows[last].number), last, at);
    *row = map->rows[last];
}

bool vz_nummap_next(const vz_nummap *map, size_t *cursor, void **value)
{
    if (*cursor >= map->count)
        return false;
    *value = map->rows[(*cursor)++].value;
    return true;
}

void vz_nummap_clear(vz_nummap *map)
{
    free(map->rows);
    free(map->index);
    *map = (vz_nummap){0};
}
