/* batch.c - many requests at once. A local store does a request in the thread that pulls it. */
#include "store/store/request_internal.h"
#include "store/store/call_internal.h"
#include <stdlib.h>

/* Where changes are another process's, the store must not see them. */
static bool is_done_here(const vz_store *store, const vz_request *requests, size_t count)
{
    for (size_t i = 0; store->repeats && i < count; i++)
        if (vz_request_changes(&requests[i]))
            return true;
    return !store->class->batches;
}

vz_batch *vz_batch_open(vz_store *store, vz_request *requests, size_t count, vz_error *err)
{
    vz_batch *batch = malloc(sizeof *batch);
    if (!batch) {
        vz_fail_memory(err);
        return NULL;
    }
    if (!vz_batch_open_in(batch, store, requests, count, err)) {
        free(batch);
        return NULL;
    }
    batch->lent = false;
    return batch;
}

bool vz_batch_open_in(vz_batch *batch, vz_store *store, vz_request *requests, size_t count, vz_error *err)
{
    batch->store = store;
    batch->requests = requests;
    batch->count = count;
    batch->state = NULL;
    batch->here = is_done_here(store, requests, count);
    batch->lent = true;
    atomic_init(&batch->pulled, 0);
    atomic_init(&batch->stopped, false);
    atomic_init(&batch->failed, false);
    batch->error = VZ_ERROR_NONE;
    return batch->here ||
           (vz_store_call_begin_batch(store, requests, count, err) && store->class->batches->open(batch, err));
}

static void free_batch(vz_batch *batch)
{
    if (!batch->lent)
        free(batch);
}

void vz_batch_failed(vz_batch *batch, vz_request *request, const vz_error *error)
{
    request->failed = error->class;
    if (!atomic_exchange(&batch->failed, true))
        batch->error = *error;
}

vz_request *vz_batch_next(vz_batch *batch, vz_buffer *scratch)
{
    if (!batch->here)
        return batch->store->class->batches->next(batch, scratch);
    const size_t index = batch->stopped ? batch->count : atomic_fetch_add(&batch->pulled, 1);
    if (index >= batch->count)
        return NULL;
    vz_request *request = &batch->requests[index];
    vz_error failed = VZ_ERROR_NONE;
    if (!vz_request_once(batch->store, request, scratch, &failed))
        vz_batch_failed(batch, request, &failed);
    return request;
}

void vz_batch_stop(vz_batch *batch)
{
    batch->stopped = true;
}

bool vz_batch_close(vz_batch *batch, vz_error *err)
{
    if (!batch->here)
        batch->store->class->batches->close(batch);
    const bool ok = !batch->failed;
    if (!ok && err && err->class == VZ_OK)
        *err = batch->error;
    free_batch(batch);
    return ok;
}

void vz_batch_drop(vz_batch *batch)
{
    if (!batch->here)
        batch->store->class->batches->drop(batch);
    free_batch(batch);
}

bool vz_requests_do(vz_store *store, vz_request *requests, size_t count, vz_error *err)
{
    vz_buffer unused = {0};
    vz_batch *batch = vz_batch_open(store, requests, count, err);
    if (!batch)
        return false;
    while (vz_batch_next(batch, &unused))
        ;
    vz_buffer_clear(&unused);
    return vz_batch_close(batch, err);
}
