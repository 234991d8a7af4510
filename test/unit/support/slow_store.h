/* slow_store.h - a store over another one that is far away: each answer takes its time, a number of requests is under
 * way at once, and what has arrived is handed out in any order. The time is counted, not waited for, so a test can say
 * how many round trips something takes. */
#ifndef SLOW_STORE_H
#define SLOW_STORE_H

#include "store/layers/layer.h"
#include "store/layers/layer_internal.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SLOW_IN_FLIGHT_MAX 256

typedef struct slow_store {
    vz_layer layer;
    pthread_mutex_t lock;
    uint64_t latency;                     /* of a request, in ms */
    unsigned in_flight;                   /* requests that are under way at once, whatever their batch */
    uint64_t now;                         /* ms since the store was made */
    uint64_t free_at[SLOW_IN_FLIGHT_MAX]; /* when each of those ways is */
    uint64_t seen;                        /* `now` when one was taken last */
    uint64_t requests, batches, dropped;
    uint32_t random;
} slow_store;

static slow_store *slow_of(vz_store *store)
{
    return (slow_store *)store;
}

/* Calls that are not part of a batch come one after the other. */
static bool slow_before(vz_layer *layer, const char *key, vz_error *err)
{
    (void)key, (void)err;
    slow_store *slow = (slow_store *)layer;
    pthread_mutex_lock(&slow->lock);
    slow->now += slow->latency;
    slow->requests++;
    pthread_mutex_unlock(&slow->lock);
    return true;
}

/* ---- batches ---- */

typedef struct slow_flight {
    size_t index; /* of the request */
    uint64_t arrives;
} slow_flight;

typedef struct slow_batch {
    slow_flight flights[SLOW_IN_FLIGHT_MAX];
    unsigned count;
    size_t sent;
    vz_buffer *answers; /* of requests without `into`; one for each request */
} slow_batch;

/* When the answer to what is asked now arrives. A clock that was set back finds all ways free. */
static uint64_t slow_arrival(slow_store *slow)
{
    uint64_t *first = &slow->free_at[0];
    if (slow->now < slow->seen)
        memset(slow->free_at, 0, sizeof slow->free_at);
    slow->seen = slow->now;
    for (unsigned i = 0; i < slow->in_flight; i++)
        if (slow->free_at[i] < *first)
            first = &slow->free_at[i];
    return *first = (*first > slow->now ? *first : slow->now) + slow->latency;
}

static void slow_send(slow_store *slow, vz_batch *batch)
{
    slow_batch *state = batch->state;
    while (!batch->stopped && state->sent < batch->count && state->count < slow->in_flight) {
        state->flights[state->count++] = (slow_flight){state->sent++, slow_arrival(slow)};
        slow->requests++;
    }
}

static bool slow_open(vz_batch *batch, vz_error *err)
{
    slow_store *slow = slow_of(batch->store);
    slow_batch *state = calloc(1, sizeof *state);
    state->answers = calloc(batch->count + 1, sizeof *state->answers);
    batch->state = state;
    (void)err;
    pthread_mutex_lock(&slow->lock);
    slow->batches++;
    slow_send(slow, batch);
    pthread_mutex_unlock(&slow->lock);
    return true;
}

/* Of those that arrive first, any. */
static unsigned slow_choose(slow_store *slow, const slow_batch *state)
{
    uint64_t first = UINT64_MAX;
    unsigned candidates[SLOW_IN_FLIGHT_MAX], count = 0;
    for (unsigned i = 0; i < state->count; i++)
        first = state->flights[i].arrives < first ? state->flights[i].arrives : first;
    for (unsigned i = 0; i < state->count; i++)
        if (state->flights[i].arrives == first)
            candidates[count++] = i;
    slow->random = slow->random * 1664525u + 1013904223u;
    slow->now = first > slow->now ? first : slow->now;
    return candidates[(slow->random >> 16) % count];
}

static vz_request *slow_next(vz_batch *batch, vz_buffer *scratch)
{
    slow_store *slow = slow_of(batch->store);
    slow_batch *state = batch->state;
    (void)scratch;
    pthread_mutex_lock(&slow->lock);
    slow_send(slow, batch);
    size_t index = batch->count;
    if (state->count > 0) {
        const unsigned chosen = slow_choose(slow, state);
        index = state->flights[chosen].index;
        state->flights[chosen] = state->flights[--state->count];
        slow_send(slow, batch);
    }
    pthread_mutex_unlock(&slow->lock);
    if (index == batch->count)
        return NULL;
    vz_request *request = &batch->requests[index];
    vz_error failed = VZ_ERROR_NONE;
    if (!vz_request_do(slow->layer.below, request, &state->answers[index], &failed))
        vz_batch_failed(batch, request, &failed);
    return request;
}

static void slow_close(vz_batch *batch)
{
    slow_batch *state = batch->state;
    for (size_t i = 0; i < batch->count; i++)
        vz_buffer_clear(&state->answers[i]);
    free(state->answers);
    free(state);
}

/* In a forked child: it does not wait. */
static void slow_drop(vz_batch *batch)
{
    slow_of(batch->store)->dropped++;
    slow_close(batch);
}

static const vz_batch_class slow_batches = {
    .open = slow_open, .next = slow_next, .close = slow_close, .drop = slow_drop};

/* Takes `below` over, and is closed like any store. */
static slow_store *slow_store_over(vz_store *below, uint64_t latency, unsigned in_flight)
{
    slow_store *slow = (slow_store *)vz_layer_new(below, sizeof *slow, "slow", NULL);
    slow->layer.before = slow_before;
    slow->layer.class.batches = &slow_batches;
    slow->layer.base.capabilities &= ~(unsigned)VZ_STORE_CHEAP;
    pthread_mutex_init(&slow->lock, NULL);
    slow->latency = latency;
    slow->in_flight = slow->layer.base.in_flight = in_flight;
    return slow;
}

/* Round trips since the store was made, or since the clock was set to 0. */
static inline uint64_t slow_rounds(const slow_store *slow)
{
    return slow->now / slow->latency;
}

#endif
