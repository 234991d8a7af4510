/* parallel_read.c - a long stretch of one chunk, where there are fewer chunks than workers. Parts
 * of it are read side by side, of the version that was opened, straight into the buffer. */
#include "array/chunks/array_state_internal.h"
#include "array/chunks/array_state.h"
#include "array/chunks/transfer_work.h"
#include "base/os/thread.h"

#define PART ((size_t)4 << 20) /* bytes of the decoded chunk that one worker reads at a time */

enum {
    PARTS_MIN = 4,
    CHUNKS_MOST = 2,     /* for each worker: of more there is enough to do side by side */
    STEPS_MOST = 1 << 20 /* of a codec that looks for the end of each unit of a part among all of
                          * the chunk */
};

void vz_work_divide(const vz_work *work, vz_work_job *job, uint8_t *place, uint64_t low, uint64_t high)
{
    const bool is_worth = work->width > 1 && high - low >= PARTS_MIN * PART &&
                          work->job_count <= (size_t)CHUNKS_MOST * work->width && vz_chunk_may_open(work->array);
    job->place = is_worth ? place : NULL;
    job->low = low;
    job->high = high;
}

bool vz_work_divide_fits(const vz_array *array, size_t unit)
{
    return unit > 0 && PART % unit == 0 && array->meta->chunk_size / unit * (PART / unit) <= STEPS_MOST;
}

typedef struct divided {
    const vz_work *work;
    const vz_work_job *job;
    const vz_fetch *fetch;
} divided;

static bool read_part(void *context, size_t index, unsigned worker, vz_error *err)
{
    const divided *d = context;
    const vz_array *array = d->work->array;
    const uint64_t low = d->job->low + index * PART;
    const uint64_t high = low + PART < d->job->high ? low + PART : d->job->high;
    uint8_t *place = d->job->place + index * PART;
    if (!d->job->is_plain)
        return vz_chunk_opened_decode_range(array, d->fetch, low, high, place, worker, err);
    const vz_range range = {VZ_RANGE_AT, vz_chain_plain_head(&array->chain) + low, high - low};
    vz_buffer into = vz_buffer_borrow(place, (size_t)range.size);
    return vz_chunk_opened_read(array, d->fetch, &range, 1, &into, err);
}

bool vz_work_read_divided(const vz_work *work, size_t number, vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX];
    const vz_work_job *job = &work->jobs[number];
    vz_fetch *fetch = &work->fetches[number];
    divided d = {work, job, fetch};
    if (!vz_chunk_key_of(work->array, job->piece.chunk, key, err))
        return false;
    fetch->key = key;
    const bool ok = vz_pool_run(read_part, &d, (size_t)((job->high - job->low - 1) / PART + 1), err);
    vz_store_forget_held(work->array->store, key);
    return ok;
}
