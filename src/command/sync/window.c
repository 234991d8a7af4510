/* window.c - values that are under way together: up to so many keys and bytes. Of a server they
 * are one batch of requests, pulled by several threads; elsewhere each thread reads its own. Puts
 * into a bucket go through the write-behind buffer, so that no thread waits for one. */
#include "command/sync/sync_internal.h"
#include <stdlib.h>

typedef struct work {
    vz_sync *run;
    vz_batch *batch; /* NULL: each thread reads by itself */
} work;

/* ---- threads ---- */

static bool copy_some(vz_sync *run, vz_error *err)
{
    vz_buffer bytes = {0};
    bool ok = true;
    for (size_t i; ok && (i = run->next++) < run->window_count;)
        ok = vz_sync_copy_held(run, &run->window[i], &bytes, err);
    if (!ok)
        run->next = run->window_count;
    vz_buffer_clear(&bytes);
    return ok;
}

/* False where it failed in earnest: a version that is gone is met in the next round. */
static bool take_answer(vz_sync *run, const vz_request *request, vz_error *err)
{
    vz_sync_item *item = &run->window[request->tag];
    if (request->failed != VZ_OK && request->failed != VZ_CHANGED)
        return true; /* the batch reports it */
    if (request->failed == VZ_CHANGED || !request->found) {
        vz_sync_sums_spoil(run->sums, item->key);
        return true;
    }
    return vz_sync_put(run, item, request->bytes, err);
}

static bool pull_some(vz_sync *run, vz_batch *batch, vz_error *err)
{
    vz_buffer scratch = {0};
    vz_request *request;
    bool ok = true;
    while (ok && (request = vz_batch_next(batch, &scratch)))
        ok = take_answer(run, request, err);
    if (!ok)
        vz_batch_stop(batch);
    vz_buffer_clear(&scratch);
    return ok;
}

static bool do_some(void *context, size_t index, unsigned worker, vz_error *err)
{
    const work *w = context;
    (void)index, (void)worker;
    return w->batch ? pull_some(w->run, w->batch, err) : copy_some(w->run, err);
}

static bool run_threads(work *w, vz_error *err)
{
    const size_t width = vz_pool_width(), count = w->run->window_count;
    return vz_pool_run(do_some, w, width < count ? width : count, err);
}

/* ---- a batch ---- */

static vz_request *requests_of(vz_sync *run, vz_error *err)
{
    vz_request *requests = calloc(run->window_count, sizeof *requests);
    if (!requests)
        vz_fail_memory(err);
    for (size_t i = 0; requests && i < run->window_count; i++) {
        const vz_sync_item *item = &run->window[i];
        const bool demands = item->demanded.size > 0;
        requests[i] = (vz_request){.op = VZ_REQUEST_GET,
                                   .key = item->key,
                                   .when = demands ? VZ_WHEN_VERSION : VZ_WHEN_ANY,
                                   .version = item->demanded,
                                   .most = VZ_SYNC_WHOLE_MAX,
                                   .tag = i};
    }
    return requests;
}

/* Versions that are gone are no failure of the batch. */
static bool end_batch(vz_batch *batch, const vz_request *requests, size_t count, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    const bool ok = vz_batch_close(batch, &failed);
    for (size_t i = 0; !ok && i < count; i++)
        if (requests[i].failed != VZ_OK && requests[i].failed != VZ_CHANGED) {
            if (failed.class == VZ_CHANGED)
                return vz_fail(err, requests[i].failed, "the value of %.200s could not be read", requests[i].key);
            *err = failed;
            return false;
        }
    return true;
}

static bool copy_batch(vz_sync *run, vz_error *err)
{
    vz_request *requests = requests_of(run, err);
    vz_batch *batch = requests ? vz_batch_open(run->source.store, requests, run->window_count, err) : NULL;
    work w = {.run = run, .batch = batch};
    bool ok = batch && run_threads(&w, err);
    if (batch)
        ok = end_batch(batch, requests, run->window_count, ok ? err : &(vz_error){0}) && ok;
    free(requests);
    return ok;
}

/* ---- the window ---- */

static void clear(vz_sync *run)
{
    for (size_t i = 0; i < run->window_count; i++)
        free(run->window[i].key);
    run->window_count = 0;
    run->window_bytes = 0;
}

static void print_window(vz_sync *run)
{
    for (size_t i = 0; i < run->window_count; i++)
        if (run->window[i].differs)
            vz_sync_print_change(run, "copy", run->window[i].key, vz_sync_way_word(run->window[i].way));
}

bool vz_sync_flush(vz_sync *run, vz_error *err)
{
    bool ok = true;
    run->next = 0;
    if (run->window_count > 0) {
        work w = {.run = run};
        ok = run->source.is_far ? copy_batch(run, err) : run_threads(&w, err);
    }
    if (ok)
        print_window(run);
    clear(run);
    vz_error_where(err, run->source.name, NULL);
    return ok;
}

/* A difference that is known without a look at bytes is only reported where nothing is written. */
static bool is_known(const vz_sync *run, const vz_sync_item *item)
{
    return run->request->dry_run && item->way != VZ_SYNC_LOOK && item->way != VZ_SYNC_HASH;
}

bool vz_sync_add(vz_sync *run, const vz_sync_item *item, vz_error *err)
{
    vz_sync_item own = *item;
    if (is_known(run, item)) {
        vz_sync_print_change(run, "copy", item->key, vz_sync_way_word(item->way));
        vz_sync_tell_done(run, item);
        return true;
    }
    if (item->size > VZ_SYNC_WHOLE_MAX) {
        if (!vz_sync_copy_large(run, &own, err))
            return false;
        if (own.differs)
            vz_sync_print_change(run, "copy", own.key, vz_sync_way_word(own.way));
        return true;
    }
    if (!(own.key = strdup(item->key)))
        return vz_fail_memory(err);
    run->window[run->window_count++] = own;
    run->window_bytes += item->size;
    return (run->window_count < VZ_SYNC_WINDOW_KEYS && run->window_bytes < VZ_SYNC_WINDOW_BYTES) ||
           vz_sync_flush(run, err);
}
