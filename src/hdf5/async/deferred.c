/* deferred.c - calls that are made later, in their order: by the next thread that calls HDF5 and
 * finds what they need, or that waits for them. Such threads alone come here, one at a time. */
#include "base/os/process.h"
#include "hdf5/async/async_internal.h"
#include <stdlib.h>

static vz_async_request *first, *last;

bool vz_async_has_deferred(void)
{
    return first != NULL;
}

vz_async_request *vz_async_defer(const vz_async_call *call)
{
    vz_async_request *request = calloc(1, sizeof *request);
    if (!request)
        return NULL;
    request->call = *call;
    request->needs = vz_async.asked_ahead;
    if (last)
        last->next = request;
    else
        first = request;
    last = request;
    vz_async_unsettled++;
    return request;
}

/* Without a thread the one that waits fetches it. */
void vz_async_fetch_ahead(vz_async_request *request, void (*fetch)(void), uint64_t *number)
{
    vz_async_prepare(true);
    vz_os_mutex_lock(&vz_async.lock);
    vz_async_start_thread();
    vz_async.fetch = fetch;
    *number = request->needs = ++vz_async.asked_ahead;
    vz_os_condition_broadcast(&vz_async.changed);
    vz_os_mutex_unlock(&vz_async.lock);
}

bool vz_async_goes_on(const vz_async_request *request)
{
    return request->work.settle != NULL;
}

void vz_async_tell(vz_async_request *request)
{
    if (request->notify)
        request->notify(request->notify_context, request->status);
    request->notify = NULL;
}

static vz_async_request *take_first(void)
{
    vz_async_request *request = first;
    first = request->next;
    if (!first)
        last = NULL;
    request->next = NULL;
    vz_async_unsettled--;
    return request;
}

static void make(vz_async_request *request)
{
    const vz_async_call call = request->call;
    request->call.make = NULL;
    request->began_us = (uint64_t)vz_os_date_ns() / 1000;
    const uint64_t began = (uint64_t)vz_os_now_ns();
    vz_async_enter();
    const bool ok = call.make(call.context, request, &request->error);
    vz_async_leave();
    if (vz_async_goes_on(request))
        return;
    request->took_ns = (uint64_t)vz_os_now_ns() - began;
    request->status = ok ? VZ_ASYNC_SUCCEEDED : VZ_ASYNC_FAILED;
    vz_async_tell(request);
}

/* Requests that calls start one after the other are to go together. */
static void set_making(bool making)
{
    vz_os_mutex_lock(&vz_async.lock);
    vz_async.making = making;
    vz_os_condition_broadcast(&vz_async.changed);
    vz_os_mutex_unlock(&vz_async.lock);
}

static bool is_fetched(const void *request)
{
    return vz_async.fetched_ahead >= ((const vz_async_request *)request)->needs;
}

static bool has_fetched(void)
{
    vz_os_mutex_lock(&vz_async.lock);
    const bool has = first && is_fetched(first);
    vz_os_mutex_unlock(&vz_async.lock);
    return has;
}

void vz_async_make_fetched(void)
{
    if (vz_async.making || !has_fetched())
        return;
    set_making(true);
    do
        make(take_first());
    while (has_fetched());
    set_making(false);
}

bool vz_async_wait_fetched(const vz_async_request *request, uint64_t nanoseconds)
{
    return vz_async.making || vz_async_wait_until(is_fetched, request, nanoseconds);
}

bool vz_async_make_deferred(void)
{
    if (vz_async.making || !first)
        return false;
    vz_async_wait_fetched(first, VZ_ASYNC_FOREVER);
    vz_async_make_fetched();
    return true;
}
