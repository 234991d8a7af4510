/* fetch.c - a plan of chunks: places first, then requests, each answer taken by the worker that pulls it. */
#include "array/fetch.h"
#include "array/array_io.h"
#include "array/ask.h"
#include "util/pool.h"
#include "util/strmap.h"
#include <stdio.h>
#include <stdlib.h>

/* The chunks of one array. */
typedef struct part {
    vz_fetch_list *list;
    size_t *needed; /* numbers in the list of what is to be read, in its order */
    const uint64_t **chunks;
    size_t needed_count;
    /* the window: needed[first..first+count) is located and fetched at once */
    size_t first, count;
    vz_chunk_place *places;
    vz_request *requests;
    size_t request_count;
    bool *failed; /* by place in the window */
    vz_arena arena;
    vz_error error; /* of the first one that failed; under the plan's lock */
    bool is_open;   /* it has a window */
    bool unsent;    /* of which nothing could be asked for: the last of it that was looked at makes no sense */
    unsigned attempts;
} part;

/* What is taken without asking the store. */
typedef struct ready {
    part *part;
    size_t number; /* in the list */
    size_t at;     /* in the window, or NOWHERE */
} ready;
#define NOWHERE SIZE_MAX /* not needed: not in any window */

/* What a plan has of each part. */
typedef struct tables {
    part *parts;
    part **open;        /* those that have a window now */
    vz_ask_list *asked; /* of each open part, as are: */
    vz_lookup *lookups;
} tables;

typedef struct plan {
    tables of;
    size_t part_count, open_count;
    ready *ready; /* room for all chunks of all parts */
    size_t ready_count;
    atomic_size_t next_ready;
    pthread_mutex_t lock;
} plan;

static const vz_chunk_source *source_of(const part *p)
{
    return p->list->array->source;
}

/* ---- memory ---- */

/* One block has all that a part needs for its chunks. */
static bool open_part(plan *p, part *one, vz_error *err)
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
            p->ready[p->ready_count++] = (ready){one, i, NOWHERE};
            continue;
        }
        one->chunks[one->needed_count] = one->list->fetches[i].chunk;
        one->needed[one->needed_count++] = i;
    }
    return true;
}

static bool new_tables(tables *of, size_t count, vz_error *err)
{
    of->parts = calloc(count, sizeof *of->parts);
    of->open = calloc(count, sizeof(part *));
    of->asked = calloc(count, sizeof *of->asked);
    of->lookups = calloc(count, sizeof *of->lookups);
    return (of->parts && of->open && of->asked && of->lookups) || vz_fail_memory(err);
}

static void free_tables(tables *of)
{
    free(of->parts);
    free(of->open);
    free(of->asked);
    free(of->lookups);
}

static bool open_plan(plan *p, vz_fetch_list *lists, size_t count, vz_error *err)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += lists[i].count;
    p->ready = malloc((total + 1) * sizeof *p->ready);
    if (!p->ready)
        return vz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        part *one = &p->of.parts[p->part_count++];
        *one = (part){.list = &lists[i], .attempts = 1};
        if (!open_part(p, one, err))
            return false;
    }
    return true;
}

static void close_plan(plan *p)
{
    for (size_t i = 0; i < p->part_count; i++) {
        free(p->of.parts[i].places);
        vz_arena_clear(&p->of.parts[i].arena);
    }
    free(p->ready);
}

/* ---- requests ---- */

/* The ranges as they lie in the value of which the chunk is a part. */
static bool move_ranges(part *p, const vz_fetch *fetch, const vz_chunk_place *place, vz_request *request, vz_error *err)
{
    const vz_range whole = {VZ_RANGE_AT, 0, place->size};
    const vz_range *ranges = fetch->ranges ? fetch->ranges : &whole;
    const size_t count = fetch->ranges ? fetch->range_count : 1;
    vz_range *moved = vz_arena_take(&p->arena, count * sizeof *moved, err);
    if (!moved)
        return false;
    for (size_t i = 0; i < count; i++) {
        const vz_range range = ranges[i];
        if (range.offset > place->size || range.size > place->size - range.offset)
            return vz_fail(err, VZ_CORRUPT, "the chunk has %llu bytes, too few", (unsigned long long)place->size);
        moved[i] = (vz_range){VZ_RANGE_AT, place->offset + range.offset, range.size};
    }
    request->ranges = moved;
    request->range_count = count;
    request->when = VZ_WHEN_VERSION;
    request->version = place->version;
    request->hold = VZ_HOLD_TO_READ;
    return true;
}

static bool add_request(part *p, size_t at, vz_error *err)
{
    const size_t number = p->needed[p->first + at];
    const vz_fetch *fetch = &p->list->fetches[number];
    const vz_chunk_place *place = &p->places[at];
    vz_request request = {.key = place->key,
                          .ranges = fetch->ranges,
                          .range_count = fetch->range_count,
                          .into = fetch->into,
                          .most = fetch->most,
                          .tag = at};
    if (place->kind == VZ_PLACE_RANGE && !move_ranges(p, fetch, place, &request, err)) {
        vz_error_where(err, NULL, place->key);
        return false;
    }
    p->requests[p->request_count++] = request;
    return true;
}

static bool make_requests(plan *p, part *one, vz_error *err)
{
    memset(one->failed, 0, one->count * sizeof *one->failed);
    for (size_t i = 0; i < one->count; i++) {
        const size_t number = one->needed[one->first + i];
        vz_fetch *fetch = &one->list->fetches[number];
        fetch->key = one->places[i].key;
        for (size_t r = 0; fetch->into && r < (fetch->ranges ? fetch->range_count : 1); r++)
            fetch->into[r].size = 0;
        if (one->places[i].kind == VZ_PLACE_VALUE || one->places[i].kind == VZ_PLACE_RANGE) {
            if ((one->failed[i] = !add_request(one, i, err)))
                return false;
        } else {
            p->ready[p->ready_count++] = (ready){one, number, i};
        }
    }
    return true;
}

static void sort_out(plan *p, part *one)
{
    const size_t ready_count = p->ready_count;
    one->request_count = 0;
    one->unsent = !make_requests(p, one, &one->error);
    if (!one->unsent)
        return;
    one->list->failed = true;
    one->request_count = 0;
    p->ready_count = ready_count;
}

/* ---- taking ---- */

static void note_failure(plan *p, part *one, size_t at, const vz_error *error)
{
    pthread_mutex_lock(&p->lock);
    if (one->error.class == VZ_OK)
        one->error = *error;
    one->list->failed = true;
    pthread_mutex_unlock(&p->lock);
    if (at != NOWHERE)
        one->failed[at] = true;
}

/* A chunk that is larger than anything its array could have stored is as wrong as a smaller one. */
static void explain(vz_error *error, const char *key)
{
    if (error->class == VZ_LIMIT)
        error->class = VZ_CORRUPT;
    vz_error_where(error, NULL, key);
}

static bool take_one(plan *p, part *one, size_t number, size_t at, unsigned worker)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_fetch *fetch = &one->list->fetches[number];
    if (one->list->take(one->list->context, fetch, number, worker, &failed))
        return true;
    explain(&failed, fetch->key);
    note_failure(p, one, at, &failed);
    return false;
}

/* Bytes at hand go where those of the store would. */
static bool copy_at_hand(vz_fetch *fetch, vz_bytes bytes, vz_error *err)
{
    const vz_range whole = {VZ_RANGE_AT, 0, bytes.size};
    const size_t count = fetch->ranges ? fetch->range_count : 1;
    fetch->bytes = bytes;
    for (size_t i = 0; i < count; i++) {
        const vz_range range = fetch->ranges ? fetch->ranges[i] : whole;
        if (range.offset > bytes.size || range.size > bytes.size - range.offset)
            return vz_fail(err, VZ_CORRUPT, "the chunk has %zu bytes, too few", bytes.size);
        const vz_bytes bit = {bytes.data + range.offset, (size_t)range.size};
        if (!fetch->into)
            fetch->bytes = bit;
        else if (!vz_buffer_append(&fetch->into[i], bit.data, bit.size, err))
            return false;
    }
    return true;
}

static bool take_ready(plan *p, const ready *r, unsigned worker)
{
    part *one = r->part;
    vz_fetch *fetch = &one->list->fetches[r->number];
    vz_error failed = VZ_ERROR_NONE;
    fetch->version = (vz_version){0};
    fetch->found = r->at != NOWHERE && one->places[r->at].kind == VZ_PLACE_AT_HAND;
    if (!fetch->found || copy_at_hand(fetch, one->places[r->at].bytes, &failed))
        return take_one(p, one, r->number, r->at, worker);
    explain(&failed, fetch->key);
    note_failure(p, one, r->at, &failed);
    return false;
}

/* Where a chunk that fails may be another one by now, the others go on: some of them may be read again with it. */
static bool goes_on(const part *one)
{
    return source_of(one)->moved != NULL;
}

static bool take_all_ready(void *context, unsigned worker)
{
    plan *p = context;
    for (size_t next; (next = atomic_fetch_add(&p->next_ready, 1)) < p->ready_count;) {
        const ready *r = &p->ready[next];
        if (take_ready(p, r, worker) || goes_on(r->part))
            continue;
        atomic_store(&p->next_ready, p->ready_count);
        return false;
    }
    return true;
}

static bool take_answer(void *context, size_t list, const vz_request *request, unsigned worker)
{
    plan *p = context;
    part *one = p->of.open[list];
    const size_t at = request->tag, number = one->needed[one->first + at];
    vz_fetch *fetch = &one->list->fetches[number];
    fetch->found = request->found;
    fetch->bytes = request->bytes;
    fetch->version = request->version;
    if (request->failed == VZ_OK)
        return take_one(p, one, number, at, worker) || goes_on(one);
    const vz_error untold = VZ_ERROR_NONE; /* the asking tells why */
    note_failure(p, one, at, &untold);
    return goes_on(one);
}

/* What was asked for and failed has the error of the asking. */
static void share_error(plan *p, const vz_error *failed)
{
    for (size_t i = 0; i < p->open_count; i++)
        if (p->of.open[i]->list->failed && p->of.open[i]->error.class == VZ_OK)
            p->of.open[i]->error = *failed;
}

/* What is located is asked for. False: something failed, but no chunk did. */
static bool run_windows(plan *p, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    atomic_store(&p->next_ready, 0);
    for (size_t i = 0; i < p->open_count; i++) {
        part *one = p->of.open[i];
        sort_out(p, one);
        p->of.asked[i] = (vz_ask_list){one->list->array->store, one->requests, one->request_count};
    }
    const vz_ask ask = {.lists = p->of.asked,
                        .count = p->open_count,
                        .context = p,
                        .take = take_answer,
                        .begin = take_all_ready,
                        .tasks = p->ready_count};
    const bool ok = vz_ask_run(&ask, &failed);
    bool known = ok;
    p->ready_count = 0;
    explain(&failed, NULL);
    share_error(p, &failed);
    for (size_t i = 0; i < p->open_count; i++)
        known = known || p->of.open[i]->list->failed;
    if (!known && err && err->class == VZ_OK)
        *err = failed;
    return known;
}

/* ---- once more ---- */

/* Keys of what failed because somebody changed it. NULL: something failed that stays as it is. */
static vz_strmap *find_moved(part *p)
{
    vz_strmap *keys = source_of(p)->moved ? vz_strmap_new() : NULL;
    bool any = false;
    for (size_t i = 0; keys && i < p->count; i++) {
        const vz_chunk_place *place = &p->places[i];
        if (!p->failed[i])
            continue;
        any = true;
        if (place->key && (vz_strmap_get(keys, place->key) ||
                           (source_of(p)->moved(p->list->array, place) && vz_strmap_put(keys, place->key, keys, NULL))))
            continue;
        vz_strmap_free(keys, NULL);
        return NULL;
    }
    if (any)
        return keys;
    vz_strmap_free(keys, NULL);
    return NULL;
}

/* All chunks under a key that was changed are fetched once more, so that they are of one version: they go to the end of
 * the window, which begins there then. */
static bool turn_back(part *p)
{
    vz_strmap *keys = find_moved(p);
    size_t kept = 0, back = 0;
    if (!keys)
        return false;
    size_t *numbers = p->needed + p->first;
    const uint64_t **chunks = p->chunks + p->first;
    for (size_t i = p->count; i-- > 0;) {
        const bool again = p->places[i].key && vz_strmap_get(keys, p->places[i].key);
        if (!again)
            continue;
        const size_t last = p->count - 1 - back++;
        const size_t number = numbers[last];
        const uint64_t *chunk = chunks[last];
        const vz_chunk_place place = p->places[last];
        numbers[last] = numbers[i], chunks[last] = chunks[i], p->places[last] = p->places[i];
        numbers[i] = number, chunks[i] = chunk, p->places[i] = place;
    }
    kept = p->count - back;
    p->first += kept;
    vz_strmap_free(keys, NULL);
    return true;
}

/* ---- windows ---- */

/* A local store holds so many versions open: more arrays with shards are not looked into at a time. */
static bool holds(const part *one)
{
    return one->list->array->shards && (one->list->array->store->capabilities & VZ_STORE_CHEAP);
}

/* The parts that have something to fetch. */
static size_t open_windows(plan *p)
{
    size_t holding = 0;
    p->open_count = 0;
    for (size_t i = 0; i < p->part_count; i++) {
        part *one = &p->of.parts[i];
        one->is_open = false;
        if (one->first == one->needed_count || (holds(one) && holding == VZ_STORE_HELD_MAX))
            continue;
        holding += holds(one);
        p->of.open[p->open_count++] = one;
        one->is_open = true;
    }
    return holding ? VZ_STORE_HELD_MAX / holding : 0;
}

static void locate(plan *p, size_t held)
{
    for (size_t i = 0; i < p->open_count; i++) {
        part *one = p->of.open[i];
        vz_arena_clear(&one->arena);
        one->list->failed = false;
        p->of.lookups[i] = (vz_lookup){.array = one->list->array,
                                       .chunks = one->chunks + one->first,
                                       .count = one->needed_count - one->first,
                                       .places = one->places,
                                       .arena = &one->arena,
                                       .most = held};
    }
    vz_lookups_run(p->of.lookups, p->open_count);
    for (size_t i = 0; i < p->open_count; i++) {
        p->of.open[i]->count = p->of.lookups[i].error.class == VZ_OK ? p->of.lookups[i].count : 0;
        p->of.open[i]->error = p->of.lookups[i].error;
    }
}

static bool fail(const part *one, bool changed, vz_error *err)
{
    if (err && err->class == VZ_OK)
        *err = one->error;
    if (changed && err)
        snprintf(err->text, sizeof err->text, "%.400s (read %d times: its file has just been changed)", one->error.text,
                 VZ_FETCH_ATTEMPTS);
    one->list->failed = true;
    return false;
}

/* Of a window of which nothing was asked for, since what was told of a chunk makes no sense. */
static bool may_move(part *one)
{
    for (size_t i = 0; goes_on(one) && i < one->count; i++)
        if (one->failed[i])
            return source_of(one)->moved(one->list->array, &one->places[i]);
    return false;
}

/* After a window: on to the next one, or the same once more where what was looked at, or read, was changed meanwhile.
 */
static bool advance(part *one, vz_error *err)
{
    const bool located = one->count > 0;
    if (located && !one->list->failed) {
        one->first += one->count;
        one->attempts = 1;
        return true;
    }
    const bool changed = !located ? one->error.class == VZ_CHANGED : one->unsent ? may_move(one) : turn_back(one);
    return (changed && one->attempts++ < VZ_FETCH_ATTEMPTS) || fail(one, changed, err);
}

static bool run(plan *p, vz_error *err)
{
    do {
        locate(p, open_windows(p));
        if (!run_windows(p, err))
            return false;
        for (size_t i = 0; i < p->part_count; i++) {
            part *one = &p->of.parts[i];
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

static bool run_lists(vz_fetch_list *lists, size_t count, tables of, vz_error *err)
{
    plan p = {.of = of};
    pthread_mutex_init(&p.lock, NULL);
    const bool ok = open_plan(&p, lists, count, err) && run(&p, err);
    close_plan(&p);
    pthread_mutex_destroy(&p.lock);
    return ok;
}

static bool run_one(vz_fetch_list *list, vz_error *err)
{
    part one, *open;
    vz_ask_list asked;
    vz_lookup lookup;
    if (needs_any(list))
        return run_lists(list, 1, (tables){&one, &open, &asked, &lookup}, err);
    list->failed = !vz_pool_run(take_unread, list, list->count, err);
    return !list->failed;
}

bool vz_fetch_run(vz_fetch_list *lists, size_t count, vz_error *err)
{
    tables of = {0};
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
