/* server_copy.c - a value copied by the server: in one request, or, where it is too large for that,
 * in parts. */
#include "remote/bucket/tree_internal.h"
#include "remote/protocol/service.h"
#include "remote/bucket/task_internal.h"
#include "base/util/bytes.h"
#include <stdlib.h>

#define COPY_WAIT_MS 120000 /* until the answer begins: servers copy first */

/* A copy may fail after it began to be answered, with status 200. */
static bool is_refused_late(vz_net_request *request)
{
    const vz_buffer *body = request->into;
    return request->status == 200 && body->size > 0 && memmem(body->data, body->size, "<Error", 6) != NULL;
}

/* Asks for a copy of all of the value, or, with a query, of what the caller says. */
static vz_exchange *ask_copy(vz_task *task, const char *from, const char *to, const char *query, vz_error *err)
{
    vz_buffer source = {0};
    vz_exchange *x = vz_task_ask(task, VZ_NET_PUT, to, query, err);
    const bool ok =
        x && vz_percent_encode(&source, from, "/", err) && vz_buffer_append(&source, "", 1, err) &&
        vz_exchange_line(x, err, "x-amz-copy-source: /%s/%s", task->remote->site->bucket, (const char *)source.data);
    vz_buffer_clear(&source);
    if (!ok)
        return NULL;
    x->net.into = &x->own;
    x->net.most = VZ_NET_TEXT_MAX;
    x->net.repeatable = true;
    x->net.wants_again = is_refused_late;
    x->net.first_byte_ms = COPY_WAIT_MS;
    return x;
}

static bool check_there(vz_task *task, const vz_exchange *x, vz_error *err)
{
    bool missing;
    if (!vz_task_check(task, x, &missing, err))
        return false;
    return !missing || vz_fail(err, VZ_CHANGED, "a key that was listed is gone");
}

/* ---- in one ---- */

static bool copied(vz_task *task, vz_error *err)
{
    const vz_exchange *x = task->exchanges[0];
    vz_refusal refusal;
    char etag[256];
    return check_there(task, x, err) &&
           vz_s3_read_made((vz_bytes){x->own.data, x->own.size}, etag, sizeof etag, &refusal, err);
}

bool vz_bucket_copy_begin(vz_task *task, vz_error *err)
{
    const vz_bucket_server_copy *copy = task->state;
    task->go_on = copied;
    return ask_copy(task, copy->from, copy->to, NULL, err) != NULL;
}

/* ---- in parts ---- */

typedef struct large_copy {
    vz_upload upload; /* first: task_multipart.c knows no more */
    const char *from;
    char *etag; /* of the version that is copied */
} large_copy;

static bool copy_part(vz_task *task, const char *query, uint64_t first, uint64_t size, vz_error *err)
{
    const large_copy *l = task->state;
    vz_exchange *x = ask_copy(task, l->from, (const char *)l->upload.key.data, query, err);
    return x && vz_exchange_line(x, err, "x-amz-copy-source-if-match: %s", l->etag) &&
           vz_exchange_line(x, err, "x-amz-copy-source-range: bytes=%llu-%llu", (unsigned long long)first,
                            (unsigned long long)(first + size - 1));
}

/* An upload begins without what the server keeps beside a value. */
static bool take_along(const vz_exchange *from, vz_exchange *to, vz_error *err)
{
    static const char *const names[] = {"Content-Type", "Content-Encoding", "Content-Disposition", "Content-Language",
                                        "Cache-Control"};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof names / sizeof *names; i++) {
        const char *value = from->site->net->header(&from->net, names[i]);
        ok = !value || !*value || vz_exchange_line(to, err, "%s: %s", names[i], value);
    }
    return ok;
}

static bool looked(vz_task *task, vz_error *err)
{
    large_copy *l = task->state;
    const vz_exchange *x = task->exchanges[0];
    if (!check_there(task, x, err))
        return false;
    const char *length = x->site->net->header(&x->net, "Content-Length");
    l->upload.size = length ? strtoull(length, NULL, 10) : 0;
    if (l->upload.size == 0)
        return vz_exchange_fail_changed(err);
    const char *etag = x->site->net->header(&x->net, "ETag");
    if (!etag || *etag != '"')
        return vz_fail(err, VZ_UNSUPPORTED, "copying a large value of which the server tells no version");
    if (!(l->etag = strdup(etag)))
        return vz_fail_memory(err);
    vz_exchange *begin = vz_upload_begin(task, err);
    return begin && take_along(x, begin, err);
}

static void clear(vz_task *task)
{
    large_copy *l = task->state;
    vz_upload_end(task);
    vz_upload_clear(&l->upload);
    free(l->etag);
    free(l);
}

bool vz_bucket_copy_begin_large(vz_task *task, vz_error *err)
{
    const vz_bucket_server_copy *copy = task->state;
    large_copy *l = calloc(1, sizeof *l);
    if (!l)
        return vz_fail_memory(err);
    l->upload = (vz_upload){.part_size = task->remote->copy_part, .ask_part = copy_part};
    l->from = copy->from;
    task->state = l;
    task->clear = clear;
    task->go_on = looked;
    return vz_buffer_append(&l->upload.key, copy->to, strlen(copy->to) + 1, err) &&
           vz_task_ask(task, VZ_NET_HEAD, copy->from, NULL, err);
}
