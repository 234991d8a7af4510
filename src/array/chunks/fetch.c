/* fetch.c - a plan of chunks: places first, then requests, a window at a time. */
#include "array/chunks/fetch_internal.h"
#include "base/os/thread.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- memory ---- */

/* Member by member, as its error is large. */
static void begin_part(vz_fetch_part *one, vz_fetch_list *list)
{
    one->list = list;
    one->needed_count = one->first = one->count = one->request_count = 0;
    one->places = NULL;
    one->arena = (vz_arena){0};
    one->error = VZ_ERROR_NONE;
    one->is_open = one->unsent = false;
    one->attempts = 1;
}

/* One block has all that a part needs for its chunks. */
static bool open_part(vz_fetch_plan *p, vz_fetch_part *one, vz_error *err)
{
    const size_t count = one->list->count;
    const size_t each =
        sizeof *one->places + sizeof *one->requests + sizeof *one->chunks + sizeof *one->needed + sizeof *one->failed;
    one->places = malloc((count + 1) * each);
    if (!one->places)
        return vz_fail_memory(err);
    one->requests = (vz_request *)(one->places + count);
    one->chunks = (const uint64_t **)(one->requests + count);
    one->needed = (size_t *)(one->chunks + count);
    one->failed = (bool *)(one->needed + count);
    for (size_t i = 0; i < count; i++) {
        if (!one->list->fetches[i].needed) {
            p->ready[p->ready_count++] = (vz_fetch_ready){one, i, VZ_FETCH_NOWHERE};
            continue;
        }
        one->chunks[one->needed_count] = one->list->fetches[i].chunk;
        one->needed[one->needed_count++] = i;
    }
    return true;
}

static bool new_tables(vz_fetch_tables *of, size_t count, vz_error *err)
{
    of->parts = calloc(count, sizeof *of->parts);
    of->open = calloc(count, sizeof(vz_fetch_part *));
    of->asked = calloc(count, sizeof *of->asked);
    of->lookups = calloc(count, sizeof *of->lookups);
    return (of->parts && of->open && of->asked && of->lookups) || vz_fail_memory(err);
}

static void free_tables(vz_fetch_tables *of)
{
    free(of->parts);
    free(of->open);
    free(of->asked);
    free(of->lookups);
}

static bool open_plan(vz_fetch_plan *p, vz_fetch_list *lists, size_t count, vz_error *err)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += lists[i].count;
    p->ready = malloc((total + 1) * sizeof *p->ready);
    if (!p->ready)
        return vz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        vz_fetch_part *one = &p->of.parts[p->part_count++];
        begin_part(one, &lists[i]);
        if (!open_part(p, one, err))
            return false;
    }
    return true;
}

static void close_plan(vz_fetch_plan *p)
{
    for (size_t i = 0; i < p->part_count; i++) {
        free(p->of.parts[i].places);
        vz_arena_clear(&p->of.parts[i].arena);
    }
    free(p->ready);
}

/* ---- windows ---- */

/* A local store holds so many versions open: more arrays with shards are not looked into at a
 * time. */
static bool holds(const vz_fetch_part *one)
{
    return one->list->array->shards && (one->list->array->store->capabilities & VZ_STORE_CHEAP);
}

/* The parts that have something to fetch. */
static size_t open_windows(vz_fetch_plan *p)
{
    size_t holding = 0;
    p->open_count = 0;
    for (size_t i = 0; i < p->part_count; i++) {
        vz_fetch_part *one = &p->of.parts[i];
        one->is_open = false;
        if (one->first == one->needed_count || (holds(one) && holding == VZ_STORE_HELD_MAX))
            continue;
        holding += holds(one);
        p->of.open[p->open_count++] = one;
        one->is_open = true;
    }
    return holding ? VZ_STORE_HELD_MAX / holding : 0;
}

static void locate(vz_fetch_plan *p, size_t held)
{
    for (size_t i = 0; i < p->open_count; i++) {
        vz_fetch_part *one = p->of.open[i];
        vz_arena_clear(&one->arena);
        one->list->failed = false;
        vz_lookup_begin(&p->of.lookups[i], one->list->array, one->chunks + one->first, one->needed_count - one->first,
                        one->places, &one->arena);
        p->of.lookups[i].most = held;
    }
    vz_lookups_run(p->of.lookups, p->open_count);
    for (size_t i = 0; i < p->open_count; i++) {
        p->of.open[i]->count = p->of.lookups[i].error.class == VZ_OK ? p->of.lookups[i].count : 0;
        if (p->of.lookups[i].error.class != VZ_OK)
            p->of.open[i]->error = p->of.lookups[i].error;
        else
            p->of.open[i]->error = VZ_ERROR_NONE;
    }
}

static bool fail(const vz_fetch_part *one, bool changed, vz_error *err)
{
    if (err && err->class == VZ_OK)
        *err = one->error;
    if (changed && err)
        snprintf(err->text, sizeof err->text, "%.400s (read %u times: its file has just been changed)", one->error.text,
                 vz_fetch_attempts(one->list->array));
    one->list->failed = true;
    return false;
}

/* After a window: on to the next one, or the same once more where what was looked at, or read, was
 * changed meanwhile. */
static bool advance(vz_fetch_part *one, vz_error *err)
{
    const bool located = one->count > 0;
    if (located && !one->list->failed) {
        one->first += one->count;
        one->attempts = 1;
        return true;
    }
    const bool changed = !located      ? one->error.class == VZ_CHANGED
                         : one->unsent ? vz_fetch_may_move(one)
                                       : vz_fetch_restart_window(one);
    return (changed && one->attempts++ < vz_fetch_attempts(one->list->array)) || fail(one, changed, err);
}

static bool run(vz_fetch_plan *p, vz_error *err)
{
    do {
        locate(p, open_windows(p));
        if (!vz_fetch_windows(p, err))
            return false;
        for (size_t i = 0; i < p->part_count; i++) {
            vz_fetch_part *one = &p->of.parts[i];
            if (one->is_open ? !advance(one, err) : one->list->failed && !fail(one, false, err))
                return false;
        }
        open_windows(p);
    } while (p->open_count > 0);
    return true;
}

/* ---- nothing to read ---- */

static bool take_unread(void *context, size_t index, unsigned worker, vz_error *err)
{
    const vz_fetch_list *list = context;
    return list->take(list->context, &list->fetches[index], index, worker, err);
}

static bool needs_any(const vz_fetch_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->fetches[i].needed)
            return true;
    return false;
}

static bool run_lists(vz_fetch_list *lists, size_t count, vz_fetch_tables of, vz_error *err)
{
    vz_fetch_plan p = {.of = of};
    vz_os_mutex_init(&p.lock);
    const bool ok = open_plan(&p, lists, count, err) && run(&p, err);
    close_plan(&p);
    vz_os_mutex_destroy(&p.lock);
    return ok;
}

static bool run_one(vz_fetch_list *list, vz_error *err)
{
    vz_fetch_part one, *open;
    vz_fetch_batch_list asked;
    vz_lookup lookup;
    if (needs_any(list))
        return run_lists(list, 1, (vz_fetch_tables){&one, &open, &asked, &lookup}, err);
    const uint64_t bytes = vz_chunks_bytes(list->array, list->count);
    list->failed = !vz_pool_run_bytes(take_unread, list, list->count, bytes, err);
    return !list->failed;
}

bool vz_fetch_run(vz_fetch_list *lists, size_t count, vz_error *err)
{
    vz_fetch_tables of = {0};
    for (size_t i = 0; i < count; i++)
        lists[i].failed = false;
    if (count <= 1)
        return count == 0 || run_one(lists, err);
    const bool ok = new_tables(&of, count, err) && run_lists(lists, count, of, err);
    free_tables(&of);
    return ok;
}

bool vz_fetch_one(vz_array *array, vz_fetch *fetches, size_t count, vz_fetch_take take, void *context, vz_error *err)
{
    vz_fetch_list list = {.array = array, .fetches = fetches, .count = count, .take = take, .context = context};
    return vz_fetch_run(&list, 1, err);
}
