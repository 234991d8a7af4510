/* cache_io.c - cached chunks meet the store: loading, compacting, write-back in batches, making
 * room. */
#include "base/os/thread.h"
#include "array/array/array_internal.h"
#include "array/array/ranks_internal.h"
#include <stdlib.h>

/* The fill item's bytes are copied once and shared, so that the entry does not depend on the
 * metadata's. */
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

static bool take_memory(const vz_array *array, vz_cached *entry, vz_error *err)
{
    return vz_chunk_may_be_large(array, err) && vz_cached_data(&array->cache, entry, err);
}

bool vz_cached_decode(vz_array *array, vz_cached *entry, const vz_fetch *fetch, unsigned worker, vz_error *err)
{
    if (!take_memory(array, entry, err) ||
        !vz_chunk_decode(array, fetch->chunk, fetch->bytes, entry->data, &entry->arena, worker, err))
        return false;
    vz_change_begin(&entry->change, true, &fetch->version);
    entry->ready = true;
    if (array->objects)
        entry->live = live_bytes(array, entry);
    return true;
}

bool vz_cached_read(vz_array *array, vz_cached *entry, const vz_fetch *fetch, const vz_range *range, vz_error *err)
{
    if (!take_memory(array, entry, err))
        return false;
    vz_buffer into = vz_buffer_borrow(entry->data, (size_t)range->size);
    if (!vz_chunk_opened_read(array, fetch, range, 1, &into, err))
        return false;
    vz_change_begin(&entry->change, true, &fetch->version);
    entry->ready = true;
    return true;
}

bool vz_cached_fill(vz_array *array, vz_cached *entry, vz_error *err)
{
    if (!take_memory(array, entry, err) || (array->objects && !fill_items(array, entry, err)))
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
    entry->written = vz_chunk_store(work->array, entry->chunk, entry->data, &entry->change, &entry->erase, worker, err);
    return entry->written;
}

/* Chunks that are all fill are deleted. An entry whose chunk could not be deleted stays dirty. */
static bool erase_filled(vz_array *array, vz_cached **entries, size_t count, vz_error *err)
{
    size_t number = 0;
    for (size_t i = 0; i < count; i++)
        number += entries[i]->written && entries[i]->erase;
    if (number == 0)
        return true;
    const uint64_t **chunks = malloc(number * sizeof *chunks);
    bool ok = chunks || vz_fail_memory(err);
    for (size_t i = number = 0; ok && i < count; i++)
        if (entries[i]->written && entries[i]->erase)
            chunks[number++] = entries[i]->chunk;
    ok = ok && vz_chunks_erase(array, chunks, number, err);
    for (size_t i = 0; !ok && i < count; i++)
        entries[i]->written = entries[i]->written && !entries[i]->erase;
    free(chunks);
    return ok;
}

/* Changes of others in the chunk are read when they are needed. */
static void wrote(vz_array *array, vz_cached *entry)
{
    const bool merged = entry->change.merged;
    const vz_version stored = entry->change.stored;
    vz_change_clear(&entry->change);
    if (stored.size > 0 && !merged)
        vz_change_begin(&entry->change, true, &stored);
    vz_cache_recount(&array->cache, entry, false);
    if (merged && !entry->pins)
        vz_cache_remove(&array->cache, entry);
}

bool vz_cached_write(vz_array *array, vz_cached **entries, size_t count, vz_error *err)
{
    write_back work = {array, entries};
    if (count > 0 && !vz_array_may_change(array, false, err))
        return false;
    for (size_t i = 0; i < count; i++)
        entries[i]->written = entries[i]->erase = false;
    vz_store_hold(array->store);
    bool ok = vz_pool_run_bytes(write_entry, &work, count, vz_chunks_bytes(array, count), err);
    vz_store_release(array->store);
    ok = erase_filled(array, entries, count, ok ? err : NULL) && ok;
    for (size_t i = 0; i < count; i++)
        if (entries[i]->written)
            wrote(array, entries[i]);
    return vz_shards_write(array, false, ok ? err : NULL) && ok;
}

/* A part of a chunk that several ranks write together, of which others may have the rest. */
static bool is_for_owner(const vz_array *array, const vz_cached *entry)
{
    return vz_owners_gather(array) && entry->change.kind == VZ_CHANGE_PART;
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
        if (entry->dirty && !entry->pins && !is_for_owner(array, entry))
            batch[count++] = entry;
    return vz_cached_write(array, batch, count, err);
}

bool vz_cached_make_room(vz_array *array, uint64_t room, vz_error *err)
{
    vz_chunk_cache *cache = &array->cache;
    const bool keep = room == 0;
    for (;;) {
        vz_cached *oldest = cache->oldest;
        while (oldest && oldest->pins)
            oldest = oldest->newer;
        if (cache->bytes + room <= cache->budget || !oldest || (keep && oldest == cache->newest))
            return true;
        /* Oldest first, clean or dirty: nothing newer goes before it. */
        if (oldest->dirty && is_for_owner(array, oldest)) {
            if (!vz_owners_send_entry(array, oldest, err))
                return false;
            continue;
        }
        if (oldest->dirty && !array->keep_dirty && !write_oldest(array, err))
            return false;
        vz_cache_trim(cache, room, keep);
        if (array->keep_dirty)
            return true;
    }
}
