/* shard_complete.c - shards all of which a batch of a write covers: each is put by the worker that
 * stores its last chunk. Chunks come in the order of shards, so that few of them wait at a time. */
#include "array/selection/selection.h"
#include "array/chunks/transfer_work.h"
#include "array/chunks/shard_state_internal.h"

/* ---- which ---- */

/* Old values that must be looked at first are looked at for all shards together if a look is a
 * round trip. */
static bool may_put_early(const vz_array *array)
{
    return array->shards && !array->sharing &&
           (vz_shard_is_private(array) || (array->store->capabilities & VZ_STORE_CHEAP));
}

/* Behind the last of the jobs from `first` on that are of one shard. */
static size_t shard_end(const vz_work *work, size_t first, uint64_t *shard)
{
    const vz_meta *meta = work->array->meta;
    uint64_t next[VZ_MAX_RANK];
    size_t end = first + 1;
    vz_shard_of(meta, work->jobs[first].piece.chunk, shard);
    for (; end < work->job_count; end++) {
        vz_shard_of(meta, work->jobs[end].piece.chunk, next);
        if (memcmp(next, shard, meta->rank * sizeof *shard) != 0)
            break;
    }
    return end;
}

static bool is_covered(const vz_work *work, size_t first, size_t end, const uint64_t *shard)
{
    bool covered = end - first == vz_pending_inside(work->array->meta, shard);
    for (size_t i = first; covered && i < end; i++)
        covered = work->jobs[i].piece.covers && !work->jobs[i].entry;
    return covered;
}

/* Chunks at the array's edge are kept since they may grow: not where that would keep a shard that
 * is there for the most part. */
static bool may_grow(const vz_meta *meta, const uint64_t *shard)
{
    double share = 1;
    for (unsigned d = 0; d < meta->rank; d++) {
        const uint64_t size = vz_grid_shard_edge(meta, d, shard[d]);
        const uint64_t left = meta->shape[d] - vz_grid_shard_start(meta, d, shard[d]);
        share *= left < size ? (double)left / (double)size : 1;
    }
    return share <= 0.5;
}

static bool wants_entry(const vz_work *work, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (work->jobs[i].way != VZ_WAY_WHOLE)
            return true;
    return false;
}

static bool await(vz_work *work, size_t first, size_t end, const uint64_t *shard, vz_error *err)
{
    vz_pending *pending = vz_pending_of(work->array, shard, err);
    if (!pending)
        return false;
    for (size_t i = first; i < end; i++) {
        work->array->counts.cache_misses -= work->jobs[i].way != VZ_WAY_WHOLE;
        work->jobs[i].way = VZ_WAY_WHOLE;
    }
    pending->awaited = end - first;
    vz_stream_begin(work->array, pending);
    return true;
}

bool vz_shards_await(vz_work *work, vz_error *err)
{
    uint64_t shard[VZ_MAX_RANK];
    if (!may_put_early(work->array))
        return true;
    for (size_t first = 0, end; first < work->job_count; first = end) {
        end = shard_end(work, first, shard);
        if (!is_covered(work, first, end, shard) ||
            (wants_entry(work, first, end) && may_grow(work->array->meta, shard)))
            continue;
        if (!await(work, first, end, shard, err))
            return false;
    }
    return true;
}

/* ---- while workers run ---- */

bool vz_shards_awaits(vz_array *array, const uint64_t *chunk)
{
    uint64_t shard[VZ_MAX_RANK];
    if (!array->shards)
        return false;
    vz_shard_of(array->meta, chunk, shard);
    vz_os_mutex_lock(&array->shards->lock);
    const vz_pending *pending = vz_pending_find(array, shard);
    const bool awaits = pending && pending->awaited > 0;
    vz_os_mutex_unlock(&array->shards->lock);
    return awaits;
}

static bool put_over(vz_array *array, vz_pending *pending, const char *key, unsigned worker)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_request met;
    const bool ok =
        vz_shard_look_at_version(array, key, &met, &failed) && vz_shard_put_over(array, pending, &met, worker, &failed);
    vz_store_forget_held(array->store, key); /* others may replace it from here on */
    return ok;
}

static void forget(vz_array *array, vz_pending *pending, bool written)
{
    vz_os_mutex_lock(&array->shards->lock);
    vz_pending_forget(array, pending);
    array->shards->wrote_early = array->shards->wrote_early || written;
    vz_os_mutex_unlock(&array->shards->lock);
}

bool vz_shard_write_early(vz_array *array, vz_pending *pending, unsigned worker, vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX];
    vz_error failed = VZ_ERROR_NONE;
    const bool due = vz_shard_is_complete(array, pending) &&
                     vz_meta_chunk_key(array->meta, array->prefix, pending->shard, key, sizeof key, &failed);
    bool ok = due && vz_stream_finish(array, pending, key, worker, &failed);
    if (!ok && !vz_stream_give_back(array, pending, failed.class == VZ_OK ? &failed : NULL)) {
        forget(array, pending, false);
        if (err && err->class == VZ_OK)
            *err = failed;
        return false;
    }
    if (due && !ok)
        ok = vz_shard_is_private(array) ? vz_shard_put_private(array, pending, key, worker, NULL)
                                        : put_over(array, pending, key, worker);
    if (ok)
        forget(array, pending, true);
    return true;
}

/* ---- after them ---- */

bool vz_shards_await_end(vz_array *array, vz_error *err)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    bool ok = true;
    while (array->shards && vz_strmap_next(array->shards->pending, &cursor, &name, &value)) {
        vz_pending *pending = value;
        const bool whole = vz_stream_give_back(array, pending, ok ? err : NULL);
        ok = ok && whole;
        if (!whole || (pending->awaited > 0 && vz_pending_is_empty(pending)))
            vz_pending_forget(array, pending);
        else
            pending->awaited = 0;
    }
    return ok;
}
