/* task_get.c - reading a value, or ranges of it. Near ranges are one exchange. All ranges have one
 * version. A demanded version is sent to the server. Else the answers' versions are compared, and
 * the value is read once more if they differ. */
#include "remote/bucket/task_internal.h"
#include "base/os/file.h"
#include "base/util/http_date.h"
#include "base/util/memory_budget.h"
#include <stdlib.h>

#define ROUNDS_MAX 3 /* of ranges that were of several versions */
/* bytes of a value from a server without ranges, of which a part is wanted */
#define WHOLE_MAX ((uint64_t)1 << 30)

typedef struct get {
    const vz_range *ranges; /* those of the request, or WHOLE */
    size_t range_count;
    vz_buffer *into; /* the request's, or the task's own one */
    size_t *start;   /* what these held */
    vz_bucket_range_list pieces;
    unsigned rounds;
    bool only_version; /* no byte is wanted */
    bool by_cutting;   /* the value is received as a whole */
    bool needs_size;   /* the server knows no ranges from the end: a look tells where they are, */
    vz_range *placed;  /* and this is where, of the version that was met */
    vz_version met;
    vz_buffer whole;
} get;

static const vz_range whole_value = {.kind = VZ_RANGE_ALL};

static bool wants_whole(const get *g)
{
    return g->range_count == 1 && g->ranges[0].kind == VZ_RANGE_ALL;
}

/* Ranges with one that is all of the value are cut from it. */
static bool needs_cutting(const get *g, const vz_bucket *remote)
{
    if (wants_whole(g) || g->only_version)
        return false;
    for (size_t i = 0; i < g->range_count; i++)
        if (g->ranges[i].kind == VZ_RANGE_ALL)
            return true;
    return remote->has_no_ranges;
}

static bool needs_size(const get *g, const vz_bucket *remote)
{
    const vz_service *service = remote->site->service;
    for (size_t i = 0; service && service->protocol->has_no_suffixes && i < g->range_count; i++)
        if (g->ranges[i].kind == VZ_RANGE_SUFFIX)
            return true;
    return false;
}

static bool prepare(vz_task *task, get *g, vz_error *err)
{
    const vz_request *request = task->request;
    g->ranges = request->ranges ? request->ranges : &whole_value;
    g->range_count = request->ranges ? request->range_count : 1;
    g->into = request->into ? request->into : &task->bytes;
    g->start = calloc(g->range_count + 1, sizeof *g->start);
    if (!g->start)
        return vz_fail_memory(err);
    if (!request->into)
        task->bytes.limit = (size_t)request->most;
    g->only_version = true;
    for (size_t i = 0; i < g->range_count; i++) {
        g->start[i] = g->into[i].size;
        g->only_version = g->only_version && g->ranges[i].kind != VZ_RANGE_ALL && g->ranges[i].size == 0;
    }
    g->by_cutting = needs_cutting(g, task->remote);
    if (g->only_version || g->by_cutting || wants_whole(g))
        return true;
    g->needs_size = needs_size(g, task->remote);
    return g->needs_size || vz_bucket_range_list_plan(&g->pieces, g->ranges, g->range_count, err);
}

/* ---- asking ---- */

static bool demand(const vz_task *task, vz_exchange *x, vz_error *err)
{
    char text[VZ_ETAG_SIZE];
    const get *g = task->state;
    const vz_request *request = task->request;
    const vz_version *version = g->placed ? &g->met : request->when == VZ_WHEN_VERSION ? &request->version : NULL;
    const char *etag = version ? vz_remote_version_etag(version, text) : NULL;
    return !etag || vz_exchange_line(x, err, "If-Match: %s", etag);
}

static bool ask_piece(vz_task *task, get *g, const vz_bucket_merged_range *p, vz_error *err)
{
    vz_exchange *x = vz_task_ask_key(task, VZ_NET_GET, task->request->key, err);
    if (!x || !demand(task, x, err))
        return false;
    x->net.into = p->count == 1 ? &g->into[g->pieces.order[p->range]] : &x->own;
    x->net.most = x->net.expected = p->end - p->first;
    return p->is_suffix ? vz_exchange_line(x, err, "Range: bytes=-%llu", (unsigned long long)p->end)
                        : vz_exchange_line(x, err, "Range: bytes=%llu-%llu", (unsigned long long)p->first,
                                           (unsigned long long)p->end - 1);
}

/* Bytes that the value may have; 0: any number. */
static uint64_t most_of(const vz_task *task, const get *g)
{
    const uint64_t most = g->by_cutting ? WHOLE_MAX : task->request->most;
    const bool is_document = vz_remote_is_document(task->request->key);
    return is_document && (!most || most > VZ_DOCUMENT_REMOTE_MAX_SIZE) ? VZ_DOCUMENT_REMOTE_MAX_SIZE : most;
}

static bool ask_whole(vz_task *task, get *g, vz_error *err)
{
    vz_exchange *x = vz_task_ask_key(task, VZ_NET_GET, task->request->key, err);
    if (!x || !demand(task, x, err))
        return false;
    x->net.into = g->by_cutting ? &g->whole : &g->into[0];
    x->net.most = most_of(task, g);
    return true;
}

static bool ask(vz_task *task, get *g, vz_error *err)
{
    if (g->only_version || (g->needs_size && !g->placed)) {
        vz_exchange *x = vz_task_ask_key(task, VZ_NET_HEAD, task->request->key, err);
        return x && demand(task, x, err);
    }
    if (g->by_cutting || wants_whole(g))
        return ask_whole(task, g, err);
    for (size_t i = 0; i < g->pieces.count; i++)
        if (g->pieces.items[i].end > g->pieces.items[i].first && !ask_piece(task, g, &g->pieces.items[i], err))
            return false;
    return true;
}

static void forget_places(vz_task *task, get *g)
{
    free(g->placed);
    g->placed = NULL;
    g->ranges = task->request->ranges;
    vz_bucket_range_list_clear(&g->pieces);
}

static bool ask_again(vz_task *task, get *g, vz_error *err)
{
    for (size_t i = 0; i < g->range_count; i++)
        g->into[i].size = g->start[i];
    if (g->needs_size)
        forget_places(task, g);
    vz_buffer_clear(&g->whole);
    vz_task_forget(task);
    return ask(task, g, err);
}

/* ---- what arrived ---- */

static bool cut(get *g, vz_bytes whole, vz_error *err)
{
    for (size_t i = 0; i < g->range_count; i++) {
        uint64_t offset;
        size_t size = 0;
        if (!vz_os_range_resolve(whole.size, g->ranges[i], &offset, &size, err))
            return false;
        uint8_t *place = vz_os_range_room(&g->into[i], size, err);
        if (!place)
            return false;
        if (size > 0)
            memcpy(place, whole.data + offset, size);
        g->into[i].size += size;
    }
    return true;
}

/* The ranges of a piece that was received in one, from memory of its own. */
static bool place_piece(get *g, const vz_bucket_merged_range *p, const vz_exchange *x, vz_error *err)
{
    for (size_t i = p->range; i < p->range + p->count; i++) {
        const vz_range *range = &g->ranges[g->pieces.order[i]];
        const size_t size = (size_t)range->size;
        uint8_t *place = vz_os_range_room(&g->into[g->pieces.order[i]], size, err);
        if (!place)
            return false;
        if (size > 0)
            memcpy(place, x->own.data + (p->is_suffix ? 0 : range->offset - p->first), size);
        g->into[g->pieces.order[i]].size += size;
    }
    return true;
}

/* Did the server send what was asked for, and no other part? */
static bool check_piece(const get *g, const vz_bucket_merged_range *p, const vz_exchange *x, vz_error *err)
{
    const uint64_t size = p->end - p->first;
    const vz_buffer *into = x->net.into;
    const size_t before = into == &x->own ? 0 : g->start[g->pieces.order[p->range]];
    vz_net_content_range range;
    if (into->size - before != size)
        return vz_fail(err, VZ_CORRUPT, "the value is too short for the range asked for");
    if (x->net.status != 206 || !x->site->net->range_of(&x->net, &range))
        return vz_fail(err, VZ_CORRUPT, "the server does not say which range it sends");
    const bool is_at =
        p->is_suffix ? range.total == UINT64_MAX || range.first + size == range.total : range.first == p->first;
    return (is_at && range.size == size) || vz_fail(err, VZ_CORRUPT, "the server sends another range than asked for");
}

/* A server without ranges sends all, of which too much may have been received to go on. */
static bool sends_whole(const vz_exchange *x)
{
    return x->net.status == 200 && (x->net.failed == VZ_OK || x->net.failed == VZ_LIMIT) && !vz_exchange_is_page(x);
}

/* The pieces of which something was asked are the exchanges, in their order. */
static bool place_pieces(vz_task *task, get *g, vz_error *err)
{
    size_t at = 0;
    for (size_t i = 0; i < g->pieces.count; i++) {
        const vz_bucket_merged_range *p = &g->pieces.items[i];
        if (p->end == p->first)
            continue;
        const vz_exchange *x = task->exchanges[at++];
        if (!check_piece(g, p, x, err) || (x->net.into == &x->own && !place_piece(g, p, x, err)))
            return false;
    }
    return true;
}

typedef enum verdict { VERDICT_GOT, VERDICT_MISSING, VERDICT_MIXED, VERDICT_FAILED } verdict;

/* A refusal of a version that is demanded is no absence, nor is one that came without text
 * (HEAD). */
static bool check(vz_task *task, const vz_exchange *x, bool *missing, vz_error *err)
{
    const get *g = task->state;
    const bool is_failure = task->request->when == VZ_WHEN_VERSION || g->only_version;
    if (!vz_task_check_read(task, x, missing, err))
        return false;
    return !is_failure || !vz_task_is_refused(task) || vz_task_fail_refused(task, err);
}

/* All of one version, or all missing? */
static verdict judge(vz_task *task, vz_version *version, vz_error *err)
{
    const get *g = task->state;
    size_t missed = 0;
    for (size_t i = 0; i < task->count; i++) {
        bool missing = false; /* to the first byte of a look there may be all as the answer */
        if (!(g->only_version && sends_whole(task->exchanges[i])) && !check(task, task->exchanges[i], &missing, err))
            return VERDICT_FAILED;
        missed += missing;
        if (missing)
            continue;
        if (!vz_remote_check_unmodified(task->remote->site->net, &task->exchanges[i]->net, task->request->unmodified,
                                        err))
            return VERDICT_FAILED;
        const vz_version met = vz_remote_version_of_answer(task->remote->site->net, &task->exchanges[i]->net);
        if (i > missed && !vz_version_equal(&met, version))
            return VERDICT_MIXED;
        *version = met;
    }
    if (missed > 0 && missed < task->count && vz_task_is_refused(task)) { /* there is a value */
        vz_task_fail_refused(task, err);
        return VERDICT_FAILED;
    }
    return missed == 0 ? VERDICT_GOT : missed == task->count ? VERDICT_MISSING : VERDICT_MIXED;
}

/* A range of nothing must lie in the value, too. */
static bool check_empty_ranges(const vz_task *task, const get *g, vz_error *err)
{
    const vz_exchange *x = task->exchanges[0];
    const char *length = x->site->net->header(&x->net, "Content-Length");
    const uint64_t size = length ? strtoull(length, NULL, 10) : UINT64_MAX;
    for (size_t i = 0; i < g->range_count; i++)
        if (g->ranges[i].kind == VZ_RANGE_AT && g->ranges[i].offset > size)
            return vz_fail(err, VZ_CORRUPT, "the value is too short for the range asked for");
    return true;
}

/* All was asked for: a part is no answer. */
static bool check_whole(const vz_exchange *x, vz_error *err)
{
    vz_net_content_range range;
    return x->net.status != 206 ||
           (x->site->net->range_of(&x->net, &range) && range.first == 0 && range.size == range.total) ||
           vz_fail(err, VZ_CORRUPT, "the server sends a part of the value, and all of it was asked for");
}

static bool place(vz_task *task, get *g, vz_error *err)
{
    if (g->only_version)
        return check_empty_ranges(task, g, err);
    if (!g->by_cutting && !wants_whole(g))
        return place_pieces(task, g, err);
    return check_whole(task->exchanges[0], err) &&
           (wants_whole(g) || cut(g, (vz_bytes){g->whole.data, g->whole.size}, err));
}

/* The size of a value, by the answer to a HEAD or to a GET of its first byte. */
static uint64_t size_of(const vz_exchange *x)
{
    vz_net_content_range range;
    const char *length = x->site->net->header(&x->net, "Content-Length");
    if (x->net.status == 206 && x->site->net->range_of(&x->net, &range))
        return range.total;
    return length ? strtoull(length, NULL, 10) : 0;
}

static void take_size(const vz_exchange *x, vz_request *request)
{
    int64_t seconds;
    const char *modified = x->site->net->header(&x->net, "Last-Modified");
    request->size = size_of(x);
    request->unmodified = modified && vz_http_date_parse(modified, &seconds) && seconds > 0 ? (uint64_t)seconds : 0;
}

static bool answer(vz_task *task, get *g, const vz_version *version, vz_error *err)
{
    vz_request *request = task->request;
    const vz_version none = {0};
    if (request->when == VZ_WHEN_VERSION && !vz_version_equal(version ? version : &none, &request->version))
        return vz_exchange_fail_changed(err);
    request->found = version != NULL;
    request->is_refused = !version && vz_task_is_refused(task);
    request->version = version ? *version : none;
    if (version && g->by_cutting)
        request->size = g->whole.size;
    else if (version && g->only_version)
        take_size(task->exchanges[0], request);
    return !version || place(task, g, err);
}

static bool take_back(get *g)
{
    for (size_t i = 0; i < g->range_count; i++)
        g->into[i].size = g->start[i];
    return false;
}

/* Some servers know no HEAD. */
static bool was_refused_to_look(const vz_exchange *x)
{
    const int status = x->net.method == VZ_NET_HEAD && x->net.failed == VZ_OK ? x->net.status : 0;
    return status == 403 || status == 405 || status == 501;
}

static bool look_by_get(vz_task *task, vz_error *err)
{
    vz_task_forget(task);
    return vz_task_ask_why(task, task->request->key, err) && demand(task, task->exchanges[0], err);
}

/* The size is known: ranges from the end are ranges like others. */
static bool sized(vz_task *task, get *g, vz_error *err)
{
    const vz_exchange *x = task->exchanges[0];
    bool missing;
    if (was_refused_to_look(x))
        return look_by_get(task, err);
    if (!check(task, x, &missing, err))
        return false;
    if (missing)
        return answer(task, g, NULL, err);
    const uint64_t size = size_of(x);
    g->met = vz_remote_version_of_answer(x->site->net, &x->net);
    if (!(g->placed = calloc(g->range_count, sizeof *g->placed)))
        return vz_fail_memory(err);
    for (size_t i = 0; i < g->range_count; i++) {
        size_t part = 0;
        g->placed[i].kind = VZ_RANGE_AT;
        if (!vz_os_range_resolve(size, g->ranges[i], &g->placed[i].offset, &part, err))
            return false;
        g->placed[i].size = part;
    }
    g->ranges = g->placed;
    vz_task_forget(task);
    return vz_bucket_range_list_plan(&g->pieces, g->ranges, g->range_count, err) && ask(task, g, err);
}

static bool was_replaced(const vz_task *task)
{
    const get *g = task->state;
    for (size_t i = 0; g->placed && i < task->count; i++)
        if (task->exchanges[i]->net.failed == VZ_OK && task->exchanges[i]->net.status == 412)
            return true;
    return false;
}

static bool go_on(vz_task *task, vz_error *err)
{
    get *g = task->state;
    vz_version version = {0};
    if (g->needs_size && !g->placed && !g->by_cutting)
        return sized(task, g, err);
    if (g->only_version && !vz_site_has_bucket(task->remote->site) && was_refused_to_look(task->exchanges[0]))
        return look_by_get(task, err);
    if (!g->by_cutting && g->pieces.count > 0)
        for (size_t i = 0; i < task->count; i++)
            if (sends_whole(task->exchanges[i])) {
                task->remote->has_no_ranges = true;
                g->by_cutting = true;
                return ask_again(task, g, err);
            }
    switch (was_replaced(task) ? VERDICT_MIXED : judge(task, &version, err)) {
    case VERDICT_GOT:
        return answer(task, g, &version, err) || take_back(g);
    case VERDICT_MISSING:
        take_back(g); /* a page that came instead */
        return answer(task, g, NULL, err);
    case VERDICT_MIXED:
        if (++g->rounds < ROUNDS_MAX && task->request->when != VZ_WHEN_VERSION)
            return ask_again(task, g, err);
        vz_fail(err, VZ_CHANGED, "another version was put in its place again and again");
        break;
    case VERDICT_FAILED:
        break;
    }
    return take_back(g);
}

static void clear(vz_task *task)
{
    get *g = task->state;
    free(g->start);
    vz_bucket_range_list_clear(&g->pieces);
    free(g->placed);
    vz_buffer_clear(&g->whole);
    free(g);
}

bool vz_task_begin_get(vz_task *task, vz_error *err)
{
    get *g = calloc(1, sizeof *g);
    if (!g)
        return vz_fail_memory(err);
    task->state = g;
    task->clear = clear;
    task->go_on = go_on;
    return prepare(task, g, err) && ask(task, g, err);
}
