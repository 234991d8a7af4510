/* task_dispatch.c - which task does what a request asks for. */
#include "remote/bucket/task_internal.h"
#include "store/store/call.h"

bool vz_task_begin(vz_task *task, vz_error *err)
{
    vz_request *request = task->request;
    const vz_store *store = &task->remote->base;
    const bool lists = request->op == VZ_REQUEST_LIST;
    request->failed = VZ_OK;
    if (!(lists ? vz_store_call_check_prefix(store, request->key, err)
                : vz_store_call_check_key(store, request->key, err)))
        return false;
    if (vz_request_changes(request) &&
        (!vz_store_call_check_writable(store, err) || !vz_bucket_create_lock_verify_begin(task, err)))
        return false;
    if (lists && !(store->capabilities & VZ_STORE_LIST))
        return vz_fail(err, VZ_UNSUPPORTED, "a %s store cannot list", store->class->kind);
    switch (request->op) {
    case VZ_REQUEST_PUT:
        return vz_task_begin_put(task, err);
    case VZ_REQUEST_DELETE:
        return vz_task_begin_delete(task, err);
    case VZ_REQUEST_LIST:
        return vz_task_begin_list(task, err);
    case VZ_REQUEST_GET:
        break;
    }
    return vz_task_is_large(task) ? vz_task_begin_large(task, err) : vz_task_begin_get(task, err);
}
