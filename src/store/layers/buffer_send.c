/* buffer_send.c - sends the write-behind buffer. Several batches are under way at once, so that
 * the next requests leave while earlier answers come. */
#include "store/layers/write_behind_internal.h"
#include <stdlib.h>

/* entries that gather before they are sent, whatever the store says */
#define LEAST ((size_t)8)
/* of entries, those that gather and those under way; a larger one is alone */
#define BYTES ((size_t)64 << 20)

size_t vz_write_buffer_window(const vz_write_buffer *b)
{
    return b->layer.base.in_flight > LEAST ? b->layer.base.in_flight : LEAST;
}

/* The values that gather for a batch. All batches together are two windows: one that the store has
 * under way, one that it begins as answers come. */
static size_t share_of(const vz_write_buffer *b)
{
    const size_t share = 2 * vz_write_buffer_window(b) / VZ_WRITE_BUFFER_FLIGHTS;
    return share > LEAST ? share : LEAST;
}

static bool has_enough(const vz_write_buffer *b)
{
    return b->ready >= share_of(b) || b->ready_bytes >= BYTES / VZ_WRITE_BUFFER_FLIGHTS;
}

static void note_error(vz_write_buffer *b, const vz_error *failed)
{
    if (b->error.class == VZ_OK)
        b->error = *failed;
}

/* ---- answers ---- */

static void free_flight(vz_write_buffer_flight *flight)
{
    free(flight->requests);
    free(flight->entries);
    *flight = (vz_write_buffer_flight){0};
}

static void take_answer(vz_write_buffer *b, vz_write_buffer_entry *entry, bool ok)
{
    if (!ok) {
        vz_write_buffer_take_back(b, entry, true);
        return;
    }
    entry->under_way = false;
    b->under_way_bytes -= entry->sent.size;
    free(entry->sent.data);
    if (!entry->waits)
        vz_write_buffer_forget(b, entry);
}

/* Waits until all of it has been answered. */
static void finish(vz_write_buffer *b, vz_write_buffer_flight *flight)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_buffer unused = {0};
    if (flight->pulling) {
        const uint64_t number = flight->number;
        while (flight->number == number)
            vz_os_condition_wait(&b->ended, &b->lock);
        return;
    }
    flight->pulling = true;
    vz_os_mutex_unlock(&b->lock);
    for (vz_request *request; (request = vz_batch_next(flight->batch, &unused));) {
        vz_os_mutex_lock(&b->lock);
        take_answer(b, flight->entries[request->tag], request->failed == VZ_OK);
        vz_os_mutex_unlock(&b->lock);
    }
    const bool ok = vz_batch_close(flight->batch, &failed);
    vz_buffer_clear(&unused);
    vz_os_mutex_lock(&b->lock);
    if (!ok)
        note_error(b, &failed);
    free_flight(flight);
    vz_os_condition_broadcast(&b->ended);
}

/* Of those sent before the number; NULL: none is under way. */
static vz_write_buffer_flight *oldest(vz_write_buffer *b, uint64_t before)
{
    vz_write_buffer_flight *found = NULL;
    for (size_t i = 0; i < VZ_WRITE_BUFFER_FLIGHTS; i++) {
        vz_write_buffer_flight *flight = &b->flights[i];
        if (flight->batch && flight->number < before && (!found || flight->number < found->number))
            found = flight;
    }
    return found;
}

static void finish_all(vz_write_buffer *b, uint64_t before)
{
    for (vz_write_buffer_flight *flight; (flight = oldest(b, before));)
        finish(b, flight);
}

/* ---- sending ---- */

static vz_write_buffer_flight *free_place(vz_write_buffer *b)
{
    for (size_t i = 0; i < VZ_WRITE_BUFFER_FLIGHTS; i++)
        if (!b->flights[i].batch)
            return &b->flights[i];
    return NULL;
}

/* Waits for room. */
static vz_write_buffer_flight *place_of(vz_write_buffer *b)
{
    for (;;) {
        vz_write_buffer_flight *place = free_place(b);
        if (place && (b->under_way_bytes == 0 || b->under_way_bytes + b->ready_bytes <= BYTES))
            return place;
        finish(b, oldest(b, UINT64_MAX));
    }
}

static void send_entry(vz_write_buffer *b, vz_write_buffer_flight *flight, vz_write_buffer_entry *entry, size_t at)
{
    vz_write_buffer_stop_waiting(b, entry);
    entry->under_way = true;
    entry->sent = entry->waiting;
    b->under_way_bytes += entry->sent.size;
    flight->entries[at] = entry;
    flight->requests[at] = (vz_request){.op = entry->sent.data ? VZ_REQUEST_PUT : VZ_REQUEST_DELETE,
                                        .key = entry->key,
                                        .value = {entry->sent.data, entry->sent.size},
                                        .tag = at};
}

/* Of one key one value is under way, so that the later one is there in the end. */
static bool may_go(const vz_write_buffer_entry *entry, bool failed_too)
{
    return entry->waits && !entry->under_way && !entry->unnamed && (failed_too || !entry->failed);
}

/* Sends at most so many of the waiting values. A value that cannot be sent goes on waiting. */
static void send_waiting(vz_write_buffer *b, vz_write_buffer_flight *flight, size_t most, bool failed_too)
{
    vz_error failed = VZ_ERROR_NONE;
    size_t count = 0, cursor = 0;
    const char *key;
    void *entry;
    flight->requests = malloc((most + 1) * sizeof *flight->requests);
    flight->entries = malloc((most + 1) * sizeof *flight->entries);
    if (!flight->requests || !flight->entries) {
        free_flight(flight);
        vz_fail_memory(&b->error);
        return;
    }
    while (count < most && vz_strmap_next(b->by_key, &cursor, &key, &entry))
        if (may_go(entry, failed_too))
            send_entry(b, flight, entry, count++);
    if (count > 0)
        flight->batch = vz_batch_open(b->layer.below, flight->requests, count, &failed);
    flight->number = ++b->flight_count;
    if (flight->batch)
        return;
    for (size_t i = 0; i < count; i++)
        vz_write_buffer_take_back(b, flight->entries[i], true);
    if (count > 0)
        note_error(b, &failed);
    free_flight(flight);
}

void vz_write_buffer_send_enough(vz_write_buffer *b)
{
    while (has_enough(b)) {
        vz_write_buffer_flight *place = place_of(b);
        const size_t ready = b->ready, share = share_of(b);
        if (!has_enough(b)) /* another thread sent it meanwhile */
            return;
        send_waiting(b, place, ready < share ? ready : share, false);
        if (b->ready < ready)
            continue;
        vz_write_buffer_flight *first = oldest(b, UINT64_MAX);
        if (!first) /* there is no memory */
            return;
        finish(b, first); /* earlier values of these keys are under way */
    }
}

/* Waiting values are sent beside those under way. Values that failed are sent once more; then
 * errors count. */
bool vz_write_buffer_drain(vz_write_buffer *b, vz_error *err)
{
    uint64_t before = UINT64_MAX;
    if (b->ready > 0) {
        vz_write_buffer_flight *place = place_of(b);
        send_waiting(b, place, b->ready, false);
        before = place->batch ? place->number : before;
    }
    finish_all(b, before);
    b->error = VZ_ERROR_NONE;
    if (b->ready + b->failed > 0)
        send_waiting(b, place_of(b), b->ready + b->failed, true);
    finish_all(b, UINT64_MAX);
    if (b->error.class != VZ_OK && err && err->class == VZ_OK)
        *err = b->error;
    return b->error.class == VZ_OK;
}

void vz_write_buffer_stop(vz_write_buffer *b)
{
    finish_all(b, UINT64_MAX);
}

void vz_write_buffer_drop_flights(vz_write_buffer *b)
{
    for (size_t i = 0; i < VZ_WRITE_BUFFER_FLIGHTS; i++) {
        if (b->flights[i].batch)
            vz_batch_drop(b->flights[i].batch);
        free_flight(&b->flights[i]);
    }
}
