/* reference_batch.c - many values at once. Those at a server are one batch there, in which near
 * ranges of a file become one request; all others are done by whoever pulls. */
#include "store/kerchunk/kerchunk_internal.h"
#include "store/store/call.h"
#include <stdlib.h>

/* One request, and where its bytes lie. */
typedef struct part {
    vz_kerchunk_found at;
    vz_range *ranges;
} part;

/* The requests to one place. */
typedef struct place_batch {
    vz_request *requests;
    size_t count;
    vz_batch *batch;
} place_batch;

typedef struct state {
    part *parts;
    size_t *here; /* requests that no server is asked for */
    size_t here_count;
    atomic_size_t next_here;
    place_batch *places;
    size_t place_count;
    atomic_size_t failed; /* the first request that failed at a server, plus 1 */
} state;

static void free_state(state *s, size_t count)
{
    for (size_t i = 0; s->parts && i < count; i++) {
        vz_kerchunk_found_clear(&s->parts[i].at);
        free(s->parts[i].ranges);
    }
    for (size_t i = 0; s->places && i < s->place_count; i++)
        free(s->places[i].requests);
    free(s->parts);
    free(s->here);
    free(s->places);
    free(s);
}

/* ---- opening ---- */

/* May a server be asked? A value that stands in the reference file need not be read for that. */
static bool may_be_asked(vz_kerchunk *store, const char *key)
{
    const vz_kerchunk_entry *entry = store->finder ? NULL : vz_kerchunk_entry_of(store, key);
    return store->finder || (entry && entry->value.data[0] == '[');
}

/* Is a server asked? A request that is wrong is done by itself, which tells why. */
static bool is_asked(vz_kerchunk *store, const vz_request *request, part *p)
{
    vz_error ignored = VZ_ERROR_NONE;
    bool found;
    return request->op == VZ_REQUEST_GET && vz_store_call_check_key(&store->base, request->key, &ignored) &&
           may_be_asked(store, request->key) && vz_kerchunk_look_up(store, request->key, &p->at, &found, &ignored) &&
           found && p->at.target && !p->at.target->path;
}

/* The ranges of the file. False: they are none, as the request by itself tells. */
static bool place_ranges(const vz_request *request, part *p)
{
    const size_t count = request->ranges ? request->range_count : 1;
    vz_error ignored = VZ_ERROR_NONE;
    p->ranges = calloc(count + 1, sizeof *p->ranges);
    bool ok = p->ranges;
    for (size_t i = 0; ok && i < count; i++)
        ok = vz_kerchunk_place_range(&p->at.value, request->ranges ? request->ranges[i] : VZ_WHOLE, &p->ranges[i],
                                     &ignored);
    return ok;
}

static bool prepare(vz_batch *batch, state *s, vz_error *err)
{
    vz_kerchunk *store = vz_kerchunk_of(batch->store);
    if (store->finder && store->finder->expect)
        store->finder->expect(store->context, batch->requests, batch->count);
    for (size_t i = 0; i < batch->count; i++) {
        part *p = &s->parts[i];
        if (!is_asked(store, &batch->requests[i], p) || !place_ranges(&batch->requests[i], p)) {
            vz_kerchunk_found_clear(&p->at);
            s->here[s->here_count++] = i;
        }
    }
    s->place_count = store->place_count;
    s->places = calloc(s->place_count + 1, sizeof *s->places);
    return s->places || vz_fail_memory(err);
}

static bool fill(vz_batch *batch, state *s, vz_error *err)
{
    for (size_t i = 0; i < batch->count; i++)
        if (s->parts[i].at.target)
            s->places[s->parts[i].at.target->place->number].count++;
    for (size_t i = 0; i < s->place_count; i++) {
        place_batch *place = &s->places[i];
        if (place->count && !(place->requests = calloc(place->count, sizeof *place->requests)))
            return vz_fail_memory(err);
        place->count = 0;
    }
    for (size_t i = 0; i < batch->count; i++) {
        const vz_request *request = &batch->requests[i];
        const part *p = &s->parts[i];
        if (!p->at.target)
            continue;
        place_batch *place = &s->places[p->at.target->place->number];
        vz_request *asked = &place->requests[place->count++];
        *asked = (vz_request){.key = p->at.target->key,
                              .ranges = p->ranges,
                              .range_count = request->ranges ? request->range_count : 1,
                              .into = request->into,
                              .when = request->when,
                              .version = request->version,
                              .most = request->most,
                              .tag = i};
        vz_kerchunk_demand(&p->at, asked);
    }
    return true;
}

static bool begin(vz_batch *batch, state *s, vz_error *err)
{
    const vz_kerchunk *store = vz_kerchunk_of(batch->store);
    size_t cursor = 0;
    const char *id;
    void *value;
    while (vz_strmap_next(store->places, &cursor, &id, &value)) {
        const vz_kerchunk_place *place = value;
        if (place->number >= s->place_count || !s->places[place->number].count)
            continue;
        place_batch *asked = &s->places[place->number];
        if (!(asked->batch = vz_batch_open(place->store, asked->requests, asked->count, err)))
            return false;
    }
    return true;
}

static void end(state *s, bool is_dropped, vz_error *err)
{
    for (size_t i = 0; i < s->place_count; i++) {
        if (s->places[i].batch && is_dropped)
            vz_batch_drop(s->places[i].batch);
        else if (s->places[i].batch)
            vz_batch_close(s->places[i].batch, err);
        s->places[i].batch = NULL;
    }
}

static bool batch_open(vz_batch *batch, vz_error *err)
{
    state *s = calloc(1, sizeof *s);
    if (!s)
        return vz_fail_memory(err);
    s->parts = calloc(batch->count + 1, sizeof *s->parts);
    s->here = calloc(batch->count + 1, sizeof *s->here);
    const bool ok = ((s->parts && s->here) || vz_fail_memory(err)) && prepare(batch, s, err) && fill(batch, s, err) &&
                    begin(batch, s, err);
    if (ok) {
        batch->state = s;
        return true;
    }
    end(s, false, NULL);
    free_state(s, batch->count);
    return false;
}

/* ---- pulling ---- */

static vz_request *do_here(vz_batch *batch, vz_request *request, vz_buffer *scratch)
{
    vz_error failed = VZ_ERROR_NONE;
    if (!vz_request_once(batch->store, request, scratch, &failed)) {
        vz_error_where(&failed, vz_kerchunk_label(vz_kerchunk_of(batch->store)), request->key);
        vz_batch_failed(batch, request, &failed);
    }
    return request;
}

/* A file that is not there is no chunk that is not there. */
static vz_request *answer(vz_batch *batch, state *s, const vz_request *asked)
{
    vz_request *request = &batch->requests[asked->tag];
    size_t none = 0;
    const vz_kerchunk_value *value = &s->parts[asked->tag].at.value;
    request->failed = vz_kerchunk_is_changed(value, asked->failed) ? VZ_CORRUPT : asked->failed;
    request->version = asked->version;
    request->bytes = asked->bytes;
    request->size = asked->size;
    request->found = true;
    if (asked->failed != VZ_OK) {
        atomic_compare_exchange_strong(&s->failed, &none, asked->tag + 1);
    } else if (!asked->found) {
        vz_error failed = VZ_ERROR_NONE, why = VZ_ERROR_NONE;
        vz_error_set(&why, VZ_IO, "there is no such file");
        vz_kerchunk_fail_value(value, &why, &failed);
        vz_error_where(&failed, vz_kerchunk_label(vz_kerchunk_of(batch->store)), request->key);
        vz_batch_failed(batch, request, &failed);
    }
    return request;
}

static vz_request *batch_next(vz_batch *batch, vz_buffer *scratch)
{
    state *s = batch->state;
    if (batch->stopped)
        return NULL;
    const size_t here = atomic_fetch_add(&s->next_here, 1);
    if (here < s->here_count)
        return do_here(batch, &batch->requests[s->here[here]], scratch);
    for (size_t i = 0; i < s->place_count; i++) {
        const vz_request *asked = s->places[i].batch ? vz_batch_next(s->places[i].batch, scratch) : NULL;
        if (asked)
            return answer(batch, s, asked);
    }
    return NULL;
}

/* ---- closing ---- */

static void batch_close(vz_batch *batch)
{
    state *s = batch->state;
    vz_error why = VZ_ERROR_NONE, failed = VZ_ERROR_NONE;
    if (batch->stopped)
        for (size_t i = 0; i < s->place_count; i++)
            if (s->places[i].batch)
                vz_batch_stop(s->places[i].batch);
    end(s, false, &why);
    const size_t first = atomic_load(&s->failed);
    if (why.class != VZ_OK && first > 0) {
        vz_kerchunk_fail_value(&s->parts[first - 1].at.value, &why, &failed);
        vz_error_where(&failed, vz_kerchunk_label(vz_kerchunk_of(batch->store)), batch->requests[first - 1].key);
        if (!atomic_exchange(&batch->failed, true))
            batch->error = failed;
    }
    free_state(s, batch->count);
}

static void batch_drop(vz_batch *batch)
{
    state *s = batch->state;
    end(s, true, NULL);
    free_state(s, batch->count);
}

const vz_batch_class vz_kerchunk_batches = {
    .open = batch_open, .next = batch_next, .close = batch_close, .drop = batch_drop};
