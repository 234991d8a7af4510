/* array_write.c - writing: whole chunks go straight to the store, parts into cached chunks. */
#include "array/array/array_internal.h"
#include "array/chunks/transfer_work.h"
#include "array/selection/selection.h"
#include "array/array/ranks_internal.h"
#include "base/os/thread.h"
#include <stdlib.h>

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

/* Copies the piece into a decoded chunk. arena, live: a cached chunk of objects keeps its own
 * bytes. NULL: the chunk is encoded before the buffer can change, so the items may go on
 * pointing there. */
static bool gather_piece(const vz_work *work, vz_work_job *job, uint8_t *chunk, vz_arena *arena, uint64_t *live,
                         vz_error *err)
{
    const vz_mover mover = vz_work_mover(work, arena, live);
    box_source source = {work, &mover, chunk};
    job->staged = true;
    return vz_piece_walk(&work->layout, &job->piece, gather_box, &source, err);
}

static bool write_entry(const vz_work *work, vz_work_job *job, const vz_fetch *fetch, unsigned worker, vz_error *err)
{
    vz_array *array = work->array;
    vz_cached *entry = job->entry;
    const bool objects = array->objects, read = fetch->needed && fetch->found;
    if (read && !vz_cached_decode(array, entry, fetch, worker, err))
        return false;
    if (!read && !entry->ready && !vz_cached_fill(array, entry, err))
        return false;
    job->missing = fetch->needed && !fetch->found;
    if (job->missing)
        vz_change_begin(&entry->change, false, &fetch->version);
    if (!vz_change_piece(&entry->change, &work->layout, &job->piece, err))
        return false;
    job->touched = true; /* also when the copy fails half-way */
    return gather_piece(work, job, entry->data, objects ? &entry->arena : NULL, objects ? &entry->live : NULL, err) &&
           vz_cached_compact(array, entry, err);
}

/* Of several ranks that write together each sends its part to the chunk's owner. */
static bool store_or_send(vz_array *array, vz_work_job *job, const uint8_t *chunk, vz_chunk_change *change,
                          unsigned worker, vz_error *err)
{
    if (vz_owners_gather(array) && change->kind == VZ_CHANGE_PART)
        return vz_owners_send(array, job->piece.chunk, change, chunk, err);
    return vz_chunk_store(array, job->piece.chunk, chunk, change, &job->erase, worker, err);
}

/* Read, change, write by scratch; what the piece covers anyway is not read. */
static bool write_staged(const vz_work *work, vz_work_job *job, const vz_fetch *fetch, unsigned worker, vz_error *err)
{
    vz_array *array = work->array;
    vz_arena old = {0};
    vz_chunk_change change = {0};
    uint8_t *chunk = vz_chunk_scratch(array, worker, err);
    const bool read = fetch->needed && fetch->found;
    bool ok = chunk && (!read || vz_chunk_decode(array, fetch->chunk, fetch->bytes, chunk, &old, worker, err));
    if (ok && !read && !(job->piece.covers && vz_grid_is_full(array->meta, job->piece.chunk)))
        vz_chunk_fill(array, chunk);
    job->missing = ok && fetch->needed && !fetch->found;
    vz_change_begin(&change, read, &fetch->version);
    ok = ok && vz_change_piece(&change, &work->layout, &job->piece, err) &&
         gather_piece(work, job, chunk, NULL, NULL, err) && store_or_send(array, job, chunk, &change, worker, err);
    vz_change_clear(&change);
    vz_arena_clear(&old);
    return ok;
}

static bool write_whole(const vz_work *work, vz_work_job *job, const vz_fetch *fetch, unsigned worker, vz_error *err)
{
    uint64_t memory;
    vz_parts parts;
    if (work->transfer->conversion || work->transfer->texts)
        return write_staged(work, job, fetch, worker, err);
    if (vz_piece_is_whole(&work->layout, &job->piece, &memory)) {
        const uint8_t *place = (const uint8_t *)work->transfer->buffer + memory;
        job->direct = true;
        return vz_chunk_store(work->array, job->piece.chunk, place, NULL, &job->erase, worker, err);
    }
    if (!vz_rows_are_parts(work, job, vz_pool_scratch(worker, VZ_SCRATCH_CHUNK), &parts))
        return write_staged(work, job, fetch, worker, err);
    job->direct = true;
    return vz_chunk_store_parts(work->array, job->piece.chunk, parts, &job->erase, err);
}

static bool take_job(void *context, vz_fetch *fetch, size_t index, unsigned worker, vz_error *err)
{
    const vz_work *work = context;
    vz_work_job *job = &work->jobs[index];
    if (job->way == VZ_WAY_ENTRY)
        return write_entry(work, job, fetch, worker, err);
    return job->way == VZ_WAY_WHOLE ? write_whole(work, job, fetch, worker, err)
                                    : write_staged(work, job, fetch, worker, err);
}

/* A chunk that the selection does not cover is read first. */
static void prepare_fetches(vz_work *work)
{
    for (size_t i = 0; i < work->job_count; i++) {
        const vz_work_job *job = &work->jobs[i];
        work->fetches[i] =
            (vz_fetch){.chunk = job->piece.chunk,
                       .needed = !job->piece.covers && !work->array->sharing && !(job->entry && job->entry->ready),
                       .most = vz_chunk_stored_max(work->array)};
    }
}

/* An edge chunk that is covered only because the array ends there is likely to be appended to. It
 * is worth keeping until more than half of it is there. */
static bool may_grow(const vz_meta *meta, const uint64_t *chunk)
{
    return vz_grid_valid(meta, chunk) <= meta->chunk_count / 2;
}

static void plan_job(vz_work *work, vz_work_job *job)
{
    vz_array *array = work->array;
    job->entry = vz_cache_find(&array->cache, job->piece.chunk);
    if (job->entry && job->piece.covers && !job->entry->dirty) { /* nothing of it survives */
        vz_cache_remove(&array->cache, job->entry);
        job->entry = NULL;
    } else if (job->entry) {
        job->entry->pins++;
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
    size_t count = 0;
    for (size_t i = 0; i < work->job_count; i++)
        count += work->jobs[i].erase;
    if (count == 0)
        return true;
    const uint64_t **chunks = malloc(count * sizeof *chunks);
    if (!chunks)
        return vz_fail_memory(err);
    for (size_t i = count = 0; i < work->job_count; i++)
        if (work->jobs[i].erase)
            chunks[count++] = work->jobs[i].piece.chunk;
    const bool ok = vz_chunks_erase(work->array, chunks, count, err);
    free(chunks);
    return ok;
}

static bool stores_at_once(const vz_work *work)
{
    for (size_t i = 0; i < work->job_count; i++)
        if (work->jobs[i].way != VZ_WAY_ENTRY)
            return true;
    return false;
}

static bool plan(vz_work *work, vz_error *err)
{
    vz_array *array = work->array;
    if (!vz_chain_prepare(&array->chain, err))
        return false;
    for (size_t i = 0; i < work->job_count; i++)
        plan_job(work, &work->jobs[i]);
    if (!vz_shards_await(work, err))
        return false;
    const size_t added = entries_to_add(work);
    const bool ok = (added == 0 || vz_cached_make_room(array, added * vz_cache_cost(&array->cache), err)) &&
                    vz_work_keep_last(work, added, err) &&
                    (!stores_at_once(work) || vz_array_may_change(array, false, err));
    prepare_fetches(work);
    return ok;
}

static bool finish(vz_work *work, bool ok, vz_error *err)
{
    vz_array *array = work->array;
    vz_work_finish(work);
    ok = vz_shards_await_end(array, ok ? err : NULL) && ok;
    ok = erase_filled(work, ok ? err : NULL) && ok;
    return vz_shards_write(array, false, ok ? err : NULL) && ok && vz_cached_make_room(array, 0, err);
}

static const vz_work_steps steps = {.plan = plan, .take = take_job, .finish = finish};

bool vz_arrays_write(const vz_array_transfer *list, size_t count, size_t *failed, vz_error *err)
{
    vz_arrays_look_together(list, count);
    return vz_transfers_run(list, count, false, &steps, failed, err);
}

bool vz_array_write(vz_array *array, const vz_transfer *transfer, vz_error *err)
{
    size_t failed;
    return vz_arrays_write(&(vz_array_transfer){array, transfer}, 1, &failed, err);
}
