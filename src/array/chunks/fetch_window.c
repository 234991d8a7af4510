/* fetch_window.c - the requests of a window, and each answer taken by the worker that pulls it. */
#include "array/chunks/array_state_internal.h"
#include "array/chunks/fetch_internal.h"
#include "base/os/thread.h"
#include "store/store/prefetch.h"

/* ---- requests ---- */

/* The ranges as they lie in the value of which the chunk is a part. */
static bool move_ranges(vz_fetch_part *p, const vz_fetch *fetch, const vz_chunk_place *place, vz_request *request,
                        vz_error *err)
{
    const vz_range whole = {VZ_RANGE_AT, 0, place->size};
    const vz_range *ranges = fetch->ranges ? fetch->ranges : &whole;
    const size_t count = fetch->ranges ? fetch->range_count : 1;
    vz_range *moved = vz_arena_alloc(&p->arena, count * sizeof *moved, err);
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

static bool add_request(vz_fetch_part *p, size_t at, vz_error *err)
{
    const size_t number = p->needed[p->first + at];
    const vz_fetch *fetch = &p->list->fetches[number];
    const vz_chunk_place *place = &p->places[at];
    vz_request request = {.key = place->key,
                          .ranges = fetch->ranges,
                          .range_count = fetch->range_count,
                          .into = fetch->into,
                          .most = fetch->most,
                          .small = fetch->is_small && place->kind == VZ_PLACE_VALUE,
                          .hold = fetch->is_opened ? VZ_HOLD_TO_READ : VZ_HOLD_NOT,
                          .tag = at};
    if (place->kind == VZ_PLACE_RANGE && !move_ranges(p, fetch, place, &request, err)) {
        vz_error_where(err, NULL, place->key);
        return false;
    }
    p->requests[p->request_count++] = request;
    return true;
}

/* Was the chunk fetched before? Then its bytes are in the arena now. */
static bool take_prefetched(vz_fetch_part *one, vz_chunk_place *place, vz_error *err)
{
    bool found;
    vz_buffer bytes = {0};
    if (place->kind != VZ_PLACE_VALUE || !vz_store_take_chunk(one->list->array->store, place->key, &bytes, &found))
        return true;
    place->kind = found ? VZ_PLACE_AT_HAND : VZ_PLACE_MISSING;
    place->bytes = (vz_bytes){vz_arena_copy(&one->arena, bytes.data, bytes.size, err), bytes.size};
    vz_buffer_clear(&bytes);
    return place->bytes.data || place->bytes.size == 0;
}

static bool make_requests(vz_fetch_plan *p, vz_fetch_part *one, vz_error *err)
{
    memset(one->failed, 0, one->count * sizeof *one->failed);
    for (size_t i = 0; i < one->count; i++) {
        const size_t number = one->needed[one->first + i];
        vz_fetch *fetch = &one->list->fetches[number];
        fetch->key = one->places[i].key;
        if (!take_prefetched(one, &one->places[i], err))
            return false;
        for (size_t r = 0; fetch->into && r < (fetch->ranges ? fetch->range_count : 1); r++)
            fetch->into[r].size = 0;
        if (one->places[i].kind == VZ_PLACE_VALUE || one->places[i].kind == VZ_PLACE_RANGE) {
            if ((one->failed[i] = !add_request(one, i, err)))
                return false;
        } else {
            p->ready[p->ready_count++] = (vz_fetch_ready){one, number, i};
        }
    }
    return true;
}

static void sort_out(vz_fetch_plan *p, vz_fetch_part *one)
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

static void note_failure(vz_fetch_plan *p, vz_fetch_part *one, size_t at, const vz_error *error)
{
    vz_os_mutex_lock(&p->lock);
    if (one->error.class == VZ_OK)
        one->error = *error;
    one->list->failed = true;
    vz_os_mutex_unlock(&p->lock);
    if (at != VZ_FETCH_NOWHERE)
        one->failed[at] = true;
}

/* A chunk that is larger than anything its array could have stored is as wrong as a smaller one. */
static void explain(vz_error *error, const char *key)
{
    if (error->class == VZ_LIMIT)
        error->class = VZ_CORRUPT;
    vz_error_where(error, NULL, key);
}

static bool take_one(vz_fetch_plan *p, vz_fetch_part *one, size_t number, size_t at, unsigned worker)
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

static bool take_ready(vz_fetch_plan *p, const vz_fetch_ready *r, unsigned worker)
{
    vz_fetch_part *one = r->part;
    vz_fetch *fetch = &one->list->fetches[r->number];
    vz_error failed = VZ_ERROR_NONE;
    fetch->version = (vz_version){0};
    fetch->found = r->at != VZ_FETCH_NOWHERE && one->places[r->at].kind == VZ_PLACE_AT_HAND;
    if (!fetch->found || copy_at_hand(fetch, one->places[r->at].bytes, &failed))
        return take_one(p, one, r->number, r->at, worker);
    explain(&failed, fetch->key);
    note_failure(p, one, r->at, &failed);
    return false;
}

static bool take_all_ready(void *context, unsigned worker)
{
    vz_fetch_plan *p = context;
    for (size_t next; (next = atomic_fetch_add(&p->next_ready, 1)) < p->ready_count;) {
        const vz_fetch_ready *r = &p->ready[next];
        if (take_ready(p, r, worker) || vz_fetch_goes_on(r->part))
            continue;
        atomic_store(&p->next_ready, p->ready_count);
        return false;
    }
    return true;
}

static bool take_answer(void *context, size_t list, const vz_request *request, unsigned worker)
{
    vz_fetch_plan *p = context;
    vz_fetch_part *one = p->of.open[list];
    const size_t at = request->tag, number = one->needed[one->first + at];
    vz_fetch *fetch = &one->list->fetches[number];
    fetch->found = request->found;
    fetch->bytes = request->bytes;
    fetch->size = request->size;
    fetch->version = request->version;
    vz_error failed = VZ_ERROR_NONE; /* the request has the cause */
    const bool cuts = one->list->array->store->capabilities & VZ_STORE_CUTS;
    if (request->failed == VZ_OK && (!cuts || vz_chunk_complete(one->list->array, fetch, &failed)))
        return take_one(p, one, number, at, worker) || vz_fetch_goes_on(one);
    note_failure(p, one, at, &failed);
    return vz_fetch_goes_on(one);
}

/* A request that failed has the error of its batch. */
static void share_error(vz_fetch_plan *p, const vz_error *failed)
{
    for (size_t i = 0; i < p->open_count; i++)
        if (p->of.open[i]->list->failed && p->of.open[i]->error.class == VZ_OK)
            p->of.open[i]->error = *failed;
}

static uint64_t bytes_of_windows(const vz_fetch_plan *p)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < p->open_count; i++)
        bytes += vz_chunks_bytes(p->of.open[i]->list->array, p->of.open[i]->request_count);
    for (size_t i = 0; i < p->ready_count && bytes < VZ_POOL_BYTES_MIN; i++)
        bytes += vz_chunks_bytes(p->ready[i].part->list->array, 1);
    return bytes;
}

bool vz_fetch_windows(vz_fetch_plan *p, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    atomic_store(&p->next_ready, 0);
    for (size_t i = 0; i < p->open_count; i++) {
        vz_fetch_part *one = p->of.open[i];
        sort_out(p, one);
        p->of.asked[i] = (vz_fetch_batch_list){one->list->array->store, one->requests, one->request_count};
    }
    const vz_fetch_batch ask = {.lists = p->of.asked,
                                .count = p->open_count,
                                .context = p,
                                .take = take_answer,
                                .begin = take_all_ready,
                                .tasks = p->ready_count,
                                .bytes = bytes_of_windows(p)};
    const bool ok = vz_fetch_batch_run(&ask, &failed);
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
