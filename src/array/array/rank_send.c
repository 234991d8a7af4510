/* rank_send.c - what a rank has of chunks that others own goes to these. */
#include "array/array/ranks_internal.h"
#include "array/chunks/shard_state.h"
#include <stdlib.h>

/* Which rank that is every rank can tell from the place of the chunk, or of its shard. */
static int owner_of(const vz_array *array, const uint64_t *chunk)
{
    uint64_t unit[VZ_MAX_RANK] = {0};
    const size_t size = array->meta->rank * sizeof *chunk;
    if (array->shards)
        vz_shard_of(array->meta, chunk, unit);
    else
        memcpy(unit, chunk, size);
    return (int)(vz_hash(unit, size, 0) % (uint64_t)array->sharing->comm->size);
}

static bool append_elements(vz_buffer *to, const vz_array *array, const uint64_t *bits, const uint8_t *decoded,
                            vz_error *err)
{
    const size_t element = array->meta->dtype->size;
    for (vz_array_bit_run run = {0}; vz_array_next_run(bits, array->meta->chunk_count, &run);)
        if (!vz_buffer_append(to, decoded + run.first * element, run.count * element, err))
            return false;
    return true;
}

static bool append(vz_buffer *to, const vz_array *array, const uint64_t *chunk, const uint64_t *bits,
                   const uint8_t *decoded, vz_error *err)
{
    const vz_meta *meta = array->meta;
    const uint64_t count = bits ? vz_array_count_bits(bits, meta->chunk_count) : meta->chunk_count;
    vz_parcel parcel = {.kind = VZ_PARCEL_ELEMENTS, .size = count * meta->dtype->size};
    const size_t before = to->size;
    if (vz_parcel_begin(to, &parcel, meta, chunk, bits, err) &&
        (bits ? append_elements(to, array, bits, decoded, err) : vz_buffer_append(to, decoded, parcel.size, err)))
        return true;
    to->size = before; /* never half of one */
    return false;
}

bool vz_owners_send(vz_array *array, const uint64_t *chunk, const vz_chunk_change *change, const uint8_t *decoded,
                    vz_error *err)
{
    vz_array_sharing *sharing = array->sharing;
    const uint64_t *bits = change->kind == VZ_CHANGE_PART ? change->written : NULL;
    vz_os_mutex_lock(&sharing->lock);
    const bool ok = append(&sharing->to[owner_of(array, chunk)], array, chunk, bits, decoded, err);
    vz_os_mutex_unlock(&sharing->lock);
    return ok;
}

bool vz_owners_send_entry(vz_array *array, vz_cached *entry, vz_error *err)
{
    if (!vz_owners_send(array, entry->chunk, &entry->change, entry->data, err))
        return false;
    vz_cache_remove(&array->cache, entry);
    return true;
}

/* Whole chunks that have keys of their own are nobody else's business. */
static bool is_shared(const vz_array *array, const vz_cached *entry)
{
    return entry->dirty && entry->ready && (array->shards || entry->change.kind == VZ_CHANGE_PART);
}

static bool is_left(const vz_array *array, const uint64_t *chunk, bool all, bool *keeps)
{
    const bool left = !all && owner_of(array, chunk) == array->sharing->comm->rank;
    *keeps = *keeps || left;
    return left;
}

static bool send_cached(vz_array *array, bool all, bool *keeps, vz_error *err)
{
    for (vz_cached *entry = array->cache.oldest, *next; entry; entry = next) {
        next = entry->newer;
        if (is_shared(array, entry) && !is_left(array, entry->chunk, all, keeps) &&
            !vz_owners_send_entry(array, entry, err))
            return false;
    }
    return true;
}

static bool send_waiting(vz_array *array, const vz_pending *pending, vz_buffer *to, vz_error *err)
{
    for (uint64_t i = 0; i < pending->count; i++) {
        const vz_shard_waiting_chunk *waiting = &pending->chunks[i];
        uint64_t chunk[VZ_MAX_RANK];
        if (!waiting->touched)
            continue;
        vz_parcel parcel = {.kind = waiting->data ? VZ_PARCEL_STORED : VZ_PARCEL_MISSING, .size = waiting->size};
        vz_pending_chunk(array->meta, pending->shard, i, chunk);
        if (!vz_parcel_begin(to, &parcel, array->meta, chunk, waiting->change ? waiting->change->written : NULL, err) ||
            !vz_buffer_append(to, waiting->data, waiting->size, err))
            return false;
    }
    return true;
}

static bool send_shards(vz_array *array, bool all, bool *keeps, vz_error *err)
{
    vz_shards *shards = array->shards;
    size_t cursor = 0;
    const char *name;
    void *value;
    uint64_t chunk[VZ_MAX_RANK];
    while (shards && vz_strmap_next(shards->pending, &cursor, &name, &value)) {
        vz_pending *pending = value;
        vz_pending_chunk(array->meta, pending->shard, 0, chunk);
        if (is_left(array, chunk, all, keeps))
            continue;
        if (!send_waiting(array, pending, &array->sharing->to[owner_of(array, chunk)], err))
            return false;
        vz_pending_forget(array, pending);
    }
    return true;
}

bool vz_owners_send_rest(vz_array *array, bool all, bool *keeps, vz_error *err)
{
    return send_cached(array, all, keeps, err) && send_shards(array, all, keeps, err);
}

/* ---- */

void vz_owners_end(vz_array *array)
{
    vz_array_sharing *sharing = array->sharing;
    if (!sharing)
        return;
    for (int i = 0; i < 2 * sharing->comm->size; i++)
        vz_buffer_clear(&sharing->to[i]);
    array->cache.budget = sharing->budget_before;
    vz_os_mutex_destroy(&sharing->lock);
    free(sharing->to);
    free(sharing);
    array->sharing = NULL;
}
