/* azure_copy.c - a copy within an account of Azure's storage: mostly made when it is answered, else
 * asked about until it is. */
#include "remote/protocol/service.h"
#include "remote/bucket/tree_internal.h"

#define COPY_WAIT_MS 120000 /* until the answer begins */

static const char *state_of(const vz_exchange *x)
{
    const char *state = x->site->net->header(&x->net, "x-ms-copy-status");
    return state ? state : "";
}

/* Asked of every answer, by the thread of the transfers, which asks again a moment later: for three
 * minutes at most. */
static bool is_pending(vz_net_request *request)
{
    return request->status == 200 && strcmp(state_of(request->owner), "pending") == 0;
}

static bool check(vz_task *task, const vz_exchange *x, vz_error *err)
{
    bool missing;
    if (!vz_task_check(task, x, &missing, err))
        return false;
    return !missing || vz_fail(err, VZ_CHANGED, "a key that was listed is gone");
}

static bool fail_copy(const char *state, vz_error *err)
{
    return vz_fail(err, VZ_IO, "the server began a copy and did not make it (%.20s)", *state ? state : "no status");
}

static bool waited(vz_task *task, vz_error *err)
{
    const vz_exchange *x = task->exchanges[task->count - 1];
    if (x->net.failed != VZ_OK && x->net.status == 200)
        return fail_copy("it takes too long", err);
    if (!check(task, x, err))
        return false;
    return strcmp(state_of(x), "success") == 0 || fail_copy(state_of(x), err);
}

static bool copied(vz_task *task, vz_error *err)
{
    const vz_bucket_server_copy *copy = task->state;
    const vz_exchange *x = task->exchanges[0];
    if (!check(task, x, err))
        return false;
    if (strcmp(state_of(x), "success") == 0)
        return true;
    if (strcmp(state_of(x), "pending") != 0)
        return fail_copy(state_of(x), err);
    vz_exchange *look = vz_task_ask(task, VZ_NET_HEAD, copy->to, NULL, err);
    task->go_on = waited;
    if (!look)
        return false;
    look->net.wants_again = is_pending;
    return true;
}

bool vz_azure_begin_copy(vz_task *task, vz_error *err)
{
    const vz_bucket_server_copy *copy = task->state;
    vz_buffer source = {0};
    vz_exchange *x = vz_task_ask(task, VZ_NET_PUT, copy->to, NULL, err);
    const bool ok = x && vz_site_url(task->remote->site, copy->from, NULL, &source, err) &&
                    vz_exchange_line(x, err, "x-ms-copy-source: %s", (const char *)source.data);
    vz_buffer_clear(&source);
    task->go_on = copied;
    if (!ok)
        return false;
    x->net.repeatable = true;
    x->net.first_byte_ms = COPY_WAIT_MS;
    return true;
}
