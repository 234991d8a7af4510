/* task_get_large.c - reading all of a value that may be large. The answer for its start has the
 * size; the rest follows as ranges that are under way together. Many connections are faster than
 * one. */
#include "remote/bucket/task_internal.h"
#include "base/os/file.h"
#include <stdlib.h>

#define ROUNDS_MAX 3 /* of values that were replaced meanwhile */

typedef struct large {
    vz_buffer *into; /* the request's, or the task's own one */
    size_t start;    /* what that held */
    vz_version version;
    uint64_t total;
    unsigned rounds;
} large;

/* `etag`: of the version that is demanded; NULL: any. */
static vz_exchange *ask_range(vz_task *task, uint64_t first, uint64_t size, const char *etag, vz_error *err)
{
    vz_exchange *x = vz_task_ask_key(task, VZ_NET_GET, task->request->key, err);
    if (!x || (etag && !vz_exchange_line(x, err, "If-Match: %s", etag)) ||
        !vz_exchange_line(x, err, "Range: bytes=%llu-%llu", (unsigned long long)first,
                          (unsigned long long)(first + size - 1)))
        return NULL;
    x->net.expected = size;
    return x;
}

static bool fail_back(large *l)
{
    l->into->size = l->start;
    return false;
}

static bool start_over(vz_task *task, vz_error *err);

/* Another version took the place of the one that was begun with. */
static bool changed(vz_task *task, vz_error *err)
{
    large *l = task->state;
    fail_back(l);
    if (task->request->when == VZ_WHEN_VERSION || ++l->rounds >= ROUNDS_MAX)
        return vz_exchange_fail_changed(err);
    return start_over(task, err);
}

static bool is_range(const vz_exchange *x, uint64_t first, uint64_t size, uint64_t *total)
{
    vz_net_content_range range;
    if (x->net.status != 206 || !x->site->net->range_of(&x->net, &range) || range.first != first)
        return false;
    *total = range.total;
    return size == 0 || range.size == size;
}

/* ---- the rest ---- */

static bool rest_answered(vz_task *task, vz_error *err)
{
    large *l = task->state;
    for (size_t i = 0; i < task->count; i++) {
        const vz_exchange *x = task->exchanges[i];
        const uint64_t first = VZ_LARGE_PIECE * (i + 1);
        uint64_t total;
        bool missing;
        vz_error failed = VZ_ERROR_NONE;
        if (!vz_task_check(task, x, &missing, &failed)) {
            if (failed.class == VZ_CHANGED)
                return changed(task, err);
            if (err && err->class == VZ_OK)
                *err = failed;
            return fail_back(l);
        }
        const vz_version met = missing ? (vz_version){0} : vz_remote_version_of_answer(x->site->net, &x->net);
        if (missing || !vz_version_equal(&met, &l->version))
            return changed(task, err);
        if (!is_range(x, first, x->own.capacity, &total) || total != l->total || x->own.size != x->own.capacity) {
            vz_fail(err, VZ_CORRUPT, "the server sends another range than asked for");
            return fail_back(l);
        }
    }
    l->into->size = l->start + (size_t)l->total;
    return true;
}

/* Each range has its place in the buffer, which does not move any more. */
static bool ask_rest(vz_task *task, large *l, vz_error *err)
{
    char text[VZ_ETAG_SIZE];
    const char *etag = vz_remote_version_etag(&l->version, text);
    const size_t got = l->into->size - l->start;
    if (!vz_os_range_room(l->into, (size_t)l->total - got, err))
        return fail_back(l);
    vz_task_forget(task);
    task->go_on = rest_answered;
    for (uint64_t at = VZ_LARGE_PIECE; at < l->total; at += VZ_LARGE_PIECE) {
        const uint64_t size = l->total - at < VZ_LARGE_PIECE ? l->total - at : VZ_LARGE_PIECE;
        vz_exchange *x = ask_range(task, at, size, etag, err);
        if (!x)
            return fail_back(l);
        x->own = vz_buffer_borrow(l->into->data + l->start + at, (size_t)size);
        x->net.into = &x->own;
        x->net.most = size;
    }
    return true;
}

/* ---- the start ---- */

static bool first_answered(vz_task *task, vz_error *err)
{
    large *l = task->state;
    vz_request *request = task->request;
    bool missing;
    const vz_exchange *x = task->exchanges[0];
    if (!vz_task_check_read(task, x, &missing, err) ||
        (request->when == VZ_WHEN_VERSION && vz_task_is_refused(task) && !vz_task_fail_refused(task, err)))
        return fail_back(l);
    l->version = missing ? (vz_version){0} : vz_remote_version_of_answer(x->site->net, &x->net);
    if (request->when == VZ_WHEN_VERSION && !vz_version_equal(&l->version, &request->version)) {
        fail_back(l);
        return vz_exchange_fail_changed(err);
    }
    request->found = !missing;
    request->is_refused = missing && vz_task_is_refused(task);
    request->version = l->version;
    return true;
}

/* As any other value: one of no bytes, of no version that can be asked for, or none at all. */
static bool read_as_ever(vz_task *task, large *l, vz_error *err)
{
    fail_back(l);
    vz_task_forget(task);
    free(l);
    task->state = NULL;
    return vz_task_begin_get(task, err);
}

static bool start_answered(vz_task *task, vz_error *err)
{
    large *l = task->state;
    const vz_exchange *x = task->exchanges[0];
    const size_t got = l->into->size - l->start;
    const bool is_part = x->net.failed == VZ_OK && x->net.status == 206;
    if (x->net.failed == VZ_OK && x->net.status == 416)
        return read_as_ever(task, l, err);
    if (!is_part) {
        if (vz_exchange_is_page(x))
            return read_as_ever(task, l, err);
        task->remote->has_no_ranges = task->remote->has_no_ranges || x->net.status == 200;
        return first_answered(task, err);
    }
    if (!first_answered(task, err))
        return false;
    if (!is_range(x, 0, got, &l->total) || l->total == UINT64_MAX || l->total < got ||
        (got < l->total && (got != VZ_LARGE_PIECE || l->version.size == 0)))
        return read_as_ever(task, l, err);
    if (l->total > task->request->most) {
        fail_back(l);
        return vz_fail(err, VZ_LIMIT, "a value of %llu bytes, where at most %llu make sense",
                       (unsigned long long)l->total, (unsigned long long)task->request->most);
    }
    return got == l->total || ask_rest(task, l, err);
}

static bool start_over(vz_task *task, vz_error *err)
{
    char text[VZ_ETAG_SIZE];
    const vz_request *request = task->request;
    large *l = task->state;
    const char *etag = request->when == VZ_WHEN_VERSION ? vz_remote_version_etag(&request->version, text) : NULL;
    vz_task_forget(task);
    vz_exchange *x = ask_range(task, 0, VZ_LARGE_PIECE, etag, err);
    if (!x)
        return false;
    x->net.into = l->into;
    x->net.most = request->most; /* a server without ranges sends all */
    task->go_on = start_answered;
    return true;
}

static void clear(vz_task *task)
{
    free(task->state);
}

bool vz_task_is_large(const vz_task *task)
{
    const vz_request *request = task->request;
    return vz_request_is_whole(request) && request->most > VZ_LARGE_FROM && !task->remote->has_no_ranges;
}

bool vz_task_begin_large(vz_task *task, vz_error *err)
{
    large *l = calloc(1, sizeof *l);
    if (!l)
        return vz_fail_memory(err);
    task->state = l;
    task->clear = clear;
    l->into = task->request->into ? task->request->into : &task->bytes;
    if (!task->request->into)
        task->bytes.limit = (size_t)task->request->most;
    l->start = l->into->size;
    return start_over(task, err);
}
