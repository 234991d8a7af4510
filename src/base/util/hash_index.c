/* hash_index.c - an open-addressing table, never more than half full, that is probed slot by
 * slot. */
#include "base/util/hash_internal.h"
#include <stdlib.h>

#define FEWEST_SLOTS 8u
#define MOST_ITEMS   ((size_t)1 << 31)
#define MOST_GONE    ((size_t)1 << 30) /* with those it is a number of 32 bits */

typedef struct hash_slot {
    uint32_t hash;  /* the low bits, all that a place in the table depends on */
    uint32_t count; /* 1 + position of the item + `gone`; 0: empty */
} hash_slot;

struct vz_hash_index {
    size_t mask; /* number of slots, a power of two, less one */
    size_t gone; /* items that were removed from the front: nothing is written for those behind
                  * them */
    hash_slot slots[];
};

static void occupy(vz_hash_index *index, hash_slot filled)
{
    size_t at = filled.hash & index->mask;
    while (index->slots[at].count)
        at = (at + 1) & index->mask;
    index->slots[at] = filled;
}

bool vz_hash_index_reserve(vz_hash_index **index, size_t items, vz_error *err)
{
    const size_t before = *index ? (*index)->mask + 1 : 0;
    if (items <= before / 2)
        return true;
    if (items > MOST_ITEMS)
        return vz_fail(err, VZ_LIMIT, "more than %zu items in one table", MOST_ITEMS);
    size_t count = before ? before : FEWEST_SLOTS;
    while (count / 2 < items)
        count *= 2;
    vz_hash_index *larger = calloc(1, sizeof *larger + count * sizeof larger->slots[0]);
    if (!larger)
        return vz_fail_memory(err);
    larger->mask = count - 1;
    larger->gone = *index ? (*index)->gone : 0;
    for (size_t at = 0; at < before; at++)
        if ((*index)->slots[at].count)
            occupy(larger, (*index)->slots[at]);
    free(*index);
    *index = larger;
    return true;
}

bool vz_hash_index_next(const vz_hash_index *index, uint64_t hash, size_t *cursor, size_t *item)
{
    while (index) {
        const hash_slot *slot = &index->slots[((uint32_t)hash + *cursor) & index->mask];
        if (!slot->count)
            return false;
        ++*cursor;
        if (slot->hash != (uint32_t)hash)
            continue;
        *item = slot->count - 1 - index->gone;
        return true;
    }
    return false;
}

void vz_hash_index_add(vz_hash_index *index, uint64_t hash, size_t item)
{
    occupy(index, (hash_slot){.hash = (uint32_t)hash, .count = (uint32_t)(item + 1 + index->gone)});
}

static size_t slot_of(const vz_hash_index *index, uint64_t hash, size_t item)
{
    size_t at = (uint32_t)hash & index->mask;
    while (index->slots[at].count != (uint32_t)(item + 1 + index->gone))
        at = (at + 1) & index->mask;
    return at;
}

/* Items behind the emptied slot move up, so that no search ends too early. */
void vz_hash_index_remove(vz_hash_index *index, uint64_t hash, size_t item)
{
    size_t hole = slot_of(index, hash, item);
    for (size_t at = (hole + 1) & index->mask; index->slots[at].count; at = (at + 1) & index->mask) {
        const size_t home = index->slots[at].hash & index->mask;
        if (((at - home) & index->mask) < ((at - hole) & index->mask))
            continue;
        index->slots[hole] = index->slots[at];
        hole = at;
    }
    index->slots[hole].count = 0;
}

void vz_hash_index_move(vz_hash_index *index, uint64_t hash, size_t from, size_t to)
{
    index->slots[slot_of(index, hash, from)].count = (uint32_t)(to + 1 + index->gone);
}

void vz_hash_index_close_gap(vz_hash_index *index, size_t position)
{
    if (index && position == 0 && index->gone < MOST_GONE) {
        index->gone++;
        return;
    }
    for (size_t at = 0; index && at <= index->mask; at++)
        index->slots[at].count -= index->slots[at].count > position + 1 + index->gone;
}
