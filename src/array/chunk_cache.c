/* chunk_cache.c - a hash table with a list in order of use. */
#include "array/chunk_cache.h"
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
    free(cache->table);
    cache->table = NULL;
    cache->table_size = 0;
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
    vz_cached *entry = cache->table[hash & (cache->table_size - 1)];
    while (entry && (entry->hash != hash || memcmp(entry->chunk, chunk, cache->rank * sizeof *chunk) != 0))
        entry = entry->hash_next;
    if (entry && entry != cache->newest) {
        unlink_use(cache, entry);
        link_newest(cache, entry);
    }
    return entry;
}

static bool grow_table(vz_chunk_cache *cache, vz_error *err)
{
    if (cache->count < cache->table_size)
        return true;
    const size_t size = cache->table_size ? cache->table_size * 2 : 64;
    vz_cached **table = calloc(size, sizeof(vz_cached *));
    if (!table)
        return vz_fail_memory(err);
    for (vz_cached *entry = cache->oldest; entry; entry = entry->newer) {
        vz_cached **place = &table[entry->hash & (size - 1)];
        entry->hash_next = *place;
        *place = entry;
    }
    free(cache->table);
    cache->table = table;
    cache->table_size = size;
    return true;
}

/* What an entry needs beside the chunk counts only where it matters, so that a budget of two chunks holds two. */
size_t vz_cache_cost(const vz_chunk_cache *cache)
{
    enum { OVERHEAD_MATTERS = 1 << 14 };
    const size_t overhead = sizeof(vz_cached) + cache->rank * sizeof(uint64_t);
    return cache->chunk_size + (cache->chunk_size < OVERHEAD_MATTERS ? overhead : 0);
}

vz_cached *vz_cache_add(vz_chunk_cache *cache, const uint64_t *chunk, vz_error *err)
{
    vz_cached *entry = grow_table(cache, err) ? calloc(1, sizeof *entry + cache->rank * sizeof *chunk) : NULL;
    if (!entry) {
        vz_fail_memory(err);
        return NULL;
    }
    memcpy(entry->chunk, chunk, cache->rank * sizeof *chunk);
    entry->hash = hash_chunk(cache, chunk);
    entry->pinned = true;
    if (cache->spare_count > 0)
        entry->data = cache->spares[--cache->spare_count];
    vz_cached **place = &cache->table[entry->hash & (cache->table_size - 1)];
    entry->hash_next = *place;
    *place = entry;
    link_newest(cache, entry);
    cache->count++;
    vz_cache_settle(cache, entry, false);
    return entry;
}

static void give_spare(vz_chunk_cache *cache, uint8_t *data)
{
    const size_t most = sizeof cache->spares / sizeof *cache->spares;
    if (data && cache->spare_count < most && cache->chunk_size * (cache->spare_count + 1) <= cache->budget / 2)
        cache->spares[cache->spare_count++] = data;
    else
        free(data);
}

void vz_cache_remove(vz_chunk_cache *cache, vz_cached *entry)
{
    vz_cached **place = &cache->table[entry->hash & (cache->table_size - 1)];
    while (*place != entry)
        place = &(*place)->hash_next;
    *place = entry->hash_next;
    unlink_use(cache, entry);
    cache->count--;
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

void vz_cache_settle(vz_chunk_cache *cache, vz_cached *entry, bool dirty)
{
    cache->bytes -= entry->cost;
    cache->dirty_bytes -= entry->dirty ? entry->cost : 0;
    entry->cost = vz_cache_cost(cache) + entry->arena.used;
    entry->dirty = dirty;
    cache->bytes += entry->cost;
    cache->dirty_bytes += dirty ? entry->cost : 0;
}

void vz_cache_trim(vz_chunk_cache *cache, uint64_t room, bool keep)
{
    vz_cached *entry = cache->oldest;
    while (entry && cache->bytes + room > cache->budget && !(keep && entry == cache->newest)) {
        vz_cached *next = entry->newer;
        if (!entry->dirty && !entry->pinned)
            vz_cache_remove(cache, entry);
        entry = next;
    }
}
