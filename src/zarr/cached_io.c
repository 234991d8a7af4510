/* cached_io.c - cached chunks meet the store: loading, compacting, write-back in batches, making room. */
#include "util/pool.h"
#include "zarr/array_io.h"
#include <stdlib.h>

/* The fill item's bytes are copied once and shared, so that the entry does not depend on the metadata's. */
static bool fill_items(const vz_array *array, vz_cached *entry, vz_error *err)
{
    vz_item fill;
    memcpy(&fill, array->meta->fill, sizeof fill);
    if (fill.data && !(fill.data = vz_arena_copy(&entry->arena, fill.data, fill.size, err)))
        return false;
    vz_fill_elements(entry->data, (const uint8_t *)&fill, sizeof fill, array->meta->chunk_count);
    return true;
}

static uint64_t live_bytes(const vz_array *array, const vz_cached *entry)
{
    const vz_item *items = (const vz_item *)entry->data;
    uint64_t live = 0;
    for (uint64_t i = 0; i < array->meta->chunk_count; i++)
        live += items[i].size;
    return live;
}

bool vz_cached_fetch(vz_array *array, vz_cached *entry, bool *found, unsigned worker, vz_error *err)
{
    if (!vz_cached_data(&array->cache, entry, err) ||
        !vz_chunk_load(array, entry->chunk, entry->data, &entry->arena, found, worker, err))
        return false;
    entry->ready = *found;
    if (*found && array->objects)
        entry->live = live_bytes(array, entry);
    return true;
}

bool vz_cached_load(vz_array *array, vz_cached *entry, bool fresh, bool *found, unsigned worker, vz_error *err)
{
    *found = false;
    if (!vz_cached_data(&array->cache, entry, err) || (!fresh && !vz_cached_fetch(array, entry, found, worker, err)))
        return false;
    if (*found)
        return true;
    if (array->objects && !fill_items(array, entry, err))
        return false;
    if (!array->objects)
        vz_chunk_fill(array, entry->data);
    if (array->objects)
        entry->live = live_bytes(array, entry);
    entry->ready = true;
    return true;
}

bool vz_cached_compact(const vz_array *array, vz_cached *entry, vz_error *err)
{
    enum { WASTE_MIN = 1 << 16 };
    if (!array->objects || entry->arena.used < WASTE_MIN || entry->arena.used / 2 <= entry->live)
        return true;
    vz_item *items = (vz_item *)entry->data;
    vz_arena arena = {0};
    vz_item before = {0}, after = {0}; /* neighbours that share bytes (fill) go on sharing */
    bool ok = true;
    for (uint64_t i = 0; i < array->meta->chunk_count && ok; i++) {
        const vz_item item = items[i];
        if (!item.data)
            continue;
        if (item.data != before.data || item.size != before.size)
            after.data = vz_arena_copy(&arena, item.data, item.size, err);
        ok = after.data != NULL;
        before = item;
        items[i].data = ok ? after.data : item.data;
    }
    if (!ok) { /* half-way: some items still lie in the old arena, so both stay */
        vz_arena_adopt(&entry->arena, &arena);
        return false;
    }
    vz_arena_clear(&entry->arena);
    entry->arena = arena;
    return true;
}

typedef struct write_back {
    vz_array *array;
    vz_cached **entries;
} write_back;

static bool write_entry(void *context, size_t index, unsigned worker, vz_error *err)
{
    const write_back *work = context;
    vz_cached *entry = work->entries[index];
    entry->written = vz_chunk_store(work->array, entry->chunk, entry->data, &entry->erase, worker, err);
    return entry->written;
}

bool vz_cached_write(vz_array *array, vz_cached **entries, size_t count, vz_error *err)
{
    write_back work = {array, entries};
    if (count > 0 && !vz_array_may_store(array, false, err))
        return false;
    for (size_t i = 0; i < count; i++)
        entries[i]->written = entries[i]->erase = false;
    bool ok = vz_pool_run(write_entry, &work, count, err);
    for (size_t i = 0; i < count; i++) {
        vz_cached *entry = entries[i];
        if (entry->written && entry->erase && !vz_chunk_erase(array, entry->chunk, ok ? err : NULL))
            ok = entry->written = false;
        if (entry->written)
            vz_cache_settle(&array->cache, entry, false);
    }
    return vz_shards_write(array, false, ok ? err : NULL) && ok;
}

/* Writes the oldest dirty chunks that nobody uses, enough to occupy all workers. */
static bool write_oldest(vz_array *array, vz_error *err)
{
    enum { WRITE_BATCH = 64 };
    vz_cached *batch[WRITE_BATCH];
    const unsigned width = vz_pool_width();
    const size_t most = 4 * width < WRITE_BATCH ? 4 * width : WRITE_BATCH;
    size_t count = 0;
    for (vz_cached *entry = array->cache.oldest; entry && count < most; entry = entry->newer)
        if (entry->dirty && !entry->pinned)
            batch[count++] = entry;
    return vz_cached_write(array, batch, count, err);
}

bool vz_cached_make_room(vz_array *array, uint64_t room, vz_error *err)
{
    vz_chunk_cache *cache = &array->cache;
    const bool keep = room == 0;
    for (;;) {
        const vz_cached *oldest = cache->oldest;
        while (oldest && oldest->pinned)
            oldest = oldest->newer;
        if (cache->bytes + room <= cache->budget || !oldest || (keep && oldest == cache->newest))
            return true;
        /* Oldest first, clean or dirty: nothing newer goes before it. */
        if (oldest->dirty && !array->keep_dirty && !write_oldest(array, err))
            return false;
        vz_cache_trim(cache, room, keep);
        if (array->keep_dirty)
            return true;
    }
}
