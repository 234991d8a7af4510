/* task_parts.c - a value in parts: an upload begins, its parts go at once, and the end makes them one value, under the
 * request's condition. What fails is taken back, so that no parts lie there to be paid for. */
#include "remote/task_parts.h"
#include <stdio.h>
#include <stdlib.h>

#define ID_SIZE_MAX 1024 /* bytes of an upload's id, as URLs have it */
#define QUERY_SIZE  (ID_SIZE_MAX + 64)

typedef struct parts {
    char *id; /* of the upload, as URLs have it */
    size_t part_size, count;
    vz_buffer list;  /* the document that ends it */
    vz_error failed; /* why it is taken back */
} parts;

static vz_bytes part_of(const vz_task *task, const parts *p, size_t index)
{
    const vz_bytes value = task->request->value;
    const size_t first = index * p->part_size, rest = value.size - first;
    return (vz_bytes){value.data + first, rest < p->part_size ? rest : p->part_size};
}

static vz_exchange *ask(vz_task *task, vz_net_method method, const char *query, vz_error *err)
{
    vz_buffer whole = {0};
    vz_exchange *x = vz_site_key(task->remote->site, task->request->key, &whole, err)
                         ? vz_task_ask(task, method, (const char *)whole.data, query, err)
                         : NULL;
    vz_buffer_clear(&whole);
    return x;
}

/* ---- the end, one way or the other ---- */

static bool taken_back(vz_task *task, vz_error *err)
{
    const parts *p = task->state;
    if (err && err->class == VZ_OK)
        *err = p->failed;
    return false;
}

/* Whether that succeeds is not told: the server's own rules for what is never ended clean up after it. */
static bool take_back(vz_task *task, const vz_error *failed, vz_error *err)
{
    parts *p = task->state;
    char query[QUERY_SIZE];
    p->failed = *failed;
    vz_task_forget(task);
    snprintf(query, sizeof query, "uploadId=%s", p->id);
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
    const vz_exchange *x = task->exchanges[0];
    vz_s3_refusal refusal;
    vz_error failed = VZ_ERROR_NONE;
    char etag[256];
    if (!vz_task_check_change(task, x, &failed) ||
        !vz_s3_read_made((vz_bytes){x->own.data, x->own.size}, etag, sizeof etag, &refusal, &failed))
        return take_back(task, &failed, err);
    if (task->request->tells)
        task->request->version = vz_version_of_etag(etag);
    return true;
}

/* ---- parts ---- */

static bool add_part(vz_task *task, parts *p, size_t index, vz_error *err)
{
    const vz_exchange *x = task->exchanges[index];
    bool missing;
    if (!vz_task_check(task, x, &missing, err))
        return false;
    const char *etag = x->site->net->header(&x->net, "ETag");
    if (missing || !etag)
        return vz_fail(err, VZ_IO, "the server lost a part of the value");
    return vz_buffer_printf(&p->list, err, "<Part><PartNumber>%zu</PartNumber><ETag>", index + 1) &&
           vz_xml_escape(etag, &p->list, err) && vz_buffer_printf(&p->list, err, "</ETag></Part>");
}

static bool list_parts(vz_task *task, parts *p, vz_error *err)
{
    bool ok = vz_buffer_printf(&p->list, err, "<CompleteMultipartUpload>");
    for (size_t i = 0; ok && i < p->count; i++)
        ok = add_part(task, p, i, err);
    return ok && vz_buffer_printf(&p->list, err, "</CompleteMultipartUpload>");
}

static bool parts_answered(vz_task *task, vz_error *err)
{
    parts *p = task->state;
    vz_error failed = VZ_ERROR_NONE;
    char query[QUERY_SIZE];
    if (!list_parts(task, p, &failed))
        return take_back(task, &failed, err);
    vz_task_forget(task);
    snprintf(query, sizeof query, "uploadId=%s", p->id);
    vz_exchange *x = ask(task, VZ_NET_POST, query, &failed);
    if (!x || !vz_task_condition(task->request, x, &failed))
        return take_back(task, &failed, err);
    x->net.body = (vz_bytes){p->list.data, p->list.size};
    x->net.into = &x->own;
    x->net.most = VZ_NET_TEXT_MAX;
    task->go_on = made;
    return true;
}

static bool ask_part(vz_task *task, const parts *p, size_t index, vz_error *err)
{
    char query[QUERY_SIZE];
    snprintf(query, sizeof query, "partNumber=%zu&uploadId=%s", index + 1, p->id);
    vz_exchange *x = ask(task, VZ_NET_PUT, query, err);
    if (!x)
        return false;
    x->net.body = part_of(task, p, index);
    x->net.repeatable = true;
    return true;
}

static char *read_id(const vz_exchange *x, vz_error *err)
{
    vz_buffer coded = {0};
    char *id = vz_s3_read_upload((vz_bytes){x->own.data, x->own.size}, err);
    bool ok = id && vz_url_encode(id, false, &coded, err) && vz_buffer_append(&coded, "", 1, err);
    ok = ok && (coded.size <= ID_SIZE_MAX || vz_fail(err, VZ_LIMIT, "an upload with an id of %zu bytes", coded.size));
    free(id);
    if (!ok)
        vz_buffer_clear(&coded);
    return (char *)coded.data;
}

static bool begun(vz_task *task, vz_error *err)
{
    parts *p = task->state;
    vz_error failed = VZ_ERROR_NONE;
    if (!vz_task_check_change(task, task->exchanges[0], err) || !(p->id = read_id(task->exchanges[0], err)))
        return false;
    vz_task_forget(task);
    task->go_on = parts_answered;
    for (size_t i = 0; i < p->count; i++)
        if (!ask_part(task, p, i, &failed))
            return take_back(task, &failed, err);
    return true;
}

static void clear(vz_task *task)
{
    parts *p = task->state;
    free(p->id);
    vz_buffer_clear(&p->list);
    free(p);
}

bool vz_task_begin_parts(vz_task *task, vz_error *err)
{
    parts *p = calloc(1, sizeof *p);
    if (!p)
        return vz_fail_memory(err);
    task->state = p;
    task->clear = clear;
    task->go_on = begun;
    const size_t size = task->request->value.size, least = (size + VZ_PARTS_MAX - 1) / VZ_PARTS_MAX;
    p->part_size = least > VZ_PART_SIZE ? least : VZ_PART_SIZE;
    p->count = (size + p->part_size - 1) / p->part_size;
    vz_exchange *x = ask(task, VZ_NET_POST, "uploads=", err);
    if (!x)
        return false;
    x->net.into = &x->own;
    x->net.most = VZ_NET_TEXT_MAX;
    return true;
}
