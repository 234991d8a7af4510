/* distinct_values.c - how often each value occurs, as long as few are distinct. */
#include "base/util/hash.h"
#include "command/sample/sample_internal.h"
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 1024 /* of a longer one that many bytes, and its hash, count */

struct vz_sample_counter {
    vz_hash_index *index;
    vz_arena arena;
    vz_sample_counted *items;
    uint64_t *hashes;
    size_t count, recent; /* the item that was counted last */
    uint64_t seed;
    bool has_more;
};

vz_sample_counter *vz_sample_counter_new(vz_error *err)
{
    vz_sample_counter *counter = calloc(1, sizeof *counter);
    if (counter) {
        counter->items = calloc(VZ_SAMPLE_DISTINCT_MAX, sizeof *counter->items);
        counter->hashes = calloc(VZ_SAMPLE_DISTINCT_MAX, sizeof *counter->hashes);
        counter->seed = (uintptr_t)counter; /* a file has no say in it */
        if (counter->items && counter->hashes && vz_hash_index_reserve(&counter->index, VZ_SAMPLE_DISTINCT_MAX, err))
            return counter;
        vz_sample_counter_free(counter);
    }
    vz_fail_memory(err);
    return NULL;
}

void vz_sample_counter_free(vz_sample_counter *counter)
{
    if (!counter)
        return;
    vz_arena_clear(&counter->arena);
    free(counter->index);
    free(counter->items);
    free(counter->hashes);
    free(counter);
}

static bool is_item(const vz_sample_counter *counter, size_t item, uint64_t hash, const void *bytes, size_t size)
{
    const vz_sample_counted *at = &counter->items[item];
    return counter->hashes[item] == hash && at->size == size &&
           memcmp(at->bytes, bytes, size < TEXT_MAX ? size : TEXT_MAX) == 0;
}

static bool add_item(vz_sample_counter *counter, uint64_t hash, const void *bytes, size_t size, vz_error *err)
{
    if (counter->count == VZ_SAMPLE_DISTINCT_MAX) {
        counter->has_more = true;
        return true;
    }
    void *copy = vz_arena_copy(&counter->arena, bytes, size < TEXT_MAX ? size : TEXT_MAX, err);
    if (!copy)
        return false;
    counter->hashes[counter->count] = hash;
    counter->items[counter->count] =
        (vz_sample_counted){.bytes = copy, .size = size, .count = 1, .order = counter->count};
    vz_hash_index_add(counter->index, hash, counter->count);
    counter->recent = counter->count++;
    return true;
}

bool vz_sample_counter_add(vz_sample_counter *counter, const void *bytes, size_t size, vz_error *err)
{
    size_t cursor = 0, item;
    if (counter->has_more)
        return true;
    const uint64_t hash = vz_hash(bytes, size, counter->seed);
    if (counter->count && is_item(counter, counter->recent, hash, bytes, size)) {
        counter->items[counter->recent].count++;
        return true;
    }
    while (vz_hash_index_next(counter->index, hash, &cursor, &item))
        if (is_item(counter, item, hash, bytes, size)) {
            counter->items[counter->recent = item].count++;
            return true;
        }
    return add_item(counter, hash, bytes, size, err);
}

bool vz_sample_counter_add_many(vz_sample_counter *counter, const void *bytes, size_t size, uint64_t count,
                                vz_error *err)
{
    if (count == 0)
        return true;
    if (!vz_sample_counter_add(counter, bytes, size, err))
        return false;
    if (!counter->has_more)
        counter->items[counter->recent].count += count - 1;
    return true;
}

uint64_t vz_sample_counter_distinct(const vz_sample_counter *counter)
{
    return counter->has_more ? VZ_SAMPLE_DISTINCT_MAX + 1 : counter->count;
}

static int by_count(const void *a, const void *b)
{
    const vz_sample_counted *one = a, *other = b;
    if (one->count != other->count)
        return one->count < other->count ? 1 : -1;
    return one->order < other->order ? -1 : 1;
}

size_t vz_sample_counter_list(vz_sample_counter *counter, const vz_sample_counted **items)
{
    if (counter->count)
        qsort(counter->items, counter->count, sizeof *counter->items, by_count);
    *items = counter->items;
    return counter->count;
}
