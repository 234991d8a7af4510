/* flex.c - see flex_internal.h. Offsets lead backwards from the place where they stand. */
#include "store/icechunk/flex_internal.h"
#include <string.h>

enum { TEXT = 5, MAP = 9 };

static bool load(vz_bytes all, size_t at, uint64_t width, uint64_t *number)
{
    const bool is_width = width == 1 || width == 2 || width == 4 || width == 8;
    if (!is_width || at > all.size || width > all.size - at)
        return false;
    *number = 0;
    for (size_t i = (size_t)width; i-- > 0;)
        *number = *number << 8 | all.data[at + i];
    return true;
}

static bool step_back(vz_bytes all, size_t at, uint64_t width, size_t *to)
{
    uint64_t distance;
    if (!load(all, at, width, &distance) || distance == 0 || distance > at)
        return false;
    *to = at - (size_t)distance;
    return true;
}

/* Where the items or letters of a value are; their width, and how many. */
static bool enter(const vz_icechunk_flex *value, int kind, size_t *to, size_t *width, uint64_t *count)
{
    *width = (size_t)1 << (value->type & 3);
    return value->type >> 2 == kind && step_back(value->all, value->at, value->width, to) && *to >= *width &&
           load(value->all, *to - *width, *width, count);
}

bool vz_icechunk_flex_root(vz_bytes all, vz_icechunk_flex *root)
{
    if (all.size < 3 || all.data[all.size - 1] > all.size - 2)
        return false;
    const unsigned width = all.data[all.size - 1];
    *root = (vz_icechunk_flex){all, all.size - 2 - width, width, all.data[all.size - 2]};
    return true;
}

/* The types of the items stand behind them. */
static size_t count_items(const vz_icechunk_flex *map, size_t *to, size_t *width)
{
    uint64_t count;
    if (!enter(map, MAP, to, width, &count) || count > (map->all.size - *to) / (*width + 1))
        return 0;
    return (size_t)count;
}

size_t vz_icechunk_flex_count(const vz_icechunk_flex *map)
{
    size_t to, width;
    return count_items(map, &to, &width);
}

bool vz_icechunk_flex_item(const vz_icechunk_flex *map, size_t index, vz_icechunk_flex *value)
{
    size_t to, width;
    const size_t count = count_items(map, &to, &width);
    if (index >= count)
        return false;
    *value =
        (vz_icechunk_flex){map->all, to + index * width, (unsigned)width, map->all.data[to + count * width + index]};
    return true;
}

/* Keys stand in a vector of their own, and end with a zero. */
static bool is_key(vz_bytes all, size_t at, uint64_t width, const char *key)
{
    size_t to;
    const size_t size = strlen(key) + 1;
    return step_back(all, at, width, &to) && size <= all.size - to && memcmp(all.data + to, key, size) == 0;
}

bool vz_icechunk_flex_member(const vz_icechunk_flex *map, const char *key, vz_icechunk_flex *value)
{
    size_t to, width, keys;
    uint64_t key_width;
    const size_t count = count_items(map, &to, &width);
    if (count == 0 || to < 3 * width || !step_back(map->all, to - 3 * width, width, &keys) ||
        !load(map->all, to - 2 * width, width, &key_width) || key_width > 8)
        return false;
    for (size_t i = 0; i < count; i++)
        if (is_key(map->all, keys + i * (size_t)key_width, key_width, key))
            return vz_icechunk_flex_item(map, i, value);
    return false;
}

vz_bytes vz_icechunk_flex_text(const vz_icechunk_flex *value)
{
    size_t to, width;
    uint64_t size;
    if (!enter(value, TEXT, &to, &width, &size) || size > value->all.size - to)
        return (vz_bytes){0};
    return (vz_bytes){value->all.data + to, (size_t)size};
}
