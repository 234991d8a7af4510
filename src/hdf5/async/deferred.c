/* deferred.c - calls that are made when somebody waits: in their order, by the thread that waits.
 * Threads that call HDF5 alone come here, one at a time. */
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
    if (last)
        last->next = request;
    else
        first = request;
    last = request;
    vz_async_unsettled++;
    return request;
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

bool vz_async_make_deferred(void)
{
    if (vz_async.making || !first)
        return false;
    set_making(true);
    while (first)
        make(take_first());
    set_making(false);
    return true;
}
