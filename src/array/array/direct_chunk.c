/* direct_chunk.c - direct access to chunks. */
#include "base/os/thread.h"
#include "array/array/array_internal.h"
#include "array/chunks/array_state.h"
#include "array/selection/selection.h"
#include <stdlib.h>

static bool check_chunk(const vz_array *array, const uint64_t *chunk, vz_error *err)
{
    return vz_grid_inside(array->meta, chunk) || vz_fail(err, VZ_INVALID, "the array has no such chunk");
}

static bool flush_chunk(vz_array *array, const uint64_t *chunk, vz_error *err)
{
    vz_cached *entry = vz_cache_find(&array->cache, chunk);
    if (entry && entry->dirty && array->keep_dirty)
        return vz_fail(err, VZ_READ_ONLY, "the process that was forked has not written the chunk yet");
    return !entry || !entry->dirty || vz_cached_write(array, &entry, 1, err);
}

static void forget_chunk(vz_array *array, const uint64_t *chunk)
{
    vz_cached *entry = vz_cache_find(&array->cache, chunk);
    if (entry)
        vz_cache_remove(&array->cache, entry);
}

/* A chunk as a whole, with C order on the memory side. */
static vz_box whole_box(const vz_meta *meta)
{
    vz_box box = {0};
    const vz_box_strides layout = vz_layout_of(meta, NULL, meta->dtype->size);
    uint64_t step = meta->chunk_size;
    for (unsigned d = 0; d < meta->rank; d++) {
        step /= meta->chunks[d];
        vz_box_add(&box, meta->chunks[d], layout.steps[d], step);
    }
    return box;
}

typedef struct chunk_task {
    vz_array *array;
    const uint64_t *chunk;
    vz_buffer *out;
    vz_bytes in;
    bool erase;
} chunk_task;

static bool take_decoded(void *context, vz_fetch *fetch, size_t index, unsigned worker, vz_error *err)
{
    (void)index;
    chunk_task *task = context;
    vz_array *array = task->array;
    const vz_meta *meta = array->meta;
    const bool turn = !vz_meta_is_order(meta, false);
    if (!fetch->found)
        return true;
    if (!vz_chunk_may_be_large(array, err) || !vz_buffer_reserve(task->out, meta->chunk_size, err))
        return false;
    uint8_t *decoded = turn ? vz_chunk_scratch(array, worker, err) : task->out->data;
    if (!decoded || !vz_chunk_decode(array, fetch->chunk, fetch->bytes, decoded, NULL, worker, err))
        return false;
    if (!turn)
        return true;
    const vz_mover mover = vz_mover_bytes(meta->dtype->size);
    const vz_box box = whole_box(meta);
    return vz_scatter_box(&mover, decoded, 0, task->out->data, &box, err);
}

static bool get_decoded(vz_array *array, const uint64_t *chunk, vz_buffer *out, bool *found, vz_error *err)
{
    chunk_task task = {.array = array, .chunk = chunk, .out = out};
    vz_fetch fetch = {.chunk = chunk, .needed = true, .most = vz_chunk_stored_max(array)};
    if (!vz_fetch_one(array, &fetch, 1, take_decoded, &task, err))
        return false;
    *found = fetch.found;
    out->size = fetch.found ? array->meta->chunk_size : 0;
    return true;
}

bool vz_array_is_reframed(const vz_array *array)
{
    return vz_chain_is_reframed(&array->chain);
}

static bool get_filtered(vz_array *array, const uint64_t *chunk, vz_buffer *out, bool *found, vz_error *err)
{
    vz_buffer stored = {0};
    bool ok = vz_chunk_get_stored(array, chunk, &stored, found, err);
    if (ok && *found && !vz_chain_to_filters(&array->chain, (vz_bytes){stored.data, stored.size}, out, err)) {
        vz_error_where(err, NULL, array->prefix);
        ok = false;
    }
    vz_buffer_clear(&stored);
    return ok;
}

bool vz_array_get_chunk(vz_array *array, const uint64_t *chunk, vz_array_chunk_form form, vz_buffer *out, bool *found,
                        vz_error *err)
{
    *found = false;
    out->size = 0;
    if (!check_chunk(array, chunk, err) || !flush_chunk(array, chunk, err))
        return false;
    if (form == VZ_CHUNK_FILTERED && vz_array_is_reframed(array))
        return get_filtered(array, chunk, out, found, err);
    if (form != VZ_CHUNK_DECODED)
        return vz_chunk_get_stored(array, chunk, out, found, err);
    if (array->objects)
        return vz_fail(err, VZ_UNSUPPORTED, "decoded chunks of an array of objects");
    return get_decoded(array, chunk, out, found, err);
}

static bool encode_task(void *context, size_t index, unsigned worker, vz_error *err)
{
    (void)index;
    chunk_task *task = context;
    vz_array *array = task->array;
    const uint8_t *decoded = task->in.data;
    if (!vz_meta_is_order(array->meta, false)) {
        uint8_t *turned = vz_chunk_scratch(array, worker, err);
        const vz_mover mover = vz_mover_bytes(array->meta->dtype->size);
        const vz_box box = whole_box(array->meta);
        if (!turned || !vz_gather_box(&mover, turned, decoded, &box, err))
            return false;
        decoded = turned;
    }
    return vz_chunk_store(array, task->chunk, decoded, NULL, &task->erase, worker, err);
}

static bool put_filtered(vz_array *array, const uint64_t *chunk, vz_bytes bytes, vz_error *err)
{
    vz_buffer stored = {0};
    const bool ok = vz_chain_from_filters(&array->chain, bytes, &stored, err) &&
                    array->source->store(array, chunk, &(vz_bytes){stored.data, stored.size}, NULL, 0, err);
    vz_buffer_clear(&stored);
    return ok;
}

static bool put_decoded(vz_array *array, const uint64_t *chunk, vz_bytes bytes, vz_error *err)
{
    if (array->objects)
        return vz_fail(err, VZ_UNSUPPORTED, "decoded chunks of an array of objects");
    if (bytes.size != array->meta->chunk_size)
        return vz_fail(err, VZ_INVALID, "a chunk has %zu bytes, not %zu", array->meta->chunk_size, bytes.size);
    chunk_task task = {.array = array, .chunk = chunk, .in = bytes};
    return vz_pool_run(encode_task, &task, 1, err) && (!task.erase || vz_chunks_erase(array, &chunk, 1, err));
}

bool vz_array_put_chunk(vz_array *array, const uint64_t *chunk, vz_array_chunk_form form, vz_bytes bytes, vz_error *err)
{
    if (!check_chunk(array, chunk, err) || !vz_array_may_change(array, false, err))
        return false;
    const bool reframed = form == VZ_CHUNK_FILTERED && vz_array_is_reframed(array);
    const bool ok = form == VZ_CHUNK_DECODED ? put_decoded(array, chunk, bytes, err)
                    : reframed               ? put_filtered(array, chunk, bytes, err)
                                             : array->source->store(array, chunk, &bytes, NULL, 0, err);
    if (ok) /* also what was dirty: the whole chunk is another now */
        forget_chunk(array, chunk);
    return vz_shards_write(array, false, ok ? err : NULL) && ok;
}

bool vz_array_chunk_size(vz_array *array, const uint64_t *chunk, uint64_t *size, bool *found, vz_error *err)
{
    *found = false;
    *size = 0;
    return check_chunk(array, chunk, err) && flush_chunk(array, chunk, err) &&
           array->source->size(array, chunk, size, found, err);
}
