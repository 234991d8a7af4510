/* array_write.c - writing: whole chunks go straight to the store, parts into cached chunks. */
#include "util/pool.h"
#include "zarr/array_io.h"
#include "zarr/grid.h"

typedef struct box_source {
    const vz_work *work;
    const vz_mover *mover;
    uint8_t *chunk;
} box_source;

static bool gather_box(void *context, const vz_box *box, vz_error *err)
{
    const box_source *source = context;
    return vz_gather_box(source->mover, source->chunk, source->work->transfer->buffer, box, err);
}

/* Copies the piece into a decoded chunk. arena, live: a cached chunk of objects keeps its own bytes; NULL: the chunk is
 * encoded before the buffer can change, so the items may go on pointing there. */
static bool gather_piece(const vz_work *work, vz_job *job, uint8_t *chunk, vz_arena *arena, uint64_t *live,
                         vz_error *err)
{
    const vz_mover mover = vz_work_mover(work, arena, live);
    box_source source = {work, &mover, chunk};
    job->staged = true;
    return vz_piece_walk(&work->layout, &job->piece, gather_box, &source, err);
}

static bool write_entry(const vz_work *work, vz_job *job, unsigned worker, vz_error *err)
{
    vz_cached *entry = job->entry;
    bool found = true;
    if (!entry->ready && !vz_cached_load(work->array, entry, job->piece.covers, &found, worker, err))
        return false;
    job->missing = !found && !job->piece.covers;
    job->touched = true; /* also when the copy fails half-way */
    const bool objects = work->array->objects;
    return gather_piece(work, job, entry->data, objects ? &entry->arena : NULL, objects ? &entry->live : NULL, err) &&
           vz_cached_compact(work->array, entry, err);
}

/* Read, change, write by scratch; what the piece covers anyway is not read. */
static bool write_staged(const vz_work *work, vz_job *job, unsigned worker, vz_error *err)
{
    vz_array *array = work->array;
    vz_arena old = {0};
    uint8_t *chunk = vz_chunk_scratch(array, worker, err);
    bool found = false, ok = chunk != NULL;
    if (ok && !job->piece.covers)
        ok = vz_chunk_load(array, job->piece.chunk, chunk, &old, &found, worker, err);
    if (ok && !found && !(job->piece.covers && vz_grid_is_full(array->meta, job->piece.chunk)))
        vz_chunk_fill(array, chunk);
    job->missing = ok && !found && !job->piece.covers;
    ok = ok && gather_piece(work, job, chunk, NULL, NULL, err) &&
         vz_chunk_store(array, job->piece.chunk, chunk, &job->erase, worker, err);
    vz_arena_clear(&old);
    return ok;
}

static bool write_whole(const vz_work *work, vz_job *job, unsigned worker, vz_error *err)
{
    uint64_t memory;
    if (work->transfer->conversion || !vz_piece_is_whole(&work->layout, &job->piece, &memory))
        return write_staged(work, job, worker, err);
    const uint8_t *place = (const uint8_t *)work->transfer->buffer + memory;
    job->direct = true;
    return vz_chunk_store(work->array, job->piece.chunk, place, &job->erase, worker, err);
}

static bool write_job(void *context, size_t index, unsigned worker, vz_error *err)
{
    const vz_work *work = context;
    vz_job *job = &work->jobs[index];
    if (job->way == VZ_WAY_ENTRY)
        return write_entry(work, job, worker, err);
    return job->way == VZ_WAY_WHOLE ? write_whole(work, job, worker, err) : write_staged(work, job, worker, err);
}

/* An edge chunk that is covered only because the array ends there is likely to be appended to: it is worth keeping
 * until more than half of it is there. */
static bool may_grow(const vz_array_meta *meta, const uint64_t *chunk)
{
    return vz_grid_valid(meta, chunk) <= meta->chunk_count / 2;
}

static void plan_job(vz_work *work, vz_job *job)
{
    vz_array *array = work->array;
    job->entry = vz_cache_find(&array->cache, job->piece.chunk);
    if (job->entry && job->piece.covers && !job->entry->dirty) { /* nothing of it survives */
        vz_cache_remove(&array->cache, job->entry);
        job->entry = NULL;
    } else if (job->entry) {
        job->entry->pinned = true;
        job->way = VZ_WAY_ENTRY;
        array->counts.cache_hits++;
        return;
    }
    job->otherwise = VZ_WAY_STAGED;
    job->way = job->piece.covers && !may_grow(array->meta, job->piece.chunk) ? VZ_WAY_WHOLE : VZ_WAY_ENTRY;
    array->counts.cache_misses += job->way == VZ_WAY_ENTRY;
}

static size_t entries_to_add(const vz_work *work)
{
    const size_t wanted = vz_work_wanted(work);
    const size_t room = work->array->cache.budget / vz_cache_cost(&work->array->cache);
    const size_t most = room ? room : 1;
    return wanted < most ? wanted : most;
}

static bool erase_filled(const vz_work *work, vz_error *err)
{
    bool ok = true;
    for (size_t i = 0; i < work->job_count; i++)
        if (work->jobs[i].erase && !vz_chunk_erase(work->array, work->jobs[i].piece.chunk, err))
            ok = false;
    return ok;
}

static bool stores_at_once(const vz_work *work)
{
    for (size_t i = 0; i < work->job_count; i++)
        if (work->jobs[i].way != VZ_WAY_ENTRY)
            return true;
    return false;
}

static bool write_batch(vz_work *work, vz_error *err)
{
    vz_array *array = work->array;
    for (size_t i = 0; i < work->job_count; i++)
        plan_job(work, &work->jobs[i]);
    const size_t added = entries_to_add(work);
    bool ok = (added == 0 || vz_cached_make_room(array, added * vz_cache_cost(&array->cache), err)) &&
              vz_work_keep_last(work, added, err) && (!stores_at_once(work) || vz_array_may_store(array, false, err)) &&
              vz_pool_run(write_job, work, work->job_count, err);
    vz_work_settle(work);
    ok = erase_filled(work, ok ? err : NULL) && ok;
    return vz_shards_write(array, false, ok ? err : NULL) && ok && vz_cached_make_room(array, 0, err);
}

bool vz_array_write(vz_array *array, const vz_transfer *transfer, vz_error *err)
{
    return vz_array_explain(array, vz_transfer_run(array, transfer, false, write_batch, err), err);
}
