/* task_multipart.c - a value in parts: an upload begins, all parts are sent at once, and its
 * completion makes them one value, under the request's condition. A failure aborts the upload, so
 * that no parts stay to be paid for. The second half puts values in parts; server_copy.c copies
 * them so. */
#include "remote/bucket/task_internal.h"
#include "remote/protocol/service.h"
#include "base/util/bytes.h"
#include <stdio.h>
#include <stdlib.h>

#define ID_SIZE_MAX 1024 /* bytes of an upload's id, as URLs have it */
#define QUERY_SIZE  (ID_SIZE_MAX + 64)

static vz_exchange *ask(vz_task *task, vz_net_method method, const char *query, vz_error *err)
{
    const vz_upload *u = task->state;
    return vz_task_ask(task, method, (const char *)u->key.data, query, err);
}

/* ---- the end, one way or the other ---- */

static bool taken_back(vz_task *task, vz_error *err)
{
    vz_upload *u = task->state;
    u->is_over = true;
    if (err && err->class == VZ_OK)
        *err = u->failed;
    return false;
}

/* Ignores failures: the server's own rules for unfinished uploads clean up. */
static bool take_back(vz_task *task, const vz_error *failed, vz_error *err)
{
    vz_upload *u = task->state;
    char query[QUERY_SIZE];
    u->failed = *failed;
    vz_task_forget(task);
    snprintf(query, sizeof query, "uploadId=%s", u->id);
    vz_exchange *x = ask(task, VZ_NET_DELETE, query, NULL);
    if (!x) {
        vz_task_forget(task);
        return taken_back(task, err);
    }
    x->net.repeatable = true;
    task->go_on = taken_back;
    return true;
}

static bool made(vz_task *task, vz_error *err)
{
    vz_upload *u = task->state;
    const vz_exchange *x = task->exchanges[0];
    vz_refusal refusal;
    vz_error failed = VZ_ERROR_NONE;
    char etag[256];
    if (!vz_task_check_change(task, x, &failed) ||
        !vz_s3_read_made((vz_bytes){x->own.data, x->own.size}, etag, sizeof etag, &refusal, &failed))
        return take_back(task, &failed, err);
    u->is_over = true;
    if (task->request && task->request->tells)
        task->request->version = vz_remote_version_of_etag(etag);
    return true;
}

/* ---- parts ---- */

static bool add_etag(const vz_exchange *x, vz_upload *u, vz_error *err)
{
    char made[256];
    vz_refusal refusal;
    if (x->net.into && !vz_s3_read_made((vz_bytes){x->own.data, x->own.size}, made, sizeof made, &refusal, err))
        return false;
    const char *etag = x->net.into ? made : x->site->net->header(&x->net, "ETag");
    return etag && *etag ? vz_xml_escape(etag, &u->list, err)
                         : vz_fail(err, VZ_IO, "the server does not say what a part of the value is");
}

static bool add_part(vz_task *task, vz_upload *u, size_t index, vz_error *err)
{
    const vz_exchange *x = task->exchanges[index];
    bool missing;
    if (!vz_task_check(task, x, &missing, err))
        return false;
    if (missing)
        return vz_fail(err, VZ_IO, "the server lost a part of the value");
    return vz_buffer_printf(&u->list, err, "<Part><PartNumber>%zu</PartNumber><ETag>", index + 1) &&
           add_etag(x, u, err) && vz_buffer_printf(&u->list, err, "</ETag></Part>");
}

static bool list_parts(vz_task *task, vz_upload *u, vz_error *err)
{
    bool ok = vz_buffer_printf(&u->list, err, "<CompleteMultipartUpload>");
    for (size_t i = 0; ok && i < u->count; i++)
        ok = add_part(task, u, i, err);
    return ok && vz_buffer_printf(&u->list, err, "</CompleteMultipartUpload>");
}

static bool parts_answered(vz_task *task, vz_error *err)
{
    vz_upload *u = task->state;
    vz_error failed = VZ_ERROR_NONE;
    char query[QUERY_SIZE];
    if (!list_parts(task, u, &failed))
        return take_back(task, &failed, err);
    vz_task_forget(task);
    snprintf(query, sizeof query, "uploadId=%s", u->id);
    vz_exchange *x = ask(task, VZ_NET_POST, query, &failed);
    if (!x || !vz_task_condition(task->request, x, &failed))
        return take_back(task, &failed, err);
    x->net.body = (vz_bytes){u->list.data, u->list.size};
    x->net.into = &x->own;
    x->net.most = VZ_NET_TEXT_MAX;
    task->go_on = made;
    return true;
}

static bool ask_part(vz_task *task, const vz_upload *u, size_t index, vz_error *err)
{
    char query[QUERY_SIZE];
    const uint64_t first = index * u->part_size, rest = u->size - first;
    snprintf(query, sizeof query, "partNumber=%zu&uploadId=%s", index + 1, u->id);
    return u->ask_part(task, query, first, rest < u->part_size ? rest : u->part_size, err);
}

static char *read_id(const vz_exchange *x, vz_error *err)
{
    vz_buffer coded = {0};
    char *id = vz_s3_read_upload((vz_bytes){x->own.data, x->own.size}, err);
    bool ok = id && vz_percent_encode(&coded, id, "", err) && vz_buffer_append(&coded, "", 1, err);
    ok = ok && (coded.size <= ID_SIZE_MAX || vz_fail(err, VZ_LIMIT, "an upload with an id of %zu bytes", coded.size));
    free(id);
    if (!ok)
        vz_buffer_clear(&coded);
    return (char *)coded.data;
}

static bool begun(vz_task *task, vz_error *err)
{
    vz_upload *u = task->state;
    vz_error failed = VZ_ERROR_NONE;
    const vz_exchange *x = task->exchanges[task->count - 1];
    if (!vz_task_check_change(task, x, err) || !(u->id = read_id(x, err)))
        return false;
    vz_task_forget(task);
    task->go_on = parts_answered;
    for (size_t i = 0; i < u->count; i++)
        if (!ask_part(task, u, i, &failed))
            return take_back(task, &failed, err);
    return true;
}

static uint64_t divide_up(uint64_t size, uint64_t by)
{
    return size / by + (size % by != 0);
}

vz_exchange *vz_upload_begin(vz_task *task, vz_error *err)
{
    vz_upload *u = task->state;
    const uint64_t least = divide_up(u->size, VZ_PARTS_MAX);
    u->part_size = least > u->part_size ? least : u->part_size;
    u->count = (size_t)divide_up(u->size, u->part_size);
    vz_exchange *x = ask(task, VZ_NET_POST, "uploads=", err);
    if (!x)
        return NULL;
    task->go_on = begun;
    x->net.into = &x->own;
    x->net.most = VZ_NET_TEXT_MAX;
    return x;
}

void vz_upload_end(vz_task *task)
{
    vz_upload *u = task->state;
    char query[QUERY_SIZE];
    vz_exchange x = {0};
    if (!u->id || u->is_over)
        return;
    snprintf(query, sizeof query, "uploadId=%s", u->id);
    if (vz_exchange_begin(&x, task->remote->site, VZ_NET_DELETE, (const char *)u->key.data, query, NULL)) {
        x.net.repeatable = true;
        vz_exchange_do(&x, NULL);
    }
    vz_exchange_clear(&x);
    u->is_over = true;
}

void vz_upload_clear(vz_upload *upload)
{
    vz_buffer_clear(&upload->key);
    vz_buffer_clear(&upload->list);
    free(upload->id);
}

/* ---- values that are put ---- */

static bool put_part(vz_task *task, const char *query, uint64_t first, uint64_t size, vz_error *err)
{
    vz_exchange *x = ask(task, VZ_NET_PUT, query, err);
    if (!x)
        return false;
    x->net.body = (vz_bytes){task->request->value.data + first, (size_t)size};
    x->net.repeatable = true;
    return true;
}

static void clear(vz_task *task)
{
    vz_upload_clear(task->state);
    free(task->state);
}

bool vz_task_begin_parts(vz_task *task, vz_error *err)
{
    vz_upload *u = calloc(1, sizeof *u);
    if (!u)
        return vz_fail_memory(err);
    *u = (vz_upload){.size = task->request->value.size, .part_size = VZ_PART_SIZE, .ask_part = put_part};
    task->state = u;
    task->clear = clear;
    return vz_site_key(task->remote->site, task->request->key, &u->key, err) && vz_upload_begin(task, err);
}
