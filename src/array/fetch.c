/* fetch.c - a plan of chunks: places first, then requests, each answer taken by the worker that pulls it. */
#include "array/fetch.h"
#include "util/pool.h"
#include "util/strmap.h"
#include "array/array_io.h"
#include <stdio.h>
#include <stdlib.h>

/* What is taken without asking the store. */
typedef struct ready {
    size_t number; /* in the list */
    size_t at;     /* in the window, or NOWHERE */
} ready;
#define NOWHERE SIZE_MAX /* not needed: not in any window */

typedef struct plan {
    vz_array *array;
    vz_fetch *list;
    vz_fetch_take take;
    void *context;
    size_t *needed; /* numbers in the list of what is to be read, in its order */
    const uint64_t **chunks;
    size_t needed_count;
    ready *ready;
    size_t ready_count;
    /* the window: needed[first..first+count) is located and fetched at once */
    size_t first, count;
    vz_chunk_place *places;
    vz_request *requests;
    size_t request_count;
    vz_arena arena;
    vz_batch *batch; /* NULL: there are no requests */
    atomic_size_t next_ready;
    bool *failed; /* by place in the window */
    pthread_mutex_t lock;
    vz_error error; /* of the first one that failed */
} plan;

static const vz_chunk_source *source_of(const plan *p)
{
    return p->array->source;
}

/* ---- memory ---- */

static bool open_plan(plan *p, size_t count, vz_error *err)
{
    p->needed = malloc(count * sizeof *p->needed);
    p->chunks = malloc(count * sizeof *p->chunks);
    p->ready = malloc(count * sizeof *p->ready);
    p->places = malloc(count * sizeof *p->places);
    p->requests = malloc(count * sizeof *p->requests);
    p->failed = malloc(count * sizeof *p->failed);
    pthread_mutex_init(&p->lock, NULL);
    if (!p->needed || !p->chunks || !p->ready || !p->places || !p->requests || !p->failed)
        return vz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        if (!p->list[i].needed) {
            p->ready[p->ready_count++] = (ready){i, NOWHERE};
            continue;
        }
        p->chunks[p->needed_count] = p->list[i].chunk;
        p->needed[p->needed_count++] = i;
    }
    return true;
}

static void close_plan(plan *p)
{
    free(p->needed);
    free(p->chunks);
    free(p->ready);
    free(p->places);
    free(p->requests);
    free(p->failed);
    vz_arena_clear(&p->arena);
    pthread_mutex_destroy(&p->lock);
}

/* ---- requests ---- */

/* The ranges as they lie in the value of which the chunk is a part. */
static bool move_ranges(plan *p, const vz_fetch *fetch, const vz_chunk_place *place, vz_request *request, vz_error *err)
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

static bool add_request(plan *p, size_t at, vz_error *err)
{
    const size_t number = p->needed[p->first + at];
    const vz_fetch *fetch = &p->list[number];
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

static bool sort_out(plan *p, vz_error *err)
{
    p->request_count = 0;
    memset(p->failed, 0, p->count * sizeof *p->failed);
    for (size_t i = 0; i < p->count; i++) {
        const size_t number = p->needed[p->first + i];
        vz_fetch *fetch = &p->list[number];
        fetch->key = p->places[i].key;
        for (size_t r = 0; fetch->into && r < (fetch->ranges ? fetch->range_count : 1); r++)
            fetch->into[r].size = 0;
        if (p->places[i].kind == VZ_PLACE_VALUE || p->places[i].kind == VZ_PLACE_RANGE) {
            if ((p->failed[i] = !add_request(p, i, err)))
                return false;
        } else {
            p->ready[p->ready_count++] = (ready){number, i};
        }
    }
    return true;
}

/* ---- taking ---- */

static void note_failure(plan *p, size_t at, const vz_error *error)
{
    pthread_mutex_lock(&p->lock);
    if (p->error.class == VZ_OK)
        p->error = *error;
    pthread_mutex_unlock(&p->lock);
    if (at != NOWHERE)
        p->failed[at] = true;
}

/* A chunk that is larger than anything its array could have stored is as wrong as a smaller one. */
static void explain(vz_error *error, const char *key)
{
    if (error->class == VZ_LIMIT)
        error->class = VZ_CORRUPT;
    vz_error_where(error, NULL, key);
}

static bool take_one(plan *p, size_t number, size_t at, unsigned worker)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_fetch *fetch = &p->list[number];
    if (p->take(p->context, fetch, number, worker, &failed))
        return true;
    explain(&failed, fetch->key);
    note_failure(p, at, &failed);
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
        const vz_bytes part = {bytes.data + range.offset, (size_t)range.size};
        if (!fetch->into)
            fetch->bytes = part;
        else if (!vz_buffer_append(&fetch->into[i], part.data, part.size, err))
            return false;
    }
    return true;
}

static bool take_ready(plan *p, ready one, unsigned worker)
{
    vz_fetch *fetch = &p->list[one.number];
    vz_error failed = VZ_ERROR_NONE;
    fetch->version = (vz_version){0};
    fetch->found = one.at != NOWHERE && p->places[one.at].kind == VZ_PLACE_AT_HAND;
    if (!fetch->found || copy_at_hand(fetch, p->places[one.at].bytes, &failed))
        return take_one(p, one.number, one.at, worker);
    explain(&failed, fetch->key);
    note_failure(p, one.at, &failed);
    return false;
}

static bool take_answer(plan *p, const vz_request *request, unsigned worker)
{
    const size_t at = request->tag, number = p->needed[p->first + at];
    vz_fetch *fetch = &p->list[number];
    fetch->found = request->found;
    fetch->bytes = request->bytes;
    fetch->version = request->version;
    if (request->failed == VZ_OK)
        return take_one(p, number, at, worker);
    p->failed[at] = true; /* the batch has the error */
    return false;
}

/* Where a chunk that fails may be another one by now, the others go on: some of them may be read again with it. */
static bool work(void *context, size_t index, unsigned worker, vz_error *err)
{
    plan *p = context;
    const bool goes_on = source_of(p)->moved != NULL;
    bool ok = true;
    (void)index, (void)err;
    for (size_t next; (ok || goes_on) && (next = atomic_fetch_add(&p->next_ready, 1)) < p->ready_count;)
        ok = take_ready(p, p->ready[next], worker) && ok;
    for (vz_request *request; p->batch && (ok || goes_on);) {
        if (!(request = vz_batch_next(p->batch, vz_pool_scratch(worker, VZ_SCRATCH_STORED))))
            break;
        ok = take_answer(p, request, worker) && ok;
    }
    if (!ok && !goes_on && p->batch)
        vz_batch_stop(p->batch);
    if (!ok && !goes_on)
        atomic_store(&p->next_ready, p->ready_count);
    return true;
}

/* False: something failed; p->error tells what, p->failed which. */
static bool run_window(plan *p, vz_error *err)
{
    const unsigned width = vz_pool_width();
    p->error = VZ_ERROR_NONE;
    atomic_store(&p->next_ready, 0);
    if (!sort_out(p, err))
        return false;
    p->batch = p->request_count ? vz_batch_open(p->array->store, p->requests, p->request_count, err) : NULL;
    if (p->request_count && !p->batch)
        return false;
    const size_t count = p->ready_count + p->request_count;
    bool ok = vz_pool_run(work, p, count < width ? count : width, &p->error);
    if (p->batch) {
        vz_error failed = VZ_ERROR_NONE;
        ok = vz_batch_close(p->batch, &failed) && ok;
        explain(&failed, NULL);
        if (p->error.class == VZ_OK)
            p->error = failed;
        p->batch = NULL;
    }
    p->ready_count = 0;
    ok = ok && p->error.class == VZ_OK;
    if (!ok && err && err->class == VZ_OK)
        *err = p->error;
    return ok;
}

/* ---- once more ---- */

/* Keys of what failed because somebody changed it. NULL: something failed that stays as it is. */
static vz_strmap *find_moved(plan *p)
{
    vz_strmap *keys = source_of(p)->moved ? vz_strmap_new() : NULL;
    bool any = false;
    for (size_t i = 0; keys && i < p->count; i++) {
        const vz_chunk_place *place = &p->places[i];
        if (!p->failed[i])
            continue;
        any = true;
        if (place->key && (vz_strmap_get(keys, place->key) ||
                           (source_of(p)->moved(p->array, place) && vz_strmap_put(keys, place->key, keys, NULL))))
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
static bool turn_back(plan *p)
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

/* The next window. *changed: what was looked at, or read, was changed meanwhile, and it was not the last attempt. */
static bool fetch_window(plan *p, bool *changed, vz_error *err)
{
    bool ok = true;
    *changed = false;
    p->count = p->needed_count - p->first;
    vz_arena_clear(&p->arena);
    if (p->count > 0)
        ok = source_of(p)->locate(p->array, p->chunks + p->first, &p->count, false, p->places, &p->arena, err);
    if (!ok) {
        *changed = err->class == VZ_CHANGED;
        return false;
    }
    ok = run_window(p, err);
    if (ok)
        p->first += p->count;
    else
        *changed = turn_back(p);
    return ok;
}

static bool run(plan *p, vz_error *err)
{
    unsigned attempt = 1;
    do {
        bool changed;
        vz_error failed = VZ_ERROR_NONE;
        if (fetch_window(p, &changed, &failed)) {
            attempt = 1;
            continue;
        }
        if (changed && attempt++ < VZ_FETCH_ATTEMPTS)
            continue;
        if (err && err->class == VZ_OK)
            *err = failed;
        if (changed && err)
            snprintf(err->text, sizeof err->text, "%.400s (read %d times: its file has just been changed)", failed.text,
                     VZ_FETCH_ATTEMPTS);
        return false;
    } while (p->first < p->needed_count);
    return true;
}

static bool take_unread(void *context, size_t index, unsigned worker, vz_error *err)
{
    const plan *p = context;
    return p->take(p->context, &p->list[index], index, worker, err);
}

static bool needs_any(const vz_fetch *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].needed)
            return true;
    return false;
}

bool vz_fetch_run(vz_array *array, vz_fetch *list, size_t count, vz_fetch_take take, void *context, vz_error *err)
{
    plan p = {.array = array, .list = list, .take = take, .context = context};
    if (!needs_any(list, count))
        return vz_pool_run(take_unread, &p, count, err);
    const bool ok = open_plan(&p, count, err) && run(&p, err);
    close_plan(&p);
    return ok;
}
