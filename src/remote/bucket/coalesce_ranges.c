/* coalesce_ranges.c - see task_internal.h. A group of requests is one task, whose request has the
 * ranges of all of them. */
#include "remote/bucket/task_internal.h"
#include "base/util/hash.h"
#include <stdlib.h>

/* wanted by a group: none of it is handed out before all is there */
#define GROUP_BYTES ((uint64_t)16 << 20)
#define GROUP_COUNT 4096 /* requests in a group */

typedef struct group {
    size_t first, last; /* requests, chained by `next` */
    size_t count, range_count;
    uint64_t bytes;
    vz_request all; /* of several requests: what is asked for */
    vz_range *ranges;
    vz_buffer *into;
    bool is_answered;
} group;

struct vz_coalesced {
    vz_bucket *remote;
    vz_request *const *requests;
    size_t count;
    size_t *next;     /* by request: the next one of its group */
    vz_buffer *own;   /* by request: bytes for which it has no place */
    vz_error *errors; /* by group */
    size_t *group_of; /* by request */
    group *groups;
    vz_task *tasks; /* by group */
    size_t group_count;
    bool (*begin)(vz_task *task, vz_error *err);
    vz_task_queue *run;
    vz_os_mutex lock; /* of what follows */
    vz_os_condition moved;
    size_t *ready, ready_count; /* requests that are answered and not handed out */
    size_t active;              /* threads that wait for an answer, or look at one */
};

/* ---- groups ---- */

static bool may_join(const vz_request *request, uint64_t *bytes)
{
    *bytes = 0;
    if (request->op != VZ_REQUEST_GET || !request->ranges || request->range_count == 0)
        return false;
    for (size_t i = 0; i < request->range_count; i++)
        if (request->ranges[i].kind != VZ_RANGE_AT || request->ranges[i].size == 0 ||
            !vz_add(*bytes, request->ranges[i].size, bytes))
            return false;
    return !request->most || *bytes <= request->most;
}

static bool fits(const vz_coalesced *g, const group *into, const vz_request *request, uint64_t bytes)
{
    const vz_request *other = g->requests[into->first];
    return into->count < GROUP_COUNT && bytes <= GROUP_BYTES && into->bytes <= GROUP_BYTES - bytes &&
           other->when == request->when && other->unmodified == request->unmodified &&
           (request->when != VZ_WHEN_VERSION || vz_version_equal(&other->version, &request->version));
}

static group *begin_group(vz_coalesced *g, size_t index, uint64_t bytes)
{
    group *new = &g->groups[g->group_count++];
    *new = (group){.first = index, .last = index, .count = 1, .bytes = bytes};
    new->range_count = g->requests[index]->range_count;
    return new;
}

/* `open`: by key, the group that others may join. */
static bool add(vz_coalesced *g, vz_strmap *open, size_t index, vz_error *err)
{
    const vz_request *request = g->requests[index];
    uint64_t bytes;
    const bool joins = may_join(request, &bytes);
    group *there = joins ? vz_strmap_get(open, request->key) : NULL;
    if (there && fits(g, there, request, bytes)) {
        g->next[there->last] = index;
        there->last = index;
        there->count++;
        there->range_count += request->range_count;
        there->bytes += bytes;
    } else {
        there = begin_group(g, index, bytes);
        if (joins && !vz_strmap_put(open, request->key, there, err))
            return false;
    }
    g->group_of[index] = (size_t)(there - g->groups);
    return true;
}

/* Places are lent to the group until it is answered. */
static bool join(vz_coalesced *g, group *many, vz_error *err)
{
    const vz_request *first = g->requests[many->first];
    many->ranges = malloc(many->range_count * sizeof *many->ranges);
    many->into = calloc(many->range_count, sizeof *many->into);
    if (!many->ranges || !many->into)
        return vz_fail_memory(err);
    size_t at = 0;
    for (size_t n = 0, i = many->first; n < many->count; n++, i = g->next[i]) {
        const vz_request *request = g->requests[i];
        for (size_t k = 0; k < request->range_count; k++, at++) {
            many->ranges[at] = request->ranges[k];
            if (request->into)
                many->into[at] = request->into[k];
        }
    }
    many->all = (vz_request){.key = first->key,
                             .unmodified = first->unmodified,
                             .ranges = many->ranges,
                             .range_count = many->range_count,
                             .into = many->into,
                             .when = first->when,
                             .version = first->version};
    return true;
}

static bool make_groups(vz_coalesced *g, vz_error *err)
{
    vz_strmap *open = vz_strmap_new();
    bool ok = open || vz_fail_memory(err);
    for (size_t i = 0; ok && i < g->count; i++)
        ok = add(g, open, i, err);
    vz_strmap_free(open, NULL);
    for (size_t i = 0; ok && i < g->group_count; i++) {
        group *one = &g->groups[i];
        ok = one->count == 1 || join(g, one, err);
        g->tasks[i] = (vz_task){.remote = g->remote, .request = one->count == 1 ? g->requests[one->first] : &one->all};
    }
    return ok;
}

/* ---- opening and closing ---- */

/* Gives answers back to the requests that were joined. */
static void give_back(vz_coalesced *g, group *many)
{
    size_t at = 0;
    for (size_t n = 0, i = many->first; many->into && n < many->count; n++, i = g->next[i]) {
        const vz_request *request = g->requests[i];
        for (size_t k = 0; k < request->range_count; k++, at++) {
            if (request->into)
                request->into[k] = many->into[at];
            else
                g->own[i] = many->into[at];
        }
    }
    free(many->into);
    many->into = NULL;
}

static void free_gather(vz_coalesced *g)
{
    for (size_t i = 0; g->groups && i < g->group_count; i++) {
        give_back(g, &g->groups[i]);
        free(g->groups[i].ranges);
    }
    for (size_t i = 0; g->own && i < g->count; i++)
        vz_buffer_clear(&g->own[i]);
    free(g->next);
    free(g->own);
    free(g->errors);
    free(g->group_of);
    free(g->groups);
    free(g->tasks);
    free(g->ready);
    free(g);
}

vz_coalesced *vz_coalesced_open(vz_bucket *remote, vz_request *const *requests, size_t count,
                                bool (*begin)(vz_task *task, vz_error *err), vz_error *err)
{
    vz_coalesced *g = calloc(1, sizeof *g);
    if (!g) {
        vz_fail_memory(err);
        return NULL;
    }
    const size_t room = count + 1;
    *g = (vz_coalesced){.remote = remote, .requests = requests, .count = count, .begin = begin};
    g->next = calloc(room, sizeof *g->next);
    g->own = calloc(room, sizeof *g->own);
    g->errors = calloc(room, sizeof *g->errors);
    g->group_of = calloc(room, sizeof *g->group_of);
    g->groups = calloc(room, sizeof *g->groups);
    g->tasks = calloc(room, sizeof *g->tasks);
    g->ready = calloc(room, sizeof *g->ready);
    bool ok =
        (g->next && g->own && g->errors && g->group_of && g->groups && g->tasks && g->ready) || vz_fail_memory(err);
    if (!ok || !make_groups(g, err) || !(g->run = vz_task_queue_open(remote, g->tasks, g->group_count, begin, err))) {
        free_gather(g);
        return NULL;
    }
    vz_os_mutex_init(&g->lock);
    vz_os_condition_init(&g->moved);
    vz_task_queue_start(g->run);
    return g;
}

void vz_coalesced_close(vz_coalesced *g)
{
    vz_task_queue_close(g->run);
    vz_os_mutex_destroy(&g->lock);
    vz_os_condition_destroy(&g->moved);
    free_gather(g);
}

void vz_coalesced_drop(vz_coalesced *g)
{
    vz_task_queue_drop(g->run);
    free_gather(g);
}

/* ---- pulling ---- */

/* The fault of one range is no failure of the others: each is asked for by itself. */
static bool is_of_one(const group *many, const vz_error *failed)
{
    return many->count > 1 && (failed->class == VZ_CORRUPT || failed->class == VZ_LIMIT);
}

static void ask_each(vz_coalesced *g, group *many)
{
    for (size_t n = 0, i = many->first; n < many->count; n++, i = g->next[i]) {
        vz_request *request = g->requests[i];
        vz_error failed = VZ_ERROR_NONE;
        vz_task task = {.remote = g->remote, .request = request};
        vz_request own = *request;
        if (!request->into) {
            own.into = &g->own[i];
            task.request = &own;
        }
        vz_task_queue_all(g->remote, &task, 1, g->begin, &failed);
        request->found = own.found = task.request->found;
        request->is_refused = task.request->is_refused;
        request->version = task.request->version;
        request->failed = failed.class;
        if (failed.class != VZ_OK && g->errors[many - g->groups].class == VZ_OK)
            g->errors[many - g->groups] = failed;
    }
}

static void answer(vz_coalesced *g, vz_task *task)
{
    group *one = &g->groups[task - g->tasks];
    vz_error *failed = &g->errors[task - g->tasks];
    one->is_answered = true;
    if (one->count == 1) {
        *failed = task->err;
        g->own[one->first] = task->bytes;
        task->bytes = (vz_buffer){0};
        g->requests[one->first]->failed = failed->class;
        return;
    }
    give_back(g, one);
    if (is_of_one(one, &task->err)) {
        ask_each(g, one);
        return;
    }
    *failed = task->err;
    for (size_t n = 0, i = one->first; n < one->count; n++, i = g->next[i]) {
        vz_request *request = g->requests[i];
        request->failed = failed->class;
        request->found = one->all.found;
        request->is_refused = one->all.is_refused;
        request->version = one->all.version;
    }
}

/* Under the lock. */
static void add_ready(vz_coalesced *g, const group *one)
{
    for (size_t n = 0, i = one->first; n < one->count; n++, i = g->next[i])
        g->ready[g->ready_count++] = i;
}

/* Under the lock, which it leaves while it waits. False: there are no more. */
static bool pull(vz_coalesced *g)
{
    g->active++;
    vz_os_mutex_unlock(&g->lock);
    vz_task *task = vz_task_queue_next(g->run);
    if (task)
        answer(g, task);
    vz_os_mutex_lock(&g->lock);
    g->active--;
    if (task)
        add_ready(g, &g->groups[task - g->tasks]);
    vz_os_condition_broadcast(&g->moved);
    while (!task && g->ready_count == 0 && g->active > 0)
        vz_os_condition_wait(&g->moved, &g->lock);
    return g->ready_count > 0 || task || vz_task_queue_has_proved(g->run);
}

vz_request *vz_coalesced_next(vz_coalesced *g, size_t *index, vz_buffer *bytes, vz_error *failed)
{
    vz_request *request = NULL;
    vz_os_mutex_lock(&g->lock);
    while (g->ready_count == 0 && pull(g))
        ;
    if (g->ready_count > 0) {
        *index = g->ready[--g->ready_count];
        request = g->requests[*index];
        *bytes = g->own[*index];
        g->own[*index] = (vz_buffer){0};
        *failed = request->failed == VZ_OK ? VZ_ERROR_NONE : g->errors[g->group_of[*index]];
    }
    vz_os_mutex_unlock(&g->lock);
    return request;
}
