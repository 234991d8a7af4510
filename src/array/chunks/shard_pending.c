/* shard_pending.c - shards of which some chunks wait: which chunk has which place, and what waits
 * there. */
#include "array/selection/selection.h"
#include "array/chunks/shard_state_internal.h"
#include <stdlib.h>

void vz_shard_waiting_chunk_clear(vz_shard_waiting_chunk *waiting)
{
    free(waiting->data);
    if (waiting->change)
        vz_change_clear(waiting->change);
    free(waiting->change);
    *waiting = (vz_shard_waiting_chunk){0};
}

void vz_pending_end_stream(vz_pending *pending)
{
    if (pending->stream)
        vz_pieces_drop(pending->stream->pieces);
    free(pending->stream);
    pending->stream = NULL;
}

void vz_pending_free(void *data)
{
    vz_pending *pending = data;
    vz_pending_end_stream(pending);
    for (uint64_t i = 0; i < pending->count; i++)
        vz_shard_waiting_chunk_clear(&pending->chunks[i]);
    free(pending);
}

bool vz_pending_is_empty(const vz_pending *pending)
{
    for (uint64_t i = 0; i < pending->count; i++)
        if (pending->chunks[i].touched)
            return false;
    return true;
}

void vz_pending_forget(vz_array *array, vz_pending *pending)
{
    char name[VZ_CHUNK_KEY_MAX];
    uint64_t touched = 0;
    for (uint64_t i = 0; i < pending->count; i++)
        touched += pending->chunks[i].touched;
    array->shards->pending_bytes -= pending->bytes + touched * sizeof(vz_shard_waiting_chunk);
    if (vz_meta_chunk_key(array->meta, "", pending->shard, name, sizeof name, NULL))
        vz_strmap_remove(array->shards->pending, name);
    vz_pending_free(pending);
}

static bool name_of(const vz_array *array, const uint64_t *shard, char *name, vz_error *err)
{
    return vz_meta_chunk_key(array->meta, "", shard, name, VZ_SHARD_NAME_MAX, err);
}

/* Chunks of a shard along a dimension, and the first of them. */
static uint64_t across_of(const vz_meta *meta, const uint64_t *shard, unsigned d)
{
    return vz_grid_shard_edge(meta, d, shard[d]) / meta->chunks[d];
}

static uint64_t first_of(const vz_meta *meta, const uint64_t *shard, unsigned d)
{
    return meta->shard_edges ? vz_grid_shard_start(meta, d, shard[d]) / meta->chunks[d]
                             : shard[d] * (meta->shards[0].shape[d] / meta->chunks[d]);
}

static vz_pending *new_pending(vz_array *array, const uint64_t *shard, const char *name, vz_error *err)
{
    const vz_meta *meta = array->meta;
    uint64_t count = 1;
    for (unsigned d = 0; d < meta->rank; d++)
        if (!vz_mul(count, across_of(meta, shard, d), &count) || count > VZ_SHARD_CHUNKS_MAX) {
            vz_fail(err, VZ_LIMIT, "a shard of more than %llu chunks", (unsigned long long)VZ_SHARD_CHUNKS_MAX);
            return NULL;
        }
    vz_pending *pending = calloc(1, sizeof *pending + count * sizeof *pending->chunks);
    if (!pending) {
        vz_fail_memory(err);
        return NULL;
    }
    memcpy(pending->shard, shard, meta->rank * sizeof *shard);
    pending->count = count;
    if (vz_strmap_put(array->shards->pending, name, pending, err))
        return pending;
    free(pending);
    return NULL;
}

vz_pending *vz_pending_find(const vz_array *array, const uint64_t *shard)
{
    char name[VZ_SHARD_NAME_MAX];
    return name_of(array, shard, name, NULL) ? vz_strmap_get(array->shards->pending, name) : NULL;
}

vz_pending *vz_pending_of(vz_array *array, const uint64_t *shard, vz_error *err)
{
    char name[VZ_SHARD_NAME_MAX];
    if (!name_of(array, shard, name, err))
        return NULL;
    vz_pending *pending = vz_strmap_get(array->shards->pending, name);
    return pending ? pending : new_pending(array, shard, name, err);
}

uint64_t vz_pending_place(const vz_meta *meta, const uint64_t *chunk)
{
    uint64_t place = 0, shard[VZ_MAX_RANK];
    if (meta->shard_edges)
        vz_shard_of(meta, chunk, shard);
    for (unsigned d = 0; d < meta->rank; d++) {
        const uint64_t across =
            meta->shard_edges ? across_of(meta, shard, d) : meta->shards[0].shape[d] / meta->chunks[d];
        place = place * across + (meta->shard_edges ? chunk[d] - first_of(meta, shard, d) : chunk[d] % across);
    }
    return place;
}

void vz_pending_chunk(const vz_meta *meta, const uint64_t *shard, uint64_t place, uint64_t *chunk)
{
    for (unsigned d = meta->rank; d-- > 0;) {
        const uint64_t across = across_of(meta, shard, d);
        chunk[d] = first_of(meta, shard, d) + place % across;
        place /= across;
    }
}

uint64_t vz_pending_inside(const vz_meta *meta, const uint64_t *shard)
{
    uint64_t dims[VZ_MAX_RANK], count = 1;
    vz_grid_dims(meta, meta->shape, dims);
    for (unsigned d = 0; d < meta->rank; d++) {
        const uint64_t across = across_of(meta, shard, d), first = first_of(meta, shard, d);
        const uint64_t left = first < dims[d] ? dims[d] - first : 0;
        count *= left < across ? left : across;
    }
    return count;
}

const vz_shard_waiting_chunk *vz_shard_waiting(const vz_array *array, const char *name, const uint64_t *chunk)
{
    const vz_pending *pending = vz_strmap_get(array->shards->pending, name);
    const vz_shard_waiting_chunk *waiting = pending ? &pending->chunks[vz_pending_place(array->meta, chunk)] : NULL;
    return waiting && waiting->touched ? waiting : NULL;
}
