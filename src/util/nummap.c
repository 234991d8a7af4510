/* nummap.c - an open-addressing table, never more than half full. */
#include "util/nummap.h"
#include "util/bytes.h"
#include <stdlib.h>

#define FIRST_CAPACITY 64u /* a power of two, as all that follow */

struct vz_nummap_row {
    uint64_t number;
    void *value;
    bool used;
};

/* The number's row, or the free one where it would be. */
static struct vz_nummap_row *row_of(const vz_nummap *map, uint64_t number)
{
    const size_t mask = map->capacity - 1;
    size_t i = vz_hash(&number, sizeof number, 0) & mask;
    while (map->rows[i].used && map->rows[i].number != number)
        i = (i + 1) & mask;
    return &map->rows[i];
}

static bool grow(vz_nummap *map, vz_error *err)
{
    vz_nummap larger = {.capacity = map->capacity ? 2 * map->capacity : FIRST_CAPACITY, .count = map->count};
    larger.rows = calloc(larger.capacity, sizeof *larger.rows);
    if (!larger.rows)
        return vz_fail_memory(err);
    for (size_t i = 0; i < map->capacity; i++)
        if (map->rows[i].used)
            *row_of(&larger, map->rows[i].number) = map->rows[i];
    free(map->rows);
    *map = larger;
    return true;
}

void **vz_nummap_find(const vz_nummap *map, uint64_t number)
{
    struct vz_nummap_row *row = map->capacity ? row_of(map, number) : NULL;
    return row && row->used ? &row->value : NULL;
}

void **vz_nummap_put(vz_nummap *map, uint64_t number, vz_error *err)
{
    void **there = vz_nummap_find(map, number);
    if (there)
        return there;
    if (2 * (map->count + 1) > map->capacity && !grow(map, err))
        return NULL;
    struct vz_nummap_row *row = row_of(map, number);
    *row = (struct vz_nummap_row){.number = number, .used = true};
    map->count++;
    return &row->value;
}

bool vz_nummap_next(const vz_nummap *map, size_t *cursor, void **value)
{
    while (*cursor < map->capacity) {
        const struct vz_nummap_row *row = &map->rows[(*cursor)++];
        if (!row->used)
            continue;
        *value = row->value;
        return true;
    }
    return false;
}

void vz_nummap_clear(vz_nummap *map)
{
    free(map->rows);
    *map = (vz_nummap){0};
}
