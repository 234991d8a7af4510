/* task_put.c - putting and deleting one value. The server enforces conditions. A version whose ETag
 * is too long to be kept cannot be sent as a condition, so the ETag is read first. */
#include "remote/bucket/task_internal.h"
#include "base/util/memory_budget.h"
#include <stdlib.h>

/* Gives the request the version that its PUT made. */
static void tell(vz_task *task, const vz_exchange *x)
{
    vz_request *request = task->request;
    if (request->tells)
        request->version = vz_remote_version_of_answer(x->site->net, &x->net);
}

/* Can the condition be sent to the server? Else a HEAD gets the ETag that can. */
static bool needs_look(const vz_request *request)
{
    char text[VZ_ETAG_SIZE];
    return request->when == VZ_WHEN_VERSION && request->version.size > 0 &&
           !vz_remote_version_etag(&request->version, text);
}

/* The look at a value whose version is kept as a hash: the ETag that stands for it. NULL with err
 * set. */
static const char *met_etag(vz_task *task, const vz_exchange *x, vz_error *err)
{
    bool missing;
    if (!vz_task_check(task, x, &missing, err))
        return NULL;
    const vz_version met = missing ? (vz_version){0} : vz_remote_version_of_answer(x->site->net, &x->net);
    const char *etag = missing ? NULL : x->site->net->header(&x->net, "ETag");
    if (!vz_version_equal(&met, &task->request->version))
        vz_exchange_fail_changed(err);
    else if (!etag || *etag != '"')
        vz_fail(err, VZ_UNSUPPORTED, "a version that the server cannot be asked for");
    else
        return etag;
    return NULL;
}

/* ---- putting ---- */

/* Deletes the create lock, beside the request that follows. A failure does not matter, since the
 * lock expires. */
static void end_lock(vz_task *task)
{
    char *key = vz_bucket_create_lock_give_up(task->remote, true);
    vz_exchange *x = key ? vz_task_ask(task, VZ_NET_DELETE, key, NULL, NULL) : NULL;
    if (x)
        x->net.repeatable = true;
    free(key);
}

static bool put_answered(vz_task *task, vz_error *err)
{
    const vz_exchange *x = task->exchanges[task->count - 1];
    const bool is_put = vz_task_check_change(task, x, err);
    if (!vz_bucket_create_lock_verify_end(task, is_put, err) || !is_put)
        return false;
    tell(task, x);
    if (!strchr(task->request->key, '/')) /* the first value in the root of a new store replaces the
                                           * create lock (create_lock.c) */
        vz_bucket_create_lock_may_go(task->remote);
    return true;
}

static vz_exchange *ask_put(vz_task *task, vz_error *err)
{
    end_lock(task);
    vz_exchange *x = vz_task_ask_key(task, VZ_NET_PUT, task->request->key, err);
    if (!x)
        return NULL;
    x->net.repeatable = task->request->when == VZ_WHEN_ANY; /* else the caller checks after a lost
                                                             * answer */
    task->go_on = put_answered;
    return vz_exchange_value(x, task->request->value, err) &&
                   vz_exchange_line(x, err, "Content-Type: application/octet-stream")
               ? x
               : NULL;
}

static bool put_looked(vz_task *task, vz_error *err)
{
    const char *etag = met_etag(task, task->exchanges[0], err);
    vz_exchange *x = etag ? ask_put(task, err) : NULL;
    return x && vz_exchange_line(x, err, "If-Match: %s", etag);
}

static bool look_first(vz_task *task, bool (*then)(vz_task *task, vz_error *err), vz_error *err)
{
    task->go_on = then;
    return vz_task_ask_key(task, VZ_NET_HEAD, task->request->key, err) != NULL;
}

bool vz_task_begin_put(vz_task *task, vz_error *err)
{
    const vz_request *request = task->request;
    if (vz_remote_is_document(request->key) && request->value.size > VZ_DOCUMENT_REMOTE_MAX_SIZE)
        return vz_fail(err, VZ_LIMIT, "a document of %zu bytes, which could not be read again from a server",
                       request->value.size);
    if (request->when != VZ_WHEN_ANY && !vz_bucket_check_conditions(task->remote, err))
        return false;
    if (request->value.size >= VZ_PARTS_FROM)
        return task->remote->site->service->protocol->begin_parts(task, err);
    if (needs_look(request))
        return look_first(task, put_looked, err);
    vz_exchange *x = ask_put(task, err);
    return x && vz_task_condition(request, x, err);
}

/* ---- deleting ---- */

static bool delete_answered(vz_task *task, vz_error *err)
{
    bool missing;
    return vz_task_check(task, task->exchanges[task->count - 1], &missing, err);
}

static vz_exchange *ask_delete(vz_task *task, vz_error *err)
{
    vz_exchange *x = vz_task_ask_key(task, VZ_NET_DELETE, task->request->key, err);
    task->go_on = delete_answered;
    if (x)
        x->net.repeatable = task->request->when == VZ_WHEN_ANY;
    return x;
}

/* Few servers heed a condition here, and none says that it does not. So a look comes before it:
 * what is put between the two is lost where the server does not heed it. */
static bool delete_looked(vz_task *task, vz_error *err)
{
    const vz_exchange *look = task->exchanges[0];
    bool missing;
    if (!vz_task_check(task, look, &missing, err))
        return false;
    const vz_version met = missing ? (vz_version){0} : vz_remote_version_of_answer(look->site->net, &look->net);
    if (!vz_version_equal(&met, &task->request->version))
        return vz_exchange_fail_changed(err);
    const char *etag = look->site->net->header(&look->net, "ETag");
    vz_exchange *x = ask_delete(task, err);
    return x && (!etag || *etag != '"' || vz_exchange_line(x, err, "If-Match: %s", etag));
}

bool vz_task_begin_delete(vz_task *task, vz_error *err)
{
    if (task->request->when == VZ_WHEN_VERSION)
        return look_first(task, delete_looked, err);
    return ask_delete(task, err) != NULL;
}
