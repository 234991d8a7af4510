/* multi_batch.c - see chunks_internal.h. */
#include "array/chunks/chunks_internal.h"
#include "array/chunks/array_state.h"
#include "base/os/thread.h"
#include <stdlib.h>

/* The requests that go to one store. */
typedef struct trip {
    vz_store *store;
    vz_request *requests; /* of the one list it has, or copies of those of several */
    size_t *owners;       /* the list of each; NULL: they are all of `only` */
    size_t count, lists, only;
    vz_batch *batch;
} trip;

typedef struct run {
    const vz_fetch_batch *ask;
    trip *trips; /* `one` where there is one list */
    trip one;
    vz_batch first; /* the batch of the first trip */
    size_t trip_count, total;
} run;

static trip *trip_to(run *r, vz_store *store)
{
    for (size_t i = 0; i < r->trip_count; i++)
        if (r->trips[i].store == store)
            return &r->trips[i];
    r->trips[r->trip_count] = (trip){.store = store};
    return &r->trips[r->trip_count++];
}

static void count_requests(run *r)
{
    for (size_t i = 0; i < r->ask->count; i++) {
        const vz_fetch_batch_list *list = &r->ask->lists[i];
        if (list->count == 0)
            continue;
        trip *t = trip_to(r, list->store);
        t->requests = list->requests;
        t->only = i;
        t->count += list->count;
        t->lists++;
        r->total += list->count;
    }
}

static bool copy_requests(run *r, trip *t, vz_error *err)
{
    size_t count = 0;
    vz_request *requests = malloc(t->count * sizeof *requests);
    size_t *owners = malloc(t->count * sizeof *owners);
    if (!requests || !owners) {
        free(requests);
        free(owners);
        return vz_fail_memory(err);
    }
    t->requests = requests;
    t->owners = owners;
    for (size_t i = 0; i < r->ask->count; i++) {
        const vz_fetch_batch_list *list = &r->ask->lists[i];
        for (size_t k = 0; list->store == t->store && k < list->count; k++) {
            t->owners[count] = i;
            t->requests[count++] = list->requests[k];
        }
    }
    return true;
}

static bool open_trip(run *r, trip *t, vz_error *err)
{
    if (t->lists > 1 && !copy_requests(r, t, err))
        return false;
    if (t != r->trips)
        t->batch = vz_batch_open(t->store, t->requests, t->count, err);
    else if (vz_batch_open_in(&r->first, t->store, t->requests, t->count, err))
        t->batch = &r->first;
    return t->batch != NULL;
}

static bool open_run(run *r, vz_error *err)
{
    r->trips = r->ask->count > 1 ? malloc(r->ask->count * sizeof *r->trips) : &r->one;
    if (!r->trips)
        return vz_fail_memory(err);
    count_requests(r);
    for (size_t i = 0; i < r->trip_count; i++)
        if (!open_trip(r, &r->trips[i], err))
            return false;
    return true;
}

static bool close_run(run *r, vz_error *err)
{
    bool ok = true;
    for (size_t i = 0; i < r->trip_count; i++) {
        trip *t = &r->trips[i];
        if (t->batch)
            ok = vz_batch_close(t->batch, err) && ok;
        if (t->owners) {
            free(t->requests);
            free(t->owners);
        }
    }
    if (r->trips != &r->one)
        free(r->trips);
    return ok;
}

static void stop(run *r)
{
    for (size_t i = 0; i < r->trip_count; i++)
        vz_batch_stop(r->trips[i].batch);
}

static bool work(void *context, size_t index, unsigned worker, vz_error *err)
{
    run *r = context;
    vz_buffer *scratch = vz_pool_scratch(worker, VZ_SCRATCH_STORED);
    bool ok = !r->ask->begin || r->ask->begin(r->ask->context, worker);
    (void)index, (void)err;
    for (size_t i = 0; ok && i < r->trip_count; i++) {
        const trip *t = &r->trips[i];
        for (vz_request *request; ok && (request = vz_batch_next(t->batch, scratch));) {
            const size_t list = t->owners ? t->owners[request - t->requests] : t->only;
            ok = r->ask->take(r->ask->context, list, request, worker);
        }
    }
    if (!ok)
        stop(r);
    return true;
}

bool vz_fetch_batch_run(const vz_fetch_batch *ask, vz_error *err)
{
    run r;
    r.ask = ask;
    r.trip_count = r.total = 0;
    bool ok = open_run(&r, err);
    if (ok) {
        const size_t tasks = ask->tasks + r.total, width = vz_pool_width();
        ok = vz_pool_run_bytes(work, &r, tasks < width ? tasks : width, ask->bytes, err);
    }
    return close_run(&r, err) && ok;
}
