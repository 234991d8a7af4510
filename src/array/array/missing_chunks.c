/* missing_chunks.c - stores chunks that were never written, as fill, where a reader would not know
 * what a missing chunk holds. A chunk that another process stores meanwhile stays. */
#include "array/array/array_internal.h"
#include "array/chunks/array_state.h"
#include "array/selection/selection.h"
#include <stdlib.h>

enum { MISSING_BATCH = 1024 };
#define MISSING_CHUNKS_MAX ((uint64_t)1 << 32) /* more than any file system holds files */

typedef struct missing_work {
    vz_array *array;
    uint64_t *chunks; /* of the batch */
    size_t count;
    bool together;  /* a request is a round trip: those of a batch are under way together */
    vz_buffer fill; /* a stored chunk, which all of them are; empty until it is needed */
} missing_work;

static bool put_fill(void *context, size_t index, unsigned worker, vz_error *err)
{
    const missing_work *work = context;
    return vz_chunk_store_fill(work->array, &work->chunks[index * work->array->meta->rank], worker, err);
}

static bool put_batch(missing_work *work, vz_error *err)
{
    const uint64_t bytes = vz_chunks_bytes(work->array, work->count);
    const bool ok = work->together ? vz_chunks_put_fill(work->array, work->chunks, work->count, &work->fill, err)
                                   : vz_pool_run_bytes(put_fill, work, work->count, bytes, err);
    work->count = 0;
    return ok;
}

/* Walks the grid and the sorted list side by side. */
static bool put_missing(missing_work *work, const vz_chunk_list *list, const uint64_t *dims, vz_error *err)
{
    const unsigned rank = work->array->meta->rank;
    const uint64_t low[VZ_MAX_RANK] = {0};
    uint64_t at[VZ_MAX_RANK] = {0};
    size_t next = 0;
    do {
        while (next < list->count && !vz_grid_inside(work->array->meta, &list->chunks[next * rank]))
            next++;
        if (next < list->count && memcmp(&list->chunks[next * rank], at, rank * sizeof *at) == 0) {
            next++;
            continue;
        }
        memcpy(&work->chunks[work->count++ * rank], at, rank * sizeof *at);
        if (work->count == MISSING_BATCH && !put_batch(work, err))
            return false;
    } while (vz_grid_next(rank, low, dims, at));
    return put_batch(work, err);
}

/* Chunks of the grid that are not in the list. */
static uint64_t count_missing(const vz_array *array, const vz_chunk_list *list, uint64_t count)
{
    for (size_t i = 0; i < list->count && count > 0; i++)
        count -= vz_grid_inside(array->meta, &list->chunks[i * array->meta->rank]);
    return count;
}

bool vz_array_fill_missing(vz_array *array, uint64_t most, bool *complete, vz_error *err)
{
    const vz_meta *meta = array->meta;
    uint64_t dims[VZ_MAX_RANK];
    vz_chunk_list list;
    vz_grid_dims(meta, meta->shape, dims);
    const uint64_t count = vz_grid_count(meta->rank, dims);
    *complete = count == 0;
    if (count == 0)
        return true;
    if (count > MISSING_CHUNKS_MAX)
        return true;
    if (!vz_array_may_change(array, true, err) || !vz_array_flush(array, err) || !vz_chunk_list_load(array, &list, err))
        return false;
    const uint64_t missing = count_missing(array, &list, count);
    missing_work work = {.array = array, .together = vz_chunks_put_fill_together(array)};
    bool ok = true;
    *complete = missing <= most;
    if (*complete && missing > 0) {
        work.chunks = malloc(MISSING_BATCH * (meta->rank + 1) * sizeof(uint64_t));
        ok = work.chunks ? put_missing(&work, &list, dims, err) : vz_fail_memory(err);
    }
    free(work.chunks);
    vz_buffer_clear(&work.fill);
    vz_chunk_list_clear(&list);
    return ok;
}

bool vz_array_write_missing(vz_array *array, vz_error *err)
{
    bool complete;
    return vz_array_fill_missing(array, MISSING_CHUNKS_MAX, &complete, err) &&
           (complete ||
            vz_fail(err, VZ_LIMIT, "without a fill value all of the array's chunks must be stored: too many"));
}
