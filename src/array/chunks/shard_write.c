/* shard_write.c - shards that are due go to the store. Their values in the store are asked for
 * together, and each is put under the condition that this is still so. */
#include "base/os/thread.h"
#include "array/chunks/shard_state_internal.h"
#include <stdlib.h>

/* The shards that are written together. */
typedef struct writing {
    vz_array *array;
    vz_pending **list;
    size_t count;
    char **keys;
    vz_range nothing;     /* no range is read of what is replaced as a whole */
    vz_request *requests; /* for what the store has: request i for shard tag */
    vz_batch *batch;
} writing;

static bool write_answered(writing *work, const vz_request *request, unsigned worker, vz_error *err)
{
    vz_pending *pending = work->list[request->tag];
    vz_error failed = VZ_ERROR_NONE;
    if (request->failed != VZ_OK)
        return false; /* the batch has the error */
    pending->written = vz_shard_put_over(work->array, pending, request, worker, &failed);
    vz_store_forget_held(work->array->store, request->key); /* others may replace it from here on */
    if (pending->written || failed.class == VZ_CHANGED)
        return true;
    vz_error_where(&failed, NULL, request->key);
    if (err->class == VZ_OK)
        *err = failed;
    return false;
}

/* One that fails does not keep the others from being written. */
static bool write_task(void *context, size_t index, unsigned worker, vz_error *err)
{
    writing *work = context;
    vz_request *request;
    bool ok = true;
    (void)index;
    while ((request = vz_batch_next(work->batch, vz_pool_scratch(worker, VZ_SCRATCH_STORED))))
        ok = write_answered(work, request, worker, err) && ok;
    return ok || err->class == VZ_OK;
}

/* ---- arrays that nobody else knows ---- */

static bool put_whole_task(void *context, size_t index, unsigned worker, vz_error *err)
{
    writing *work = context;
    vz_pending *pending = work->list[index];
    if (!vz_shard_is_complete(work->array, pending))
        return true;
    pending->written = vz_shard_put_private(work->array, pending, work->keys[index], worker, err);
    return pending->written || (vz_error_where(err, NULL, work->keys[index]), false);
}

/* ---- others ---- */

/* The stored shard is read if some of its chunks do not wait here. Other processes that write it
 * wait meanwhile. */
static size_t make_requests(writing *work)
{
    size_t count = 0;
    for (size_t i = 0; i < work->count; i++) {
        const vz_pending *pending = work->list[i];
        const bool complete = vz_shard_is_complete(work->array, pending);
        if (pending->written)
            continue;
        work->requests[count++] = (vz_request){
            .key = work->keys[i], .ranges = complete ? &work->nothing : NULL, .hold = VZ_HOLD_TO_REPLACE, .tag = i};
    }
    return count;
}

/* They are encoded already: what waits is put together. */
static uint64_t bytes_of_shards(const writing *work)
{
    uint64_t bytes = vz_chunks_bytes(work->array, work->count);
    for (size_t i = 0; i < work->count; i++)
        bytes += work->list[i]->bytes;
    return bytes;
}

static bool write_round(writing *work, size_t *left, vz_error *err)
{
    const unsigned width = vz_pool_width();
    const uint64_t bytes = bytes_of_shards(work);
    const size_t count = make_requests(work);
    work->batch = vz_batch_open(work->array->store, work->requests, count, err);
    bool ok = work->batch && vz_pool_run_bytes(write_task, work, count < width ? count : width, bytes, err);
    ok = work->batch && vz_batch_close(work->batch, ok ? err : NULL) && ok;
    *left = 0;
    for (size_t i = 0; i < work->count; i++)
        *left += !work->list[i]->written;
    return ok;
}

/* to be the one that makes a shard: each that fails is another writer that made it */
#define WRITE_ATTEMPTS 100

static bool write_all(writing *work, vz_error *err)
{
    size_t left = work->count;
    /* Whole shards that no other process can have written: nothing is looked at, and all are on
     * their way at once. */
    bool ok = !vz_shard_is_private(work->array) ||
              vz_pool_run_bytes(put_whole_task, work, work->count, bytes_of_shards(work), err);
    for (size_t i = 0; i < work->count; i++)
        left -= work->list[i]->written;
    for (unsigned attempt = 0; ok && left > 0 && attempt < WRITE_ATTEMPTS; attempt++)
        ok = write_round(work, &left, err);
    return ok && (left == 0 || vz_fail(err, VZ_BUSY, "other processes make and delete these shards all the time"));
}

static bool make_keys(writing *work, vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX];
    for (size_t i = 0; i < work->count; i++) {
        const vz_array *array = work->array;
        if (!vz_meta_chunk_key(array->meta, array->prefix, work->list[i]->shard, key, sizeof key, err))
            return false;
        if (!(work->keys[i] = strdup(key)))
            return vz_fail_memory(err);
        work->list[i]->written = false;
    }
    return true;
}

static bool write_list(writing *work, vz_error *err)
{
    work->keys = calloc(work->count, sizeof *work->keys);
    work->requests = malloc(work->count * sizeof *work->requests);
    bool ok = (work->keys && work->requests) || vz_fail_memory(err);
    vz_store_hold(work->array->store);
    ok = ok && make_keys(work, err) && write_all(work, err);
    vz_store_release(work->array->store);
    for (size_t i = 0; work->keys && i < work->count; i++)
        free(work->keys[i]);
    free(work->keys);
    free(work->requests);
    return ok;
}

static bool is_due(const vz_array *array, const vz_pending *pending, bool all)
{
    return all || pending->inside >= vz_pending_inside(array->meta, pending->shard);
}

/* The list of shards to be written; *count of them. */
static vz_pending **collect(vz_array *array, bool all, size_t *count, vz_error *err)
{
    const size_t most = vz_strmap_count(array->shards->pending);
    vz_pending **list = malloc((most ? most : 1) * sizeof *list);
    size_t cursor = 0;
    const char *name;
    void *value;
    *count = 0;
    if (!list)
        vz_fail_memory(err);
    while (list && vz_strmap_next(array->shards->pending, &cursor, &name, &value))
        if (is_due(array, value, all))
            list[(*count)++] = value;
    return list;
}

/* Changes of others in a chunk are read when they are needed. */
static void forget_merged(vz_array *array, const vz_pending *pending)
{
    uint64_t chunk[VZ_MAX_RANK];
    for (uint64_t i = 0; i < pending->count; i++) {
        if (!pending->chunks[i].change || !pending->chunks[i].change->merged)
            continue;
        vz_pending_chunk(array->meta, pending->shard, i, chunk);
        vz_cached *entry = vz_cache_find(&array->cache, chunk);
        if (entry && !entry->dirty && !entry->pins)
            vz_cache_remove(&array->cache, entry);
    }
}

static void forget_written(vz_array *array, vz_pending *pending)
{
    forget_merged(array, pending);
    vz_pending_forget(array, pending);
}

static void forget_indexes(vz_array *array)
{
    vz_shard_known_forget(array->shards);
    array->shards->wrote_early = false;
}

bool vz_shards_write(vz_array *array, bool all, vz_error *err)
{
    size_t count;
    if (array->shards && array->shards->wrote_early)
        forget_indexes(array);
    if (!array->shards || vz_strmap_count(array->shards->pending) == 0)
        return true;
    vz_pending **list = collect(array, all, &count, err);
    if (!list)
        return false;
    writing work = {.array = array, .list = list, .count = count};
    for (size_t i = 0; i < count; i++)
        list[i]->written = false;
    const bool ok = count == 0 || write_list(&work, err);
    for (size_t i = 0; i < count; i++)
        if (list[i]->written)
            forget_written(array, list[i]);
    if (count > 0)
        forget_indexes(array);
    free(list);
    return ok;
}
