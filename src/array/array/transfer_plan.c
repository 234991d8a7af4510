/* transfer_plan.c - cuts one transfer, of a hyperslab or of point runs, into batches of jobs: one
 * job a chunk. */
#include "base/os/thread.h"
#include "array/chunks/array_state.h"
#include "array/chunks/transfer_work.h"
#include "array/selection/selection.h"
#include <stdlib.h>

enum { REGION_BATCH_SECOND = 16 };

static bool check_objects(const vz_transfer *transfer, bool reading, vz_error *err)
{
    if (transfer->conversion || transfer->element_size != (transfer->texts ? sizeof(char *) : sizeof(vz_item)))
        return vz_fail(err, VZ_INVALID, "objects are transferred as items or texts, without conversion");
    if (reading && !transfer->texts && !transfer->arena)
        return vz_fail(err, VZ_INVALID, "reading objects needs an arena");
    return true;
}

static bool check_transfer(const vz_array *array, const vz_transfer *transfer, bool reading, vz_error *err)
{
    const size_t size = array->meta->dtype->size;
    const vz_number_conversion *conversion = transfer->conversion;
    if (array->objects)
        return check_objects(transfer, reading, err);
    const size_t chunk_side = conversion ? (reading ? conversion->from.size : conversion->to.size) : size;
    const size_t memory_side = conversion ? (reading ? conversion->to.size : conversion->from.size) : size;
    if (chunk_side != size || memory_side != transfer->element_size)
        return vz_fail(err, VZ_INVALID, "elements of %zu bytes cannot be transferred to ones of %zu bytes here", size,
                       transfer->element_size);
    return true;
}

/* One fill element as the buffer wants it; of texts, the item that they are made of. */
static bool make_fill(vz_work *work, vz_error *err)
{
    const vz_transfer *transfer = work->transfer;
    const uint8_t *fill = work->array->meta->fill;
    const size_t size = transfer->texts ? sizeof(vz_item) : transfer->element_size;
    work->fill = malloc(size ? size : 1);
    if (!work->fill)
        return vz_fail_memory(err);
    if (transfer->conversion) {
        transfer->conversion->run(transfer->conversion, fill, 0, work->fill, 0, 1);
        return true;
    }
    memcpy(work->fill, fill, size);
    vz_item *item = (vz_item *)work->fill;
    if (work->array->objects && item->data && !transfer->texts)
        item->data = vz_arena_copy(transfer->arena, item->data, item->size, err);
    return !work->array->objects || item->data || item->size == 0;
}

vz_mover vz_work_mover(const vz_work *work, vz_arena *arena, uint64_t *live)
{
    if (work->transfer->texts)
        return work->reading ? vz_mover_texts_out() : vz_mover_texts_in(arena, live);
    if (work->transfer->conversion)
        return vz_mover_convert(work->transfer->conversion);
    return arena ? vz_mover_items(arena, live) : vz_mover_bytes(work->layout.chunk_element);
}

void vz_work_finish(vz_work *work)
{
    vz_array *array = work->array;
    vz_array_counts *counts = &array->counts;
    for (size_t i = 0; i < work->job_count; i++) {
        const vz_work_job *job = &work->jobs[i];
        vz_cached *entry = job->entry;
        counts->direct_chunks += job->direct;
        counts->staged_chunks += job->staged;
        counts->fill_chunks += job->missing;
        if (!entry)
            continue;
        entry->pins--;
        if (entry->ready)
            vz_cache_recount(&array->cache, entry, entry->dirty || job->touched);
        else
            vz_cache_remove(&array->cache, entry);
    }
}

static bool wants_entry(const vz_work_job *job)
{
    return job->way == VZ_WAY_ENTRY && !job->entry;
}

size_t vz_work_wanted(const vz_work *work)
{
    size_t wanted = 0;
    for (size_t i = 0; i < work->job_count; i++)
        wanted += wants_entry(&work->jobs[i]);
    return wanted;
}

bool vz_work_keep_last(vz_work *work, size_t most, vz_error *err)
{
    size_t wanted = vz_work_wanted(work);
    for (size_t i = 0; i < work->job_count; i++) {
        vz_work_job *job = &work->jobs[i];
        if (!wants_entry(job))
            continue;
        if (wanted-- > most)
            job->way = job->otherwise;
        else if (!(job->entry = vz_cache_add(&work->array->cache, job->piece.chunk, err)))
            return false;
    }
    return true;
}

/* ---- regions ---- */

/* One job first, as most small arrays have one chunk. */
static size_t next_capacity(const vz_chunk_region_jobs *r)
{
    return r->capacity == 0 ? 1 : r->capacity == 1 ? REGION_BATCH_SECOND : VZ_REGION_BATCH;
}

static bool grow_region_jobs(vz_chunk_region_jobs *r, vz_error *err)
{
    const size_t capacity = next_capacity(r), rank = r->walk.meta->rank;
    vz_work_job *jobs = realloc(r->jobs, capacity * sizeof *jobs);
    r->jobs = jobs ? jobs : r->jobs;
    vz_fetch *fetches = realloc(r->fetches, capacity * sizeof *fetches);
    r->fetches = fetches ? fetches : r->fetches;
    uint64_t *chunks = realloc(r->chunks, capacity * (rank + 1) * sizeof *chunks);
    r->chunks = chunks ? chunks : r->chunks;
    vz_span *spans = realloc(r->spans, capacity * (rank + 1) * sizeof *spans);
    r->spans = spans ? spans : r->spans;
    if (!jobs || !fetches || !chunks || !spans)
        return vz_fail_memory(err);
    r->capacity = capacity;
    return true;
}

static bool covers_chunk(const vz_meta *meta, const vz_region_walk *walk)
{
    for (unsigned d = 0; d < meta->rank; d++)
        if (walk->spans[d].count != vz_grid_extent(meta, d, walk->chunk[d]))
            return false;
    return true;
}

/* A shard that would be cut by the batch's end is the next one's, so that it is written at once. */
static bool ends_batch(vz_chunk_region_jobs *r, size_t count)
{
    r->waits = r->walk.starts_shard && r->walk.meta->shard_levels > 0 && count > 0 &&
               vz_region_in_shard(&r->walk) > VZ_REGION_BATCH - count;
    return r->waits;
}

static bool next_chunk(vz_chunk_region_jobs *r)
{
    const bool waited = r->waits;
    r->waits = false;
    return waited || vz_region_next(&r->walk);
}

/* Walks on for as many chunks as a batch takes. */
static bool collect_region(vz_chunk_region_jobs *r, size_t *count, vz_error *err)
{
    const size_t rank = r->walk.meta->rank;
    *count = 0;
    while (*count < VZ_REGION_BATCH && next_chunk(r) && !ends_batch(r, *count)) {
        if (*count == r->capacity && !grow_region_jobs(r, err))
            return false;
        if (rank) {
            memcpy(&r->chunks[*count * rank], r->walk.chunk, rank * sizeof *r->chunks);
            memcpy(&r->spans[*count * rank], r->walk.spans, rank * sizeof *r->spans);
        }
        r->jobs[(*count)++] = (vz_work_job){.piece.covers = covers_chunk(r->walk.meta, &r->walk)};
    }
    for (size_t i = 0; i < *count; i++) {
        r->jobs[i].piece.chunk = &r->chunks[i * rank];
        r->jobs[i].piece.spans = &r->spans[i * rank];
    }
    return true;
}

static bool open_region(vz_work *work, vz_error *err)
{
    vz_chunk_region_jobs *region = work->room ? work->room : malloc(sizeof *region);
    if (!region)
        return vz_fail_memory(err);
    region->jobs = NULL;
    region->fetches = NULL;
    region->chunks = NULL;
    region->spans = NULL;
    region->capacity = 0;
    region->waits = false;
    work->region = region;
    if (!vz_region_start(&work->region->walk, work->array->meta, work->transfer->region, err))
        return false;
    work->layout = vz_layout_of(work->array->meta, &work->region->walk.region, work->transfer->element_size);
    return true;
}

static bool next_of_region(vz_work *work, vz_error *err)
{
    vz_chunk_region_jobs *r = work->region;
    if (!collect_region(r, &work->job_count, err))
        return false;
    work->jobs = r->jobs;
    work->fetches = r->fetches;
    return true;
}

static void close_region(vz_work *work)
{
    vz_chunk_region_jobs *r = work->region;
    free(r->jobs);
    free(r->fetches);
    free(r->chunks);
    free(r->spans);
    if (r != work->room)
        free(r);
}

/* ---- runs ---- */

static bool open_runs(vz_work *work, vz_error *err)
{
    const vz_transfer *transfer = work->transfer;
    work->cutter = vz_runs_open(work->array->meta, transfer->next_runs, transfer->runs_context, err);
    if (!work->cutter)
        return false;
    work->layout = vz_layout_of(work->array->meta, NULL, transfer->element_size);
    return true;
}

static void forget_jobs(vz_work *work)
{
    free(work->jobs);
    free(work->fetches);
    work->jobs = NULL;
    work->fetches = NULL;
}

static bool next_of_runs(vz_work *work, vz_error *err)
{
    forget_jobs(work);
    if (!vz_runs_next(work->cutter, &work->job_count, err))
        return false;
    if (work->job_count == 0)
        return true;
    work->jobs = calloc(work->job_count, sizeof *work->jobs);
    work->fetches = malloc(work->job_count * sizeof *work->fetches);
    if (!work->jobs || !work->fetches)
        return vz_fail_memory(err);
    for (size_t i = 0; i < work->job_count; i++)
        work->jobs[i].piece = vz_runs_piece(work->cutter, i);
    return true;
}

/* ---- one transfer ---- */

static bool begin_work(vz_work *work, bool reading, vz_error *err)
{
    work->width = vz_pool_width();
    if (work->array->objects && !work->transfer->texts && !(work->arenas = calloc(work->width, sizeof *work->arenas)))
        return vz_fail_memory(err);
    return (!reading || make_fill(work, err)) &&
           (work->transfer->region ? open_region(work, err) : open_runs(work, err));
}

bool vz_work_open(vz_work *work, const vz_array_transfer *of, bool reading, vz_chunk_region_jobs *room, vz_error *err)
{
    *work = (vz_work){.array = of->array, .transfer = of->transfer, .reading = reading, .room = room};
    if (!check_transfer(work->array, work->transfer, reading, err))
        return false;
    vz_shards_begin(work->array);
    vz_store_hold(work->array->store);
    work->open = true;
    if (!begin_work(work, reading, err))
        return false;
    if (reading)
        vz_read_ask_large_pages(work->transfer);
    return true;
}

bool vz_work_next(vz_work *work, vz_error *err)
{
    return work->region ? next_of_region(work, err) : next_of_runs(work, err);
}

void vz_work_close(vz_work *work, bool reading)
{
    if (!work->open)
        return;
    for (unsigned i = 0; work->arenas && i < work->width; i++) {
        if (reading)
            vz_arena_adopt(work->transfer->arena, &work->arenas[i]);
        vz_arena_clear(&work->arenas[i]);
    }
    if (work->region)
        close_region(work);
    else
        forget_jobs(work);
    if (work->cutter)
        vz_runs_close(work->cutter);
    free(work->arenas);
    free(work->fill);
    vz_store_release(work->array->store);
    vz_shards_end(work->array);
    work->open = false;
}
