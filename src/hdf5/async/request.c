/* request.c - a request from its start to its end, for threads that call HDF5. */
#include "base/os/process.h"
#include "hdf5/async/async_internal.h"
#include <stdlib.h>

/* More than so many that wait only cost memory: the next one waits for them. */
enum { UNSETTLED_MAX = 4096 };

static void append(vz_async_request *request)
{
    if (vz_async.last)
        vz_async.last->next = request;
    else
        vz_async.first = request;
    vz_async.last = request;
    vz_async_unsettled++;
}

vz_async_request *vz_async_new_done(void)
{
    vz_async_request *request = calloc(1, sizeof *request);
    if (request)
        request->status = VZ_ASYNC_SUCCEEDED;
    return request;
}

bool vz_async_go_on(vz_async_request *request, const vz_async_work *work)
{
    vz_async_prepare(work->is_far);
    if (work->count > VZ_ASYNC_TRANSFERS_MAX)
        return false;
    vz_os_mutex_lock(&vz_async.lock);
    const bool runs = vz_async_start_thread();
    if (runs) {
        request->work = *work;
        append(request);
        vz_os_condition_broadcast(&vz_async.changed);
    }
    vz_os_mutex_unlock(&vz_async.lock);
    return runs;
}

vz_async_request *vz_async_start(const vz_async_work *work)
{
    if (vz_async_unsettled >= UNSETTLED_MAX)
        vz_async_finish();
    vz_async_request *request = calloc(1, sizeof *request);
    if (request && vz_async_go_on(request, work))
        return request;
    free(request);
    return NULL;
}

/* ---- settling ---- */

/* The first that is done is taken off the list. */
static vz_async_request *take_done(void)
{
    vz_async_request *before = NULL, *request;
    vz_os_mutex_lock(&vz_async.lock);
    for (request = vz_async.first; request && request->status == VZ_ASYNC_UNDER_WAY; request = request->next)
        before = request;
    if (request) {
        *(before ? &before->next : &vz_async.first) = request->next;
        if (vz_async.last == request)
            vz_async.last = before;
        vz_async_unsettled--;
    }
    vz_os_mutex_unlock(&vz_async.lock);
    return request;
}

static void settle(vz_async_request *request)
{
    const bool ok = request->work.settle(request->work.context, request->status, request->failed, &request->error);
    if (!ok && request->status == VZ_ASYNC_SUCCEEDED)
        request->status = VZ_ASYNC_FAILED;
    request->work.settle = NULL;
    vz_async_tell(request);
}

static void settle_done(void)
{
    vz_async_request *request;
    if (!vz_async_unsettled)
        return;
    vz_async_enter();
    while ((request = take_done()))
        settle(request);
    vz_async_leave();
}

static bool is_settled(const vz_async_request *request)
{
    return !request->work.settle && !request->call.make;
}

/* ---- waiting ---- */

/* Is the request under way? NULL: is any? */
static bool is_under_way(const vz_async_request *request)
{
    if (request)
        return request->status == VZ_ASYNC_UNDER_WAY;
    for (request = vz_async.first; request; request = request->next)
        if (request->status == VZ_ASYNC_UNDER_WAY)
            return true;
    return false;
}

static bool is_done(const void *request)
{
    return !is_under_way(request);
}

/* Until it is done, or the time is over. NULL: until all are. */
static void wait_until_done(const vz_async_request *request, uint64_t nanoseconds)
{
    vz_async_wait_until(is_done, request, nanoseconds);
}

vz_async_status vz_async_wait(vz_async_request *request, uint64_t nanoseconds)
{
    if (!is_settled(request)) {
        if (request->call.make && !vz_async_wait_fetched(request, nanoseconds))
            return VZ_ASYNC_UNDER_WAY;
        vz_async_make_fetched();
        if (request->call.make) /* it waits behind the call that is being made */
            return VZ_ASYNC_UNDER_WAY;
        wait_until_done(request, nanoseconds);
        settle_done();
    }
    return is_settled(request) ? request->status : VZ_ASYNC_UNDER_WAY;
}

/* A call that is being made may come here: then those behind it go on waiting. */
void vz_async_finish(void)
{
    while (vz_async_make_deferred() || vz_async.first) {
        wait_until_done(NULL, VZ_ASYNC_FOREVER);
        settle_done();
    }
}

vz_async_status vz_async_cancel(vz_async_request *request)
{
    vz_os_mutex_lock(&vz_async.lock);
    if (vz_async_goes_on(request) && !request->begun && request->status == VZ_ASYNC_UNDER_WAY)
        request->status = VZ_ASYNC_CANCELED;
    vz_os_mutex_unlock(&vz_async.lock);
    settle_done();
    return is_settled(request) ? request->status : VZ_ASYNC_UNDER_WAY;
}

/* ---- what is asked of it ---- */

void vz_async_notify(vz_async_request *request, void (*call)(void *context, vz_async_status status), void *context)
{
    request->notify = call;
    request->notify_context = context;
    settle_done();
    if (is_settled(request))
        vz_async_tell(request);
}

const vz_error *vz_async_failure(const vz_async_request *request)
{
    return &request->error;
}

void vz_async_times(const vz_async_request *request, uint64_t *began_us, uint64_t *took_ns)
{
    *began_us = request->began_us;
    *took_ns = request->took_ns;
}

void vz_async_free(vz_async_request *request)
{
    vz_async_wait(request, VZ_ASYNC_FOREVER);
    free(request);
}

bool vz_async_only_reads(void)
{
    bool only = true;
    vz_os_mutex_lock(&vz_async.lock);
    for (const vz_async_request *request = vz_async.first; request; request = request->next)
        only = only && request->work.reading;
    vz_os_mutex_unlock(&vz_async.lock);
    return only;
}

void vz_async_stop(void)
{
    vz_async_finish();
    vz_async_end_thread();
}
