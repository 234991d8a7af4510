/* shard.c - what is held of an array's shards; chunks that wait for their shard. */
#include "array/selection/selection.h"
#include "array/chunks/shard_state_internal.h"
#include <stdlib.h>

static bool open_levels(vz_shards *shards, const vz_meta *meta, vz_error *err)
{
    if (!(shards->levels = calloc(meta->shard_levels, sizeof *shards->levels)))
        return vz_fail_memory(err);
    shards->level_count = meta->shard_levels;
    for (unsigned i = 0; i < meta->shard_levels; i++) {
        if (!vz_shard_codecs_open(&shards->levels[i], meta, i, err))
            return false;
        shards->has_wholes = shards->has_wholes || shards->levels[i].behind.count > 0;
    }
    return true;
}

vz_shards *vz_shards_new(const vz_meta *meta, vz_error *err)
{
    vz_shards *shards = calloc(1, sizeof *shards);
    if (!shards) {
        vz_fail_memory(err);
        return NULL;
    }
    vz_os_mutex_init(&shards->lock);
    shards->pending = vz_strmap_new();
    shards->known = vz_strmap_new();
    if (!(shards->pending && shards->known ? open_levels(shards, meta, err) : vz_fail_memory(err))) {
        vz_shards_free(shards);
        return NULL;
    }
    shards->most = vz_shard_known_most(shards, meta);
    return shards;
}

void vz_shards_free(vz_shards *shards)
{
    if (!shards)
        return;
    vz_strmap_free(shards->pending, vz_pending_free);
    vz_strmap_free(shards->known, vz_shard_known_free);
    for (unsigned i = 0; i < shards->level_count; i++)
        vz_shard_codecs_clear(&shards->levels[i]);
    free(shards->levels);
    vz_os_mutex_destroy(&shards->lock);
    free(shards);
}

void vz_shards_forget(vz_array *array)
{
    if (array->shards)
        vz_shard_known_forget(array->shards);
}

/* ---- transfers ---- */

void vz_shards_begin(vz_array *array)
{
    if (!array->shards)
        return;
    vz_store_hold(array->store);
    array->shards->in_transfer = true;
    array->shards->transfer++;
}

void vz_shards_end(vz_array *array)
{
    if (!array->shards)
        return;
    array->shards->in_transfer = false;
    vz_store_release(array->store);
}

void vz_shards_drop(vz_array *array)
{
    vz_shards *shards = array->shards;
    size_t cursor = 0;
    const char *name;
    void *value;
    vz_shards_forget(array);
    while (shards && vz_strmap_next(shards->pending, &cursor, &name, &value)) {
        vz_strmap_remove(shards->pending, name);
        vz_pending_free(value);
    }
    if (shards)
        shards->pending_bytes = 0;
}

/* Also while another thread writes the array: the write that it makes is noted when it ends. */
uint64_t vz_shards_dirty_bytes(const vz_array *array)
{
    if (!array->shards)
        return 0;
    vz_os_mutex_lock(&array->shards->lock);
    const uint64_t bytes = array->shards->pending_bytes;
    vz_os_mutex_unlock(&array->shards->lock);
    return bytes;
}

/* ---- chunks that wait ---- */

/* The change that a chunk waits with, after another one: what was read before both is what the rest
 * is of. Sets *result; NULL there: all of the chunk is ours. */
static bool add_change(const vz_array *array, const vz_shard_waiting_chunk *waiting, const vz_chunk_change *change,
                       vz_chunk_change **result, vz_error *err)
{
    *result = NULL;
    if (!change || (waiting->touched && !waiting->change))
        return true;
    vz_chunk_change *sum = calloc(1, sizeof *sum);
    if (!sum)
        return vz_fail_memory(err);
    const vz_chunk_change *first = waiting->change ? waiting->change : change;
    sum->base = first->base;
    sum->version = first->version;
    if (vz_change_add(sum, first, array->meta->chunk_count, err) &&
        vz_change_add(sum, change, array->meta->chunk_count, err)) {
        *result = sum;
        return true;
    }
    vz_change_clear(sum);
    free(sum);
    return false;
}

static void note_most(vz_array *array)
{
    const uint64_t bytes = array->shards->pending_bytes;
    if (bytes > array->counts.waiting_most)
        array->counts.waiting_most = bytes;
}

/* Under the lock; takes `data`. */
static bool set_waiting(vz_array *array, vz_pending *pending, const uint64_t *chunk, uint8_t *data, size_t size,
                        const vz_chunk_change *change, vz_error *err)
{
    vz_shards *shards = array->shards;
    vz_shard_waiting_chunk *waiting = &pending->chunks[vz_pending_place(array->meta, chunk)];
    vz_chunk_change *sum;
    if (!add_change(array, waiting, change, &sum, err)) {
        free(data);
        return false;
    }
    pending->inside += !waiting->touched && vz_grid_inside(array->meta, chunk);
    pending->bytes += size - waiting->size;
    shards->pending_bytes += size - waiting->size + (waiting->touched ? 0 : sizeof *waiting);
    vz_shard_waiting_chunk_clear(waiting);
    *waiting = (vz_shard_waiting_chunk){.touched = true, .data = data, .size = size, .change = sum};
    note_most(array);
    return true;
}

static bool let_wait(vz_array *array, vz_pending *pending, const uint64_t *chunk, const vz_bytes *bytes,
                     const vz_chunk_change *change, vz_error *err)
{
    uint8_t *data = bytes ? malloc(bytes->size ? bytes->size : 1) : NULL;
    if (bytes && !data)
        return vz_fail_memory(err);
    if (bytes && bytes->size)
        memcpy(data, bytes->data, bytes->size);
    vz_os_mutex_lock(&array->shards->lock);
    const bool ok = set_waiting(array, pending, chunk, data, bytes ? bytes->size : 0, change, err);
    vz_os_mutex_unlock(&array->shards->lock);
    return ok;
}

static vz_pending *pending_of(vz_array *array, const uint64_t *chunk, vz_error *err)
{
    uint64_t shard[VZ_MAX_RANK];
    vz_shard_of(array->meta, chunk, shard);
    vz_os_mutex_lock(&array->shards->lock);
    vz_pending *pending = vz_pending_of(array, shard, err);
    vz_os_mutex_unlock(&array->shards->lock);
    return pending;
}

/* Was it the last chunk that was awaited of its shard? */
static bool was_last(vz_array *array, vz_pending *pending)
{
    vz_os_mutex_lock(&array->shards->lock);
    const bool last = pending->awaited > 0 && --pending->awaited == 0;
    vz_os_mutex_unlock(&array->shards->lock);
    return last;
}

/* A batch stores each chunk once, so that a shard stays until the last one of it that is awaited is
 * counted. */
static bool shard_store(vz_array *array, const uint64_t *chunk, const vz_bytes *bytes, vz_chunk_change *change,
                        unsigned worker, vz_error *err)
{
    vz_pending *pending = pending_of(array, chunk, err);
    if (!pending || !((!change && vz_stream_take(array, pending, vz_pending_place(array->meta, chunk), bytes)) ||
                      let_wait(array, pending, chunk, bytes, change, err)))
        return false;
    vz_stream_go_on(array, pending);
    return !was_last(array, pending) || vz_shard_write_early(array, pending, worker, err);
}

/* ---- another shape ---- */

void vz_shards_reshaped(vz_array *array)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    while (array->shards && vz_strmap_next(array->shards->pending, &cursor, &name, &value)) {
        vz_pending *pending = value;
        uint64_t chunk[VZ_MAX_RANK];
        pending->inside = 0;
        for (uint64_t i = 0; i < pending->count; i++) {
            vz_pending_chunk(array->meta, pending->shard, i, chunk);
            pending->inside += pending->chunks[i].touched && vz_grid_inside(array->meta, chunk);
        }
    }
}

static void drop_outside(vz_array *array, vz_pending *pending)
{
    for (uint64_t i = 0; i < pending->count; i++) {
        vz_shard_waiting_chunk *waiting = &pending->chunks[i];
        uint64_t chunk[VZ_MAX_RANK];
        vz_pending_chunk(array->meta, pending->shard, i, chunk);
        if (!waiting->touched || vz_grid_inside(array->meta, chunk))
            continue;
        array->shards->pending_bytes -= waiting->size + sizeof *waiting;
        pending->bytes -= waiting->size;
        vz_shard_waiting_chunk_clear(waiting);
    }
}

void vz_shards_drop_outside(vz_array *array)
{
    size_t cursor = 0;
    const char *name;
    void *pending;
    vz_shards_reshaped(array);
    while (array->shards && vz_strmap_next(array->shards->pending, &cursor, &name, &pending))
        drop_outside(array, pending);
}

const vz_chunk_source vz_chunks_in_shards = {.begin = vz_shards_look,
                                             .ask = vz_shards_ask,
                                             .answer = vz_shards_answer,
                                             .end = vz_shards_looked,
                                             .moved = vz_shards_moved,
                                             .store = shard_store,
                                             .size = vz_shards_size};
