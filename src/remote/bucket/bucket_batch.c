/* bucket_batch.c - batches of a remote store. */
#include "remote/bucket/task_internal.h"
#include <stdlib.h>

typedef struct state {
    vz_coalesced *gather;
    vz_request **requests;
} state;

static bool batch_open(vz_batch *batch, vz_error *err)
{
    state *s = calloc(1, sizeof *s);
    if (!s || !(s->requests = calloc(batch->count + 1, sizeof *s->requests))) {
        free(s);
        return vz_fail_memory(err);
    }
    for (size_t i = 0; i < batch->count; i++)
        s->requests[i] = &batch->requests[i];
    if ((s->gather = vz_coalesced_open(vz_bucket_of(batch->store), s->requests, batch->count, NULL, err))) {
        batch->state = s;
        return true;
    }
    free(s->requests);
    free(s);
    return false;
}

/* Bytes for which the request had no place go to the puller's memory: what that held is gone. */
static void hand_over(vz_request *request, vz_buffer *bytes, vz_buffer *scratch)
{
    if (request->op != VZ_REQUEST_GET || request->into) {
        vz_buffer_clear(bytes);
        return;
    }
    vz_buffer_clear(scratch);
    *scratch = *bytes;
    scratch->limit = 0;
    request->bytes = (vz_bytes){scratch->data, scratch->size};
}

static vz_request *batch_next(vz_batch *batch, vz_buffer *scratch)
{
    state *s = batch->state;
    size_t index;
    vz_buffer bytes = {0};
    vz_error failed = VZ_ERROR_NONE;
    vz_request *request = batch->stopped ? NULL : vz_coalesced_next(s->gather, &index, &bytes, &failed);
    if (!request)
        return NULL;
    if (failed.class == VZ_OK) {
        hand_over(request, &bytes, scratch);
        return request;
    }
    vz_buffer_clear(&bytes);
    vz_error_where(&failed, batch->store->path, request->key);
    vz_batch_failed(batch, request, &failed);
    return request;
}

static void batch_close(vz_batch *batch)
{
    state *s = batch->state;
    vz_coalesced_close(s->gather);
    free(s->requests);
    free(s);
}

static void batch_drop(vz_batch *batch)
{
    state *s = batch->state;
    vz_coalesced_drop(s->gather);
    free(s->requests);
    free(s);
}

const vz_batch_class vz_bucket_batches = {
    .open = batch_open, .next = batch_next, .close = batch_close, .drop = batch_drop};
