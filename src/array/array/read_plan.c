/* read_plan.c - which way each chunk goes from the store to the buffer, and what is fetched of it.
 * It is the cheapest way, and by the cache if the chunk is likely to be asked for again. */
#include "array/chunks/array_state.h"
#include "array/chunks/transfer_work.h"
#include "array/selection/selection.h"
#include <stdlib.h>

enum {
    PART_CHUNK_MIN = 1 << 16, /* chunks below it are read whole: a second request costs more than
                               * the bytes */
    PART_FRACTION = 4,        /* a part up to chunk_size / PART_FRACTION is worth reading alone */
    LITTLE_FRACTION = 16,     /* a part up to chunk_count / LITTLE_FRACTION is little */
    SMALL_CHUNK = 4096,       /* below it the bytes cost nothing beside the looks at a value */
    REQUEST_COST = 1 << 15,   /* bytes of a chunk without codecs that are read in the time of a
                               * request */
};

/* The place of a chunk among those that were read in part; NULL: there is no memory, and none is
 * remembered. */
static vz_chunk_recent_read *recent_place(vz_array *array, uint64_t hash)
{
    if (!array->recent)
        array->recent = calloc(VZ_RECENT_CHUNKS, sizeof *array->recent);
    return array->recent ? &array->recent[hash % VZ_RECENT_CHUNKS] : NULL;
}

/* Was this chunk read in part before, not long ago? Then it will be again: decode it once and keep
 * it. "Long" is as many reads as the cache has chunks. The chunk would be gone by the next such
 * read, as where rows are read in random order. */
static bool seen_lately(vz_array *array, const uint64_t *chunk)
{
    const uint64_t hash = vz_hash(chunk, array->meta->rank * sizeof *chunk, 1);
    const uint64_t room = array->cache.budget / vz_cache_cost(&array->cache);
    vz_chunk_recent_read *place = recent_place(array, hash);
    if (!place)
        return false;
    const bool seen = place->hash == hash && array->reads - place->read <= (room ? room : 1);
    *place = (vz_chunk_recent_read){seen ? 0 : hash, array->reads, 0};
    return seen;
}

/* Parts of a chunk without codecs are cheap, so they are read alone. When the parts read lately
 * have cost as much as the whole chunk, the chunk is read and kept. */
static bool is_paid(vz_array *array, const vz_work_job *job)
{
    const uint64_t hash = vz_hash(job->piece.chunk, array->meta->rank * sizeof *job->piece.chunk, 1);
    const uint64_t one = vz_cache_cost(&array->cache), room = array->cache.budget / one;
    vz_chunk_recent_read *place = recent_place(array, hash);
    if (!place)
        return false;
    const bool lately = place->hash == hash && array->reads - place->read <= room;
    *place =
        (vz_chunk_recent_read){hash, array->reads, (lately ? place->paid : 0) + REQUEST_COST + job->high - job->low};
    return room > 0 && place->paid >= array->meta->chunk_size;
}

static bool has_range(const vz_work *work, const vz_work_job *job)
{
    return !work->array->objects && !work->array->meta->edges && vz_chain_has_range(&work->array->chain) &&
           job->high - job->low <= work->array->meta->chunk_size / PART_FRACTION;
}

/* A part of a chunk that is worth keeping, if only the cache has room. */
static vz_chunk_way unkept_way(const vz_work *work, vz_work_job *job)
{
    if (work->array->raw && vz_rows_are_less(work, job))
        return VZ_WAY_ROWS;
    return has_range(work, job) ? VZ_WAY_RANGE : VZ_WAY_STAGED;
}

static void plan_part(const vz_work *work, vz_work_job *job)
{
    vz_array *array = work->array;
    job->way = VZ_WAY_ENTRY;
    job->otherwise = VZ_WAY_STAGED;
    if (array->meta->chunk_size < PART_CHUNK_MIN)
        return;
    vz_piece_extent(&work->layout, &job->piece, &job->low, &job->high);
    const bool rows = array->raw && vz_rows_are_worth(work, job), apart = rows || has_range(work, job);
    if (apart && !(array->raw ? is_paid(array, job) : seen_lately(array, job->piece.chunk)))
        job->way = rows ? VZ_WAY_ROWS : VZ_WAY_RANGE;
    else
        job->otherwise = rows ? VZ_WAY_ROWS : unkept_way(work, job);
}

/* An edge chunk's part inside the array may be one stretch. */
static void plan_covered(const vz_work *work, vz_work_job *job)
{
    const bool full = vz_grid_is_full(work->array->meta, job->piece.chunk);
    job->way = !full && work->array->raw && vz_rows_are_worth(work, job) ? VZ_WAY_ROWS : VZ_WAY_WHOLE;
}

/* Another transfer of the round brings the chunk into the cache: this one reads it for itself. */
static void plan_beside(const vz_work *work, vz_work_job *job)
{
    job->entry = NULL;
    if (job->piece.covers)
        plan_covered(work, job);
    else
        job->way = VZ_WAY_STAGED;
}

static void plan_job(vz_work *work, vz_work_job *job)
{
    vz_array *array = work->array;
    job->entry = vz_cache_find(&array->cache, job->piece.chunk);
    if (job->entry && !job->entry->ready) {
        plan_beside(work, job);
        return;
    }
    if (job->entry) {
        job->entry->pins++;
        job->way = VZ_WAY_ENTRY;
        array->counts.cache_hits++;
        return;
    }
    array->counts.cache_misses += !job->piece.covers;
    if (job->piece.covers)
        plan_covered(work, job);
    else
        plan_part(work, job);
}

/* How many more chunks the cache can hold, counting what is dirty or in use as taken. */
static size_t room_for(const vz_chunk_cache *cache)
{
    uint64_t taken = cache->dirty_bytes;
    for (const vz_cached *entry = cache->newest; entry && entry->pins; entry = entry->older)
        taken += entry->dirty ? 0 : entry->cost;
    const uint64_t free_bytes = taken < cache->budget ? cache->budget - taken : 0;
    const uint64_t room = free_bytes / vz_cache_cost(cache);
    return room ? room : 1;
}

/* Is so little wanted of a chunk as of one in which a column of an array lies? */
static bool is_little(const vz_meta *meta, const vz_selection_in_chunk *piece)
{
    uint64_t elements = piece->spans ? 1 : 0;
    for (unsigned d = 0; piece->spans && d < meta->rank; d++)
        elements *= piece->spans[d].count;
    for (size_t i = 0; i < piece->cut_count; i++)
        elements += piece->cuts[i].length;
    return elements <= meta->chunk_count / LITTLE_FRACTION;
}

/* Of more chunks than the cache can hold, only those are kept of which a part was read before.
 * It concerns chunks in each of which little is wanted that can be decoded without the rest.
 * Nobody may come back to a column, and memory that is used for the first time costs as much as
 * decoding. */
static void keep_what_was_seen(vz_work *work)
{
    vz_array *array = work->array;
    for (size_t i = 0; i < work->job_count; i++) {
        vz_work_job *job = &work->jobs[i];
        if (job->way == VZ_WAY_ENTRY && !job->entry && job->otherwise == VZ_WAY_STAGED &&
            is_little(array->meta, &job->piece) && !seen_lately(array, job->piece.chunk))
            job->way = VZ_WAY_STAGED;
    }
}

bool vz_read_plan(vz_work *work, vz_error *err)
{
    vz_array *array = work->array;
    array->reads++;
    for (size_t i = 0; i < work->job_count; i++)
        plan_job(work, &work->jobs[i]);
    const size_t room = room_for(&array->cache);
    if (!array->raw && vz_chain_has_parts(&array->chain) && vz_work_wanted(work) > room)
        keep_what_was_seen(work);
    return vz_work_keep_last(work, room, err);
}

/* ---- what is fetched ---- */

bool vz_read_is_direct(const vz_work *work, const vz_work_job *job, uint8_t **place)
{
    uint64_t memory;
    if (work->transfer->conversion || work->transfer->texts || !vz_piece_is_whole(&work->layout, &job->piece, &memory))
        return false;
    *place = (uint8_t *)work->transfer->buffer + memory;
    return true;
}

/* Was the last chunk that was looked at? Nobody knows before the first one is. */
static bool may_be_plain(const vz_array *array)
{
    return array->form != VZ_FORM_ENCODED && !array->meta->edges && vz_chain_plain_head(&array->chain) > 0;
}

static void open_first(vz_work_job *job, vz_fetch *fetch)
{
    fetch->is_opened = true;
    fetch->ranges = &job->range; /* and none of them */
}

/* Of a raw chunk what is wanted of it. */
static bool fetch_rows(const vz_work *work, vz_work_job *job, vz_fetch *fetch, vz_error *err)
{
    if (!vz_rows_list(work, job, 0, err))
        return false;
    if (job->rows == 1)
        vz_work_divide(work, job, job->row_places->data, job->row_ranges->offset,
                       job->row_ranges->offset + job->row_ranges->size);
    if (job->place) {
        open_first(job, fetch);
        return true;
    }
    fetch->ranges = job->row_ranges;
    fetch->into = job->row_places;
    fetch->range_count = job->rows;
    return true;
}

static bool prepare_raw(const vz_work *work, vz_work_job *job, vz_fetch *fetch, uint8_t *place, vz_error *err)
{
    if (job->way == VZ_WAY_ROWS)
        return fetch_rows(work, job, fetch, err);
    if (job->way == VZ_WAY_RANGE) {
        job->range = (vz_range){VZ_RANGE_AT, job->low, job->high - job->low};
        fetch->ranges = &job->range;
        fetch->range_count = 1;
    } else if (place) {
        job->into = vz_buffer_borrow(place, work->array->meta->chunk_size);
        fetch->into = &job->into;
    }
    return true;
}

/* Shall its size and its head tell how it is read? `place`: where all of it goes, if it can go as
 * it is. */
static bool opens_first(const vz_work *work, vz_work_job *job, const vz_fetch *fetch, const uint8_t *place)
{
    const vz_array *array = work->array;
    if (!fetch->needed || !vz_chunk_may_open(array))
        return false;
    return array->raw ? !place && vz_rows_are_all(work, job) : job->way == VZ_WAY_RANGE || may_be_plain(array);
}

static bool prepare_fetch(const vz_work *work, vz_work_job *job, vz_fetch *fetch, vz_error *err)
{
    const vz_array *array = work->array;
    uint8_t *place = NULL;
    *fetch = (vz_fetch){
        .chunk = job->piece.chunk, .needed = !job->entry || !job->entry->ready, .most = vz_chunk_stored_max(array)};
    if (job->way == VZ_WAY_WHOLE && !array->objects && !array->meta->edges && vz_read_is_direct(work, job, &place))
        vz_work_divide(work, job, place, 0, array->meta->chunk_size);
    if (job->place || opens_first(work, job, fetch, place))
        open_first(job, fetch);
    else
        fetch->is_small = job->way == VZ_WAY_WHOLE && array->meta->chunk_size < SMALL_CHUNK && !array->objects;
    return array->raw && !fetch->is_opened ? prepare_raw(work, job, fetch, place, err) : true;
}

bool vz_read_prepare(vz_work *work, vz_error *err)
{
    for (size_t i = 0; i < work->job_count; i++)
        if (!prepare_fetch(work, &work->jobs[i], &work->fetches[i], err))
            return false;
    return true;
}
