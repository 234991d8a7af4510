/* batch.c - batches of a store that is far away: a run with a task for each request. */
#include "remote/task.h"
#include <stdlib.h>

typedef struct state {
    vz_run *run;
    vz_task *tasks;
} state;

static bool batch_open(vz_batch *batch, vz_error *err)
{
    vz_remote *remote = vz_remote_of(batch->store);
    state *s = calloc(1, sizeof *s);
    s = s && (s->tasks = calloc(batch->count + 1, sizeof *s->tasks)) ? s : (free(s), NULL);
    if (!s)
        return vz_fail_memory(err);
    for (size_t i = 0; i < batch->count; i++)
        s->tasks[i] = (vz_task){.remote = remote, .request = &batch->requests[i]};
    if ((s->run = vz_run_open(remote, s->tasks, batch->count, NULL, err))) {
        batch->state = s;
        return true;
    }
    free(s->tasks);
    free(s);
    return false;
}

/* Bytes for which the request had no place go to the puller's memory: what that held is gone. */
static void hand_over(vz_task *task, vz_buffer *scratch)
{
    vz_request *request = task->request;
    if (request->op != VZ_REQUEST_GET || request->into)
        return;
    vz_buffer_clear(scratch);
    *scratch = task->bytes;
    scratch->limit = 0;
    task->bytes = (vz_buffer){0};
    request->bytes = (vz_bytes){scratch->data, scratch->size};
}

static vz_request *batch_next(vz_batch *batch, vz_buffer *scratch)
{
    state *s = batch->state;
    vz_task *task = batch->stopped ? NULL : vz_run_next(s->run);
    if (!task)
        return NULL;
    vz_request *request = task->request;
    request->failed = task->err.class;
    if (task->err.class != VZ_OK) {
        vz_error_where(&task->err, batch->store->path, request->key);
        vz_batch_failed(batch, request, &task->err);
    } else {
        hand_over(task, scratch);
    }
    return request;
}

static void batch_close(vz_batch *batch)
{
    state *s = batch->state;
    vz_run_close(s->run);
    free(s->tasks);
    free(s);
}

static void batch_drop(vz_batch *batch)
{
    state *s = batch->state;
    vz_run_drop(s->run);
    free(s->tasks);
    free(s);
}

const vz_batch_class vz_remote_batches = {
    .open = batch_open, .next = batch_next, .close = batch_close, .drop = batch_drop};
