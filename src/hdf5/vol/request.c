/* request.c - callbacks of requests: what an event set asks of an operation that goes on. Error
 * stacks are made here, by the thread that asks. */
#include "hdf5/vol/vol_internal.h"
#include <stdlib.h>

/* HDF5 asks for the wrap context of a request as of an object. */
typedef struct vol_request {
    vz_object object;
    vz_async_request *work;
    uint64_t number; /* in the order of the calls */
} vol_request;

/* HDF5 loses what is put into an event set after the last event left it before an earlier one
 * (docs/upstream.md). So events leave it in their order where that can be had. */
static struct order {
    uint64_t last;          /* number that was given */
    size_t count;           /* requests that HDF5 has */
    uint64_t looked_at;     /* the request that HDF5 waited for last: it takes a set by number */
    bool has_under_way;     /* one that it looked at before, in this pass */
    bool has_left_too_soon; /* a canceled one, while others are there */
} order;

static void context_free(vz_wrap_context *context)
{
    (void)context;
}

/* Nothing comes out of a request that would be wrapped. */
static void *wrap(vz_wrap_context *context, void *native, H5I_type_t type)
{
    (void)context, (void)type;
    return native;
}

static vz_wrap_context *wrap_context(const vz_object *object)
{
    static vz_wrap_context context = {wrap, context_free};
    (void)object;
    return &context;
}

static void *get_object(const vz_object *object)
{
    (void)object;
    return NULL;
}

static const H5VL_class_t *terminal_class(vz_object *object)
{
    (void)object;
    return NULL;
}

static const vz_ops request_ops = {
    .kind = VZ_OPS_ZARR, .wrap_context = wrap_context, .get_object = get_object, .terminal_class = terminal_class};

void *vz_vol_request_new(void)
{
    vol_request *request = malloc(sizeof *request);
    if (request)
        *request = (vol_request){{&request_ops, H5I_BADID}, NULL, 0};
    return request;
}

void *vz_vol_request_of(void *request, vz_async_request *work)
{
    vol_request *r = request;
    if (!work) {
        free(r);
        return NULL;
    }
    r->work = work;
    r->number = ++order.last;
    order.count++;
    return r;
}

static vz_async_request *work_of(void *req)
{
    return ((vol_request *)req)->work;
}

static bool has_failed;

bool vz_vol_request_has_failed(void)
{
    return has_failed;
}

bool vz_vol_request_may_be_new(void)
{
    return !has_failed && !order.has_left_too_soon;
}

static H5VL_request_status_t status_of(vz_async_status status)
{
    switch (status) {
    case VZ_ASYNC_SUCCEEDED:
        return H5VL_REQUEST_STATUS_SUCCEED;
    case VZ_ASYNC_FAILED:
        has_failed = true;
        return H5VL_REQUEST_STATUS_FAIL;
    case VZ_ASYNC_CANCELED:
        return H5VL_REQUEST_STATUS_CANCELED;
    case VZ_ASYNC_UNDER_WAY:
        break;
    }
    return H5VL_REQUEST_STATUS_IN_PROGRESS;
}

/* In this pass of HDF5's through an event set? A pass of another set may follow it: then a request
 * that is done is reported by the pass after that. */
static bool waits_for_earlier(const vol_request *request, uint64_t timeout)
{
    if (timeout == VZ_ASYNC_FOREVER || request->number <= order.looked_at)
        order.has_under_way = false;
    order.looked_at = request->number;
    return order.has_under_way;
}

static herr_t request_wait(void *req, uint64_t timeout, H5VL_request_status_t *status)
{
    *status = H5VL_REQUEST_STATUS_IN_PROGRESS;
    if (waits_for_earlier(req, timeout))
        return 0;
    *status = status_of(vz_async_wait(work_of(req), timeout));
    order.has_under_way = *status == H5VL_REQUEST_STATUS_IN_PROGRESS;
    return 0;
}

typedef struct notice {
    H5VL_request_notify_t call;
    void *context;
} notice;

static void notify(void *context, vz_async_status status)
{
    const notice one = *(notice *)context;
    free(context);
    one.call(one.context, status_of(status));
}

static herr_t request_notify(void *req, H5VL_request_notify_t cb, void *ctx)
{
    vz_vol_call call = vz_vol_begin_beside(true);
    notice *one = cb ? malloc(sizeof *one) : NULL;
    if (!one) {
        if (cb)
            vz_fail_memory(&call.err);
        else
            vz_fail(&call.err, VZ_INVALID, "no function to call when the request is done");
        return vz_vol_status(-1, &call, __func__);
    }
    *one = (notice){cb, ctx};
    vz_vol_status(0, &call, __func__);
    vz_async_notify(work_of(req), notify, one);
    return 0;
}

static herr_t request_cancel(void *req, H5VL_request_status_t *status)
{
    const vz_async_status now = vz_async_cancel(work_of(req));
    *status = now == VZ_ASYNC_UNDER_WAY ? H5VL_REQUEST_STATUS_CANT_CANCEL : status_of(now);
    order.has_left_too_soon |= now != VZ_ASYNC_UNDER_WAY && order.count > 1;
    return 0;
}

static hid_t make_stack(vz_async_request *request)
{
    const hid_t stack = H5Ecreate_stack();
    if (stack >= 0 && vz_async_wait(request, 0) == VZ_ASYNC_FAILED)
        vz_vol_push(stack, vz_async_failure(request), "request");
    return stack;
}

static herr_t request_specific(void *req, H5VL_request_specific_args_t *args)
{
    if (args->op_type == H5VL_REQUEST_GET_EXEC_TIME) {
        vz_async_times(work_of(req), args->args.get_exec_time.exec_ts, args->args.get_exec_time.exec_time);
        return 0;
    }
    if (args->op_type == H5VL_REQUEST_GET_ERR_STACK)
        return (args->args.get_err_stack.err_stack_id = make_stack(work_of(req))) >= 0 ? 0 : -1;
    vz_vol_call call = vz_vol_begin_beside(true);
    vz_fail(&call.err, VZ_UNSUPPORTED, "request operation %d", (int)args->op_type);
    return vz_vol_status(-1, &call, __func__);
}

static herr_t request_optional(VOL_UNUSED void *req, H5VL_optional_args_t *args)
{
    vz_vol_call call = vz_vol_begin_beside(true);
    vz_fail(&call.err, VZ_UNSUPPORTED, "optional request operation %d", args->op_type);
    return vz_vol_status(-1, &call, __func__);
}

static herr_t request_free(void *req)
{
    vz_async_free(work_of(req));
    free(req);
    if (--order.count == 0)
        order.has_left_too_soon = false;
    return 0;
}

const H5VL_request_class_t vz_vol_request_class = {
    .wait = request_wait,
    .notify = request_notify,
    .cancel = request_cancel,
    .specific = request_specific,
    .optional = request_optional,
    .free = request_free,
};
