/* chunk_cache.c - entries found through a hash index, and a list in order of use. */
#include "array/chunks/chunks_internal.h"
#include <stdlib.h>

void vz_cache_init(vz_chunk_cache *cache, unsigned rank, size_t chunk_size, size_t budget)
{
    *cache = (vz_chunk_cache){.rank = rank, .chunk_size = chunk_size, .budget = budget};
}

void vz_cache_clear(vz_chunk_cache *cache)
{
    while (cache->newest)
        vz_cache_remove(cache, cache->newest);
    while (cache->spare_count > 0)
        free(cache->spares[--cache->spare_count]);
    free(cache->entries);
    free(cache->index);
    cache->entries = NULL;
    cache->index = NULL;
    cache->capacity = 0;
}

static uint64_t hash_chunk(const vz_chunk_cache *cache, const uint64_t *chunk)
{
    return vz_hash(chunk, cache->rank * sizeof *chunk, 0);
}

static void unlink_use(vz_chunk_cache *cache, vz_cached *entry)
{
    *(entry->newer ? &entry->newer->older : &cache->newest) = entry->older;
    *(entry->older ? &entry->older->newer : &cache->oldest) = entry->newer;
}

static void link_newest(vz_chunk_cache *cache, vz_cached *entry)
{
    entry->newer = NULL;
    entry->older = cache->newest;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = entry;
    cache->newest = entry;
}

vz_cached *vz_cache_find(vz_chunk_cache *cache, const uint64_t *chunk)
{
    if (cache->count == 0)
        return NULL;
    const uint64_t hash = hash_chunk(cache, chunk);
    size_t cursor = 0, at;
    while (vz_hash_index_next(cache->index, hash, &cursor, &at)) {
        vz_cached *entry = cache->entries[at];
        if (memcmp(entry->chunk, chunk, cache->rank * sizeof *chunk) != 0)
            continue;
        if (entry != cache->newest) {
            unlink_use(cache, entry);
            link_newest(cache, entry);
        }
        return entry;
    }
    return NULL;
}

static bool make_room(vz_chunk_cache *cache, vz_error *err)
{
    if (cache->count < cache->capacity)
        return true;
    const size_t capacity = cache->capacity ? cache->capacity * 2 : 64;
    if (!vz_hash_index_reserve(&cache->index, capacity, err))
        return false;
    vz_cached **entries = realloc(cache->entries, capacity * sizeof(vz_cached *));
    if (!entries)
        return vz_fail_memory(err);
    cache->entries = entries;
    cache->capacity = capacity;
    return true;
}

/* Memory that an entry needs beside its chunk counts only where it matters, so that a budget of two
 * chunks holds two. */
size_t vz_cache_cost(const vz_chunk_cache *cache)
{
    enum { OVERHEAD_MATTERS = 1 << 14 };
    const size_t overhead = sizeof(vz_cached) + cache->rank * sizeof(uint64_t);
    return cache->chunk_size + (cache->chunk_size < OVERHEAD_MATTERS ? overhead : 0);
}

vz_cached *vz_cache_add(vz_chunk_cache *cache, const uint64_t *chunk, vz_error *err)
{
    vz_cached *entry = make_room(cache, err) ? calloc(1, sizeof *entry + cache->rank * sizeof *chunk) : NULL;
    if (!entry) {
        vz_fail_memory(err);
        return NULL;
    }
    memcpy(entry->chunk, chunk, cache->rank * sizeof *chunk);
    entry->position = cache->count;
    entry->pins = 1;
    if (cache->spare_count > 0)
        entry->data = cache->spares[--cache->spare_count];
    vz_hash_index_add(cache->index, hash_chunk(cache, chunk), cache->count);
    cache->entries[cache->count++] = entry;
    link_newest(cache, entry);
    vz_cache_recount(cache, entry, false);
    return entry;
}

static void give_spare(vz_chunk_cache *cache, uint8_t *data)
{
    const size_t most = sizeof cache->spares / sizeof *cache->spares;
    if (data && cache->spare_count < most && cache->chunk_size * (cache->spare_count + 1) <= cache->budget)
        cache->spares[cache->spare_count++] = data;
    else
        free(data);
}

/* The last of the entries takes its place. */
static void forget_entry(vz_chunk_cache *cache, const vz_cached *entry)
{
    vz_cached *last = cache->entries[--cache->count];
    vz_hash_index_remove(cache->index, hash_chunk(cache, entry->chunk), entry->position);
    if (last == entry)
        return;
    vz_hash_index_move(cache->index, hash_chunk(cache, last->chunk), last->position, entry->position);
    last->position = entry->position;
    cache->entries[last->position] = last;
}

void vz_cache_remove(vz_chunk_cache *cache, vz_cached *entry)
{
    forget_entry(cache, entry);
    unlink_use(cache, entry);
    cache->bytes -= entry->cost;
    cache->dirty_bytes -= entry->dirty ? entry->cost : 0;
    vz_arena_clear(&entry->arena);
    vz_change_clear(&entry->change);
    give_spare(cache, entry->data);
    free(entry);
}

bool vz_cached_data(const vz_chunk_cache *cache, vz_cached *entry, vz_error *err)
{
    if (!entry->data)
        entry->data = malloc(cache->chunk_size ? cache->chunk_size : 1);
    return entry->data ? true : vz_fail_memory(err);
}

void vz_cache_recount(vz_chunk_cache *cache, vz_cached *entry, bool dirty)
{
    cache->bytes -= entry->cost;
    cache->dirty_bytes -= entry->dirty ? entry->cost : 0;
    entry->cost = vz_cache_cost(cache) + entry->arena.used;
    entry->dirty = dirty;
    cache->bytes += entry->cost;
    cache->dirty_bytes += dirty ? entry->cost : 0;
}

/* The next one of those that came, which have no memory yet; NULL: there is none. */
static vz_cached *next_bare(vz_cached *entry)
{
    while (entry && entry->pins && entry->data)
        entry = entry->older;
    return entry && entry->pins ? entry : NULL;
}

/* Memory of entries that go is given to entries that came. If each worker allocated from a heap of
 * its own, memory that one gave back would be of no use to the others. Spare memory counts against
 * the budget, too. */
void vz_cache_trim(vz_chunk_cache *cache, uint64_t room, bool keep)
{
    vz_cached *entry = cache->oldest, *bare = next_bare(cache->newest);
    for (; bare && cache->spare_count > 0; bare = next_bare(bare))
        bare->data = cache->spares[--cache->spare_count];
    while (entry && cache->bytes + room > cache->budget && !(keep && entry == cache->newest)) {
        vz_cached *next = entry->newer;
        if (!entry->dirty && !entry->pins) {
            if (bare) {
                bare->data = entry->data;
                entry->data = NULL;
                bare = next_bare(bare);
            }
            vz_cache_remove(cache, entry);
        }
        entry = next;
    }
    while (cache->spare_count > 0 && cache->bytes + cache->spare_count * cache->chunk_size > cache->budget)
        free(cache->spares[--cache->spare_count]);
}
