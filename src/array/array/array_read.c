/* array_read.c - reading: each chunk goes the cheapest way from the store to the buffer. */
#include "array/array/array.h"
#include "array/chunks/array_state.h"
#include "array/chunks/transfer_work.h"
#include "base/os/thread.h"

/* ---- what a box turns into ---- */

typedef struct box_target {
    const vz_work *work;
    const vz_mover *mover;
    const uint8_t *chunk;
    uint64_t origin; /* offset of chunk[0] in the decoded chunk */
} box_target;

static bool scatter_box(void *context, const vz_box *box, vz_error *err)
{
    const box_target *target = context;
    return vz_scatter_box(target->mover, target->chunk, target->origin, target->work->transfer->buffer, box, err);
}

static bool fill_box(void *context, const vz_box *box, vz_error *err)
{
    const vz_work *work = context;
    const vz_mover mover = work->transfer->texts ? vz_mover_texts_out() : vz_mover_bytes(work->transfer->element_size);
    return vz_fill_box(&mover, work->fill, work->transfer->buffer, box, err);
}

static bool fill_piece(const vz_work *work, vz_work_job *job, vz_error *err)
{
    job->missing = true;
    if (work->transfer->leave_missing)
        return true;
    return vz_piece_walk(&work->layout, &job->piece, fill_box, (void *)work, err);
}

/* Copies the piece out of (part of) a decoded chunk. arena: for the items' bytes; NULL: they stay
 * where they are. */
static bool scatter_piece(const vz_work *work, vz_work_job *job, const uint8_t *chunk, uint64_t origin, vz_arena *arena,
                          vz_error *err)
{
    const vz_mover mover = vz_work_mover(work, arena, NULL);
    box_target target = {work, &mover, chunk, origin};
    job->staged = true;
    return vz_piece_walk(&work->layout, &job->piece, scatter_box, &target, err);
}

/* ---- the ways ---- */

static vz_arena *arena_of(const vz_work *work, unsigned worker)
{
    return work->arenas ? &work->arenas[worker] : NULL;
}

static bool read_entry(const vz_work *work, vz_work_job *job, const vz_fetch *fetch, unsigned worker, vz_error *err)
{
    vz_cached *entry = job->entry;
    if (fetch->needed && !vz_cached_decode(work->array, entry, fetch, worker, err))
        return false;
    return scatter_piece(work, job, entry->data, 0, arena_of(work, worker), err);
}

/* By scratch, or from the stored bytes where they are the decoded ones. Items are decoded right
 * into the arena that the buffer will keep when nearly all of them are wanted. */
static bool read_staged(const vz_work *work, vz_work_job *job, const vz_fetch *fetch, unsigned worker, vz_error *err)
{
    vz_arena own = {0}, *keep = arena_of(work, worker);
    const bool keep_all = keep && job->way == VZ_WAY_WHOLE, lent = vz_chain_lends_items(&work->array->chain);
    if (work->array->raw && !keep)
        return vz_chunk_check_raw(work->array, fetch, err) && scatter_piece(work, job, fetch->bytes.data, 0, NULL, err);
    if (vz_chunk_decode_rows(work, job, fetch->bytes, worker)) {
        job->direct = true;
        return true;
    }
    uint8_t *chunk = vz_chunk_scratch(work->array, worker, err);
    const bool ok = chunk &&
                    vz_chunk_decode_piece(work, job, fetch->bytes, chunk,
                                          keep_all ? keep
                                          : lent   ? NULL
                                                   : &own,
                                          worker, err) &&
                    scatter_piece(work, job, chunk, 0, keep_all ? NULL : keep, err);
    vz_arena_clear(&own);
    return ok;
}

static bool read_whole(const vz_work *work, vz_work_job *job, const vz_fetch *fetch, unsigned worker, vz_error *err)
{
    uint8_t *place = NULL;
    if (!fetch->into && !vz_read_is_direct(work, job, &place))
        return read_staged(work, job, fetch, worker, err);
    job->direct = true;
    return fetch->into
               ? vz_chunk_check_raw(work->array, fetch, err)
               : vz_chunk_decode(work->array, fetch->chunk, fetch->bytes, place, arena_of(work, worker), worker, err);
}

static uint8_t *range_scratch(const vz_work_job *job, unsigned worker, vz_error *err)
{
    vz_buffer *part = vz_pool_scratch(worker, VZ_SCRATCH_CHUNK);
    part->size = 0;
    return vz_buffer_reserve(part, job->high - job->low, err) ? part->data : NULL;
}

static bool read_range(const vz_work *work, vz_work_job *job, const vz_fetch *fetch, unsigned worker, vz_error *err)
{
    if (fetch->ranges)
        return scatter_piece(work, job, fetch->bytes.data, job->low, NULL, err);
    uint8_t *part = range_scratch(job, worker, err);
    return part &&
           vz_chain_decode_range(&work->array->chain, fetch->bytes, job->low, job->high - job->low, part, worker,
                                 err) &&
           scatter_piece(work, job, part, job->low, NULL, err);
}

static bool take_read(const vz_work *work, vz_work_job *job, const vz_fetch *fetch, unsigned worker, vz_error *err)
{
    switch (job->way) {
    case VZ_WAY_ENTRY:
        return read_entry(work, job, fetch, worker, err);
    case VZ_WAY_WHOLE:
        return read_whole(work, job, fetch, worker, err);
    case VZ_WAY_RANGE:
        return read_range(work, job, fetch, worker, err);
    case VZ_WAY_ROWS:
        job->direct = true;
        return true;
    default:
        return read_staged(work, job, fetch, worker, err);
    }
}

/* ---- a chunk of which nothing is read yet ---- */

/* The list is as long as the chunk has rows, and there may be a thousand chunks: it goes at
 * once. */
static bool read_rows(const vz_work *work, vz_work_job *job, const vz_fetch *fetch, uint64_t head, vz_error *err)
{
    job->direct = true;
    const bool ok = vz_rows_list(work, job, head, err) &&
                    vz_chunk_opened_read(work->array, fetch, job->row_ranges, job->rows, job->row_places, err);
    vz_rows_forget(job);
    return ok;
}

/* Stored as its bytes are: what an array without codecs would have read. */
static bool read_plain(const vz_work *work, vz_work_job *job, const vz_fetch *fetch, unsigned worker, vz_error *err)
{
    const vz_array *array = work->array;
    const uint64_t head = vz_chain_plain_head(&array->chain);
    vz_range range = {VZ_RANGE_AT, head, array->meta->chunk_size};
    uint8_t *place;
    const bool rests = job->way == VZ_WAY_ENTRY && job->otherwise != VZ_WAY_STAGED;
    if (job->way == VZ_WAY_WHOLE && vz_read_is_direct(work, job, &place)) {
        vz_buffer into = vz_buffer_borrow(place, range.size);
        job->direct = true;
        return vz_chunk_opened_read(array, fetch, &range, 1, &into, err);
    }
    if (!rests && (vz_rows_are_all(work, job) || vz_rows_are_worth(work, job)))
        return read_rows(work, job, fetch, head, err);
    if (job->way == VZ_WAY_ENTRY)
        return vz_cached_read(work->array, job->entry, fetch, &range, err) &&
               scatter_piece(work, job, job->entry->data, 0, NULL, err);
    if (job->way != VZ_WAY_RANGE)
        job->low = 0, job->high = range.size;
    range = (vz_range){VZ_RANGE_AT, head + job->low, job->high - job->low};
    place = range_scratch(job, worker, err);
    vz_buffer into = vz_buffer_borrow(place, range.size);
    return place && vz_chunk_opened_read(array, fetch, &range, 1, &into, err) &&
           scatter_piece(work, job, place, job->low, NULL, err);
}

/* It goes the way of others. */
static void undivide(vz_work_job *job)
{
    if (job->place && job->way == VZ_WAY_ROWS)
        job->way = VZ_WAY_STAGED;
    job->place = NULL;
}

static bool read_opened(const vz_work *work, vz_work_job *job, vz_fetch *fetch, unsigned worker, vz_error *err)
{
    size_t unit = 0;
    if (!vz_chunk_opened_is_plain(work->array, fetch, &job->is_plain, job->place ? &unit : NULL, err))
        return false;
    if (job->place &&
        (job->is_plain || (vz_work_divide_fits(work->array, unit) && vz_chain_reads_range(&work->array->chain)))) {
        job->direct = true;
        return true; /* and read when all of them are opened */
    }
    undivide(job);
    if (job->is_plain)
        return read_plain(work, job, fetch, worker, err);
    if (job->way != VZ_WAY_RANGE)
        return vz_chunk_opened_read_all(work->array, fetch, false, worker, err) &&
               take_read(work, job, fetch, worker, err);
    uint8_t *part = range_scratch(job, worker, err);
    return part && vz_chunk_opened_decode_range(work->array, fetch, job->low, job->high, part, worker, err) &&
           scatter_piece(work, job, part, job->low, NULL, err);
}

/* Of one version: what is there by now, if somebody replaces it meanwhile. */
static bool take_opened(const vz_work *work, vz_work_job *job, vz_fetch *fetch, unsigned worker, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    bool ok = read_opened(work, job, fetch, worker, &failed);
    if (ok && job->place)
        return true;
    vz_store_forget_held(work->array->store, fetch->key);
    undivide(job);
    if (!ok && failed.class == VZ_CHANGED) {
        vz_rows_forget(job);
        return vz_chunk_opened_read_all(work->array, fetch, true, worker, err) &&
               take_read(work, job, fetch, worker, err);
    }
    if (!ok && err && err->class == VZ_OK)
        *err = failed;
    return ok;
}

static bool take_job(void *context, vz_fetch *fetch, size_t index, unsigned worker, vz_error *err)
{
    const vz_work *work = context;
    vz_work_job *job = &work->jobs[index];
    if (!fetch->found && fetch->needed)
        return fill_piece(work, job, err); /* an entry costs no memory: it goes when the batch
                                            * ends */
    if (fetch->is_opened)
        return take_opened(work, job, fetch, worker, err);
    vz_chunk_note_form(work->array, fetch->bytes);
    return take_read(work, job, fetch, worker, err);
}

/* ---- a batch ---- */

/* The new entries are counted already; a read writes nothing back. */
static bool plan(vz_work *work, vz_error *err)
{
    for (size_t i = 0; i < work->job_count; i++) {
        work->jobs[i].row_ranges = NULL;
        work->jobs[i].row_places = NULL;
        work->jobs[i].place = NULL;
    }
    const bool ok = vz_read_plan(work, err);
    vz_cache_trim(&work->array->cache, 0, true);
    return ok && vz_read_prepare(work, err);
}

typedef struct divided_job {
    const vz_work *work;
    vz_work_job *job;
} divided_job;

static bool take_again(void *context, vz_fetch *fetch, size_t index, unsigned worker, vz_error *err)
{
    (void)index;
    const divided_job *d = context;
    return fetch->found ? take_read(d->work, d->job, fetch, worker, err) : fill_piece(d->work, d->job, err);
}

/* Chunks that were left until all were opened. Where that fails, they are read as other chunks
 * are. */
static bool read_divided(const vz_work *work, size_t number, vz_error *err)
{
    vz_work_job *job = &work->jobs[number];
    if (vz_work_read_divided(work, number, NULL))
        return true;
    vz_fetch fetch;
    divided_job again = {work, job};
    undivide(job);
    fetch = (vz_fetch){.chunk = job->piece.chunk, .needed = true, .most = vz_chunk_stored_max(work->array)};
    return vz_fetch_one(work->array, &fetch, 1, take_again, &again, err);
}

static bool finish(vz_work *work, bool ok, vz_error *err)
{
    for (size_t i = 0; ok && i < work->job_count; i++)
        ok = !work->jobs[i].place || read_divided(work, i, err);
    for (size_t i = 0; i < work->job_count; i++)
        vz_rows_forget(&work->jobs[i]);
    vz_work_finish(work);
    vz_cache_trim(&work->array->cache, 0, true);
    return ok;
}

static const vz_work_steps steps = {.plan = plan, .take = take_job, .finish = finish};

bool vz_arrays_read(const vz_array_transfer *list, size_t count, size_t *failed, vz_error *err)
{
    return vz_transfers_run(list, count, true, &steps, failed, err);
}

bool vz_arrays_read_any(const vz_array_transfer *list, size_t count, size_t *failed, vz_error *err)
{
    static const vz_work_steps repeated = {.plan = plan, .take = take_job, .finish = finish, .repeats = true};
    return vz_transfers_run(list, count, true, &repeated, failed, err);
}

bool vz_array_read(vz_array *array, const vz_transfer *transfer, vz_error *err)
{
    size_t failed;
    return vz_arrays_read(&(vz_array_transfer){array, transfer}, 1, &failed, err);
}
