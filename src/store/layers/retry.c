/* retry.c - a layer that repeats what failed for a moment, so that no caller above has to. */
#include "store/layers/layer_internal.h"
#include "base/os/process.h"
#include "base/os/thread.h"
#include <stdlib.h>

#define ATTEMPTS_MAX 16

typedef struct retrying {
    vz_layer layer;
    unsigned attempts, wait_ms;
    vz_batch_class batches;
} retrying;

static retrying *retrying_of(vz_store *store)
{
    return (retrying *)store;
}

/* ---- waiting ---- */

/* Between a half and all of a time that doubles: clients that failed together do not come back
 * together. */
static void wait_before(const retrying *r, unsigned attempt)
{
    uint64_t most = r->wait_ms;
    for (unsigned i = 1; i < attempt && most < VZ_RETRY_WAIT_MAX_MS; i++)
        most *= 2;
    if (most > VZ_RETRY_WAIT_MAX_MS)
        most = VZ_RETRY_WAIT_MAX_MS;
    const int64_t now = vz_os_now_ns();
    const uint64_t most_us = most * 1000;
    const uint64_t us = most_us / 2 + vz_hash(&now, sizeof now, (uint64_t)(uintptr_t)r) % (most_us / 2 + 1);
    vz_os_sleep_us(us);
}

static bool again(vz_layer *layer, unsigned attempt, const vz_error *failed)
{
    const retrying *r = (const retrying *)layer;
    if (failed->class != VZ_TRANSIENT || attempt >= r->attempts)
        return false;
    wait_before(r, attempt);
    return true;
}

/* ---- lost answers ---- */

/* A conditional change that was tried before finds that its condition does not hold: perhaps it
 * was its own earlier attempt that changed the value. Then the value is what it wanted. */
static bool was_made(vz_store *store, vz_request *request)
{
    vz_buffer value = {0};
    vz_request look = {.key = request->key};
    bool same = false;
    if (vz_request_do(store, &look, &value, NULL))
        same = request->op == VZ_REQUEST_DELETE
                   ? !look.found
                   : look.found && look.bytes.size == request->value.size &&
                         memcmp(look.bytes.data, request->value.data, look.bytes.size) == 0;
    vz_buffer_clear(&value);
    if (same && request->tells)
        request->version = look.version;
    return same;
}

static bool may_be_lost(const vz_request *request, unsigned attempt)
{
    return attempt > 1 && request->failed == VZ_CHANGED && vz_request_changes(request) && request->when != VZ_WHEN_ANY;
}

static bool change(vz_store *store, vz_request *request, vz_error *err)
{
    vz_layer *layer = &retrying_of(store)->layer;
    for (unsigned attempt = 1;; attempt++) {
        vz_error failed = VZ_ERROR_NONE;
        if (vz_request_do(layer->below, request, NULL, &failed) ||
            (may_be_lost(request, attempt) && was_made(store, request)))
            return true;
        if (again(layer, attempt, &failed))
            continue;
        if (err && err->class == VZ_OK)
            *err = failed;
        return false;
    }
}

static bool retrying_put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_request request = {.op = VZ_REQUEST_PUT, .key = key, .value = value, .when = VZ_WHEN_ABSENT};
    if (change(store, &request, &failed))
        return true;
    if (failed.class == VZ_CHANGED)
        return vz_fail(err, VZ_EXISTS, "the key exists");
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

static bool retrying_change(vz_store *store, const char *key, const vz_bytes *value, const vz_version *version,
                            vz_version *now, vz_error *err)
{
    vz_request request = {.op = value ? VZ_REQUEST_PUT : VZ_REQUEST_DELETE,
                          .key = key,
                          .value = value ? *value : (vz_bytes){0},
                          .when = version->size ? VZ_WHEN_VERSION : VZ_WHEN_ABSENT,
                          .version = *version,
                          .tells = value != NULL};
    const bool ok = change(store, &request, err);
    *now = ok && value ? request.version : (vz_version){0};
    return ok;
}

/* ---- batches: rounds, each of what failed for a moment in the one before ---- */

typedef struct rounds {
    vz_batch *batch;
    vz_os_mutex lock;
    vz_os_condition pulled;           /* `pulling` fell to 0, or a round began or ended */
    vz_sub_batch parts[ATTEMPTS_MAX]; /* earlier ones stay open: their answers may be in use */
    unsigned attempt;                 /* the last of them is parts[attempt - 1] */
    unsigned pulling;                 /* threads that wait for an answer */
    size_t *failed, failed_count;     /* to be asked again */
    size_t *sizes, *first_size;       /* what `into` held before, all of them one after the other,
                                       * by request */
    bool ended;                       /* there are no more answers */
    bool cannot_go_on;                /* what is in `failed` is handed out as it is */
    vz_error error;                   /* why */
    vz_error_class class;             /* of the first failure that is one for good; VZ_OK: none */
} rounds;

static size_t range_count(const vz_request *request)
{
    return !request->into ? 0 : request->ranges ? request->range_count : 1;
}

static bool note_sizes(rounds *s, vz_error *err)
{
    const vz_batch *batch = s->batch;
    size_t count = 0;
    for (size_t i = 0; i < batch->count; i++)
        count += range_count(&batch->requests[i]);
    s->failed = malloc((batch->count + 1) * sizeof *s->failed);
    s->first_size = malloc((batch->count + 1) * sizeof *s->first_size);
    s->sizes = malloc((count + 1) * sizeof *s->sizes);
    if (!s->failed || !s->first_size || !s->sizes)
        return vz_fail_memory(err);
    for (size_t i = count = 0; i < batch->count; i++) {
        s->first_size[i] = count;
        for (size_t k = 0; k < range_count(&batch->requests[i]); k++)
            s->sizes[count++] = batch->requests[i].into[k].size;
    }
    return true;
}

static void free_rounds(rounds *s)
{
    vz_os_mutex_destroy(&s->lock);
    vz_os_condition_destroy(&s->pulled);
    free(s->failed);
    free(s->first_size);
    free(s->sizes);
    free(s);
}

static bool rounds_open(vz_batch *batch, vz_error *err)
{
    rounds *s = calloc(1, sizeof *s);
    if (!s)
        return vz_fail_memory(err);
    s->batch = batch;
    s->attempt = 1;
    vz_os_mutex_init(&s->lock);
    vz_os_condition_init(&s->pulled);
    vz_store *below = retrying_of(batch->store)->layer.below;
    if (note_sizes(s, err) && vz_sub_batch_open(&s->parts[0], below, batch->requests, NULL, batch->count, err)) {
        batch->state = s;
        return true;
    }
    free_rounds(s);
    return false;
}

/* As it was before it was asked. */
static void prepare_again(const rounds *s, size_t index)
{
    vz_request *request = &s->batch->requests[index];
    for (size_t k = 0; k < range_count(request); k++)
        request->into[k].size = s->sizes[s->first_size[index] + k];
    request->failed = VZ_OK;
}

/* Under the lock, when nothing is under way. */
static void begin_round(rounds *s)
{
    const retrying *r = retrying_of(s->batch->store);
    if (s->failed_count == 0 || s->batch->stopped || s->cannot_go_on) {
        s->ended = s->failed_count == 0 || s->batch->stopped;
        return;
    }
    wait_before(r, s->attempt);
    for (size_t i = 0; i < s->failed_count; i++)
        prepare_again(s, s->failed[i]);
    s->error = VZ_ERROR_NONE;
    if (vz_sub_batch_open(&s->parts[s->attempt], r->layer.below, s->batch->requests, s->failed, s->failed_count,
                          &s->error)) {
        s->attempt++;
        s->failed_count = 0;
    } else {
        s->cannot_go_on = true;
    }
}

/* One that was to be asked again, and cannot be. */
static vz_request *give_up_one(rounds *s)
{
    vz_request *request = &s->batch->requests[s->failed[--s->failed_count]];
    request->failed = s->class = s->error.class;
    return request;
}

/* Is the answer one for who pulls? Else it is asked again. Under the lock, which the look at a
 * lost answer leaves. */
static bool is_final(rounds *s, vz_request *request, unsigned attempt)
{
    const retrying *r = retrying_of(s->batch->store);
    if (request->failed == VZ_TRANSIENT && attempt < r->attempts && !s->batch->stopped) {
        s->failed[s->failed_count++] = (size_t)(request - s->batch->requests);
        return false;
    }
    if (may_be_lost(request, attempt)) {
        vz_os_mutex_unlock(&s->lock);
        const bool made = was_made(s->batch->store, request);
        vz_os_mutex_lock(&s->lock);
        if (made)
            request->failed = VZ_OK;
    }
    if (request->failed != VZ_OK && s->class == VZ_OK)
        s->class = request->failed;
    return true;
}

static vz_request *pull(rounds *s, vz_buffer *scratch, bool *none)
{
    const unsigned attempt = s->attempt;
    vz_sub_batch *part = &s->parts[attempt - 1];
    s->pulling++;
    vz_os_mutex_unlock(&s->lock);
    if (s->batch->stopped)
        vz_sub_batch_stop(part);
    vz_request *request = vz_sub_batch_next(part, scratch);
    vz_os_mutex_lock(&s->lock);
    *none = request == NULL;
    if (request && !is_final(s, request, attempt))
        request = NULL;
    if (--s->pulling == 0)
        vz_os_condition_broadcast(&s->pulled);
    return request;
}

static vz_request *rounds_next(vz_batch *batch, vz_buffer *scratch)
{
    rounds *s = batch->state;
    vz_request *request = NULL;
    vz_os_mutex_lock(&s->lock);
    while (!request && !s->ended) {
        bool none = true;
        const unsigned attempt = s->attempt;
        if (!s->cannot_go_on)
            request = pull(s, scratch, &none);
        else if (s->failed_count > 0)
            request = give_up_one(s);
        if (request || !none || s->attempt != attempt)
            continue;
        if (s->pulling > 0)
            vz_os_condition_wait(&s->pulled, &s->lock);
        else
            begin_round(s);
    }
    vz_os_condition_broadcast(&s->pulled);
    vz_os_mutex_unlock(&s->lock);
    return request;
}

/* The error reported is that of a request that failed for good. */
static void rounds_close(vz_batch *batch)
{
    rounds *s = batch->state;
    batch->error = s->error;
    for (unsigned i = 0; i < s->attempt; i++) {
        vz_error failed = VZ_ERROR_NONE;
        vz_sub_batch_close(&s->parts[i], &failed);
        if (failed.class == s->class && batch->error.class != s->class)
            batch->error = failed;
    }
    batch->failed = s->class != VZ_OK;
    if (batch->failed && batch->error.class == VZ_OK)
        vz_error_set(&batch->error, s->class, "the store failed");
    free_rounds(s);
}

static void rounds_drop(vz_batch *batch)
{
    rounds *s = batch->state;
    for (unsigned i = 0; i < s->attempt; i++)
        vz_sub_batch_drop(&s->parts[i]);
    free(s->failed);
    free(s->first_size);
    free(s->sizes);
    free(s); /* the lock may be another thread's, which is not here */
}

static const vz_batch_class rounds_class = {
    .open = rounds_open, .next = rounds_next, .close = rounds_close, .drop = rounds_drop};

/* ---- */

vz_store *vz_layer_retrying(vz_store *below, unsigned attempts, unsigned wait_ms, vz_error *err)
{
    retrying *r = (retrying *)vz_layer_new(below, sizeof *r, below->class->kind, err);
    if (!r)
        return NULL;
    r->attempts = attempts == 0 ? 1 : attempts < ATTEMPTS_MAX ? attempts : ATTEMPTS_MAX;
    r->wait_ms = wait_ms;
    r->layer.again = again;
    r->layer.class.put_new = retrying_put_new;
    if (r->layer.class.change)
        r->layer.class.change = retrying_change;
    if (r->layer.class.batches)
        r->layer.class.batches = &rounds_class;
    return &r->layer.base;
}
