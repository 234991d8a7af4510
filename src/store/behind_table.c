/* behind_table.c - the table of what was put and is not yet in the store: filled, sent, emptied by the answers. */
#include "store/behind.h"
#include "util/path.h"
#include <stdlib.h>
#include <unistd.h>

#define IN_FLIGHT_LEAST 8                  /* entries that gather before they are sent, whatever the store says */
#define BEHIND_BYTES    ((size_t)32 << 20) /* of entries that gather; as many may be under way */

/* ---- entries ---- */

vz_behind_entry *vz_behind_find(const vz_behind *b, const char *key)
{
    return vz_strmap_get(b->by_key, key);
}

vz_behind_entry *vz_behind_make(vz_behind *b, const char *key, vz_error *err)
{
    vz_behind_entry *entry = vz_behind_find(b, key);
    if (entry)
        return entry;
    entry = calloc(1, sizeof *entry);
    if (!entry || !(entry->key = strdup(key))) {
        free(entry);
        vz_fail_memory(err);
        return NULL;
    }
    if (vz_strmap_put(b->by_key, key, entry, err))
        return entry;
    free(entry->key);
    free(entry);
    return NULL;
}

const vz_owed *vz_behind_newest(const vz_behind_entry *entry)
{
    return entry->waits ? &entry->waiting : &entry->sent;
}

/* Of no value below: their device is a real one, or 0. */
vz_stamp vz_behind_stamp(const vz_behind_entry *entry)
{
    const vz_owed *newest = vz_behind_newest(entry);
    return newest->data ? (vz_stamp){.exists = true, .size = newest->size, .device = UINT64_MAX, .inode = entry->serial}
                        : (vz_stamp){0};
}

static void forget(vz_behind *b, vz_behind_entry *entry)
{
    vz_strmap_remove(b->by_key, entry->key);
    free(entry->key);
    free(entry);
}

/* It waits no more. */
static void stop_waiting(vz_behind *b, vz_behind_entry *entry)
{
    if (entry->failed)
        b->failed--;
    else if (entry->unnamed)
        b->unnamed--, b->unnamed_bytes -= entry->waiting.size;
    else
        b->ready--, b->ready_bytes -= entry->waiting.size;
    entry->waits = entry->failed = entry->unnamed = false;
}

static void begin_waiting(vz_behind *b, vz_behind_entry *entry, vz_owed owed, bool failed)
{
    entry->waits = true;
    entry->failed = failed;
    entry->waiting = owed;
    if (failed)
        b->failed++;
    else if (entry->unnamed)
        b->unnamed++, b->unnamed_bytes += owed.size;
    else
        b->ready++, b->ready_bytes += owed.size;
}

void vz_behind_wait_with(vz_behind *b, vz_behind_entry *entry, vz_owed owed, bool unnamed)
{
    if (entry->waits) {
        free(entry->waiting.data);
        stop_waiting(b, entry);
    }
    entry->unnamed = unnamed;
    begin_waiting(b, entry, owed, false);
}

vz_owed vz_behind_take(vz_behind *b, vz_behind_entry *entry)
{
    vz_owed owed = {0};
    if (entry->waits) {
        owed = entry->waiting;
        stop_waiting(b, entry);
    }
    if (!entry->under_way)
        forget(b, entry);
    return owed;
}

void vz_behind_remove(vz_behind *b, vz_behind_entry *entry)
{
    const vz_owed owed = vz_behind_take(b, entry);
    free(owed.data);
}

bool vz_behind_owes(const vz_behind *b, const char *prefix)
{
    size_t cursor = 0;
    const char *key;
    void *value;
    while (vz_strmap_next(b->by_key, &cursor, &key, &value)) {
        const vz_behind_entry *entry = value;
        if (!(entry->waits && entry->unnamed) && vz_key_is_within(key, prefix))
            return true;
    }
    return false;
}

/* ---- sending ---- */

static void free_batch(vz_behind *b)
{
    free(b->requests);
    free(b->entries);
    b->requests = NULL;
    b->entries = NULL;
    b->batch = NULL;
}

/* What is under way waits again, unless something newer does. */
static void take_back(vz_behind *b, vz_behind_entry *entry, bool failed)
{
    entry->under_way = false;
    if (entry->waits)
        free(entry->sent.data);
    else
        begin_waiting(b, entry, entry->sent, failed);
}

static void send_entry(vz_behind *b, vz_behind_entry *entry, size_t at)
{
    stop_waiting(b, entry);
    entry->under_way = true;
    entry->sent = entry->waiting;
    b->entries[at] = entry;
    b->requests[at] = (vz_request){.op = entry->sent.data ? VZ_REQUEST_PUT : VZ_REQUEST_DELETE,
                                   .key = entry->key,
                                   .value = {entry->sent.data, entry->sent.size},
                                   .tag = at};
}

static void note_error(vz_behind *b, const vz_error *failed)
{
    if (b->error.class == VZ_OK)
        b->error = *failed;
}

size_t vz_behind_window(const vz_behind *b)
{
    return b->stacked.base.in_flight > IN_FLIGHT_LEAST ? b->stacked.base.in_flight : IN_FLIGHT_LEAST;
}

/* Whole windows, so that none goes out nearly empty while threads put; what is large, and fills none, at once. */
static size_t whole_windows(const vz_behind *b)
{
    const size_t window = vz_behind_window(b);
    return b->ready < window ? b->ready : b->ready - b->ready % window;
}

/* Sends what waits; `all`: that of a window which is not full, and what failed before, too. Nothing is under way. What
 * cannot be sent goes on waiting. */
static void send_waiting(vz_behind *b, bool all)
{
    vz_error failed = VZ_ERROR_NONE;
    const size_t most = all ? b->ready + b->failed : whole_windows(b);
    size_t count = 0, cursor = 0;
    const char *key;
    void *value;
    b->requests = malloc((most + 1) * sizeof *b->requests);
    b->entries = malloc((most + 1) * sizeof *b->entries);
    if (!b->requests || !b->entries) {
        free_batch(b);
        vz_fail_memory(&b->error);
        return;
    }
    while (count < most && vz_strmap_next(b->by_key, &cursor, &key, &value)) {
        vz_behind_entry *entry = value;
        if (entry->waits && !entry->unnamed && (all || !entry->failed))
            send_entry(b, entry, count++);
    }
    if (count > 0)
        b->batch = vz_batch_open(b->stacked.below, b->requests, count, &failed);
    if (b->batch)
        return;
    for (size_t i = 0; i < count; i++)
        take_back(b, b->entries[i], true);
    if (count > 0)
        note_error(b, &failed);
    free_batch(b);
}

static void take_answer(vz_behind *b, vz_behind_entry *entry, bool ok)
{
    if (!ok) {
        take_back(b, entry, true);
        return;
    }
    entry->under_way = false;
    free(entry->sent.data);
    if (!entry->waits)
        forget(b, entry);
}

/* Waits until what is under way has been answered. */
static void finish(vz_behind *b)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_buffer unused = {0};
    if (!b->batch)
        return;
    if (b->pulling) {
        const vz_batch *batch = b->batch;
        while (b->batch == batch && b->pulling)
            pthread_cond_wait(&b->ended, &b->lock);
        return;
    }
    b->pulling = true;
    pthread_mutex_unlock(&b->lock);
    for (vz_request *request; (request = vz_batch_next(b->batch, &unused));) {
        pthread_mutex_lock(&b->lock);
        take_answer(b, b->entries[request->tag], request->failed == VZ_OK);
        pthread_mutex_unlock(&b->lock);
    }
    const bool ok = vz_batch_close(b->batch, &failed);
    vz_buffer_clear(&unused);
    pthread_mutex_lock(&b->lock);
    b->pulling = false;
    if (!ok)
        note_error(b, &failed);
    free_batch(b);
    pthread_cond_broadcast(&b->ended);
}

static bool has_enough(const vz_behind *b)
{
    return b->ready >= vz_behind_window(b) || b->ready_bytes >= BEHIND_BYTES;
}

bool vz_behind_drain(vz_behind *b, vz_error *err)
{
    finish(b);
    b->error = VZ_ERROR_NONE; /* what failed is sent once more */
    if (b->ready + b->failed > 0) {
        send_waiting(b, true);
        finish(b);
    }
    if (b->error.class != VZ_OK && err && err->class == VZ_OK)
        *err = b->error;
    return b->error.class == VZ_OK;
}

void vz_behind_stop(vz_behind *b)
{
    finish(b);
}

void vz_behind_send_enough(vz_behind *b)
{
    if (has_enough(b))
        finish(b);
    if (has_enough(b) && !b->batch)
        send_waiting(b, false);
}

/* ---- processes ---- */

/* Answers to what is under way come to the parent. The lock may be held by a thread that is not here. */
static void own(vz_behind *b)
{
    size_t cursor = 0;
    const char *key;
    void *entry;
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->ended, NULL);
    b->owner = getpid();
    b->pulling = false;
    while (vz_strmap_next(b->by_key, &cursor, &key, &entry))
        if (((vz_behind_entry *)entry)->under_way)
            take_back(b, entry, false);
    if (b->batch)
        vz_batch_drop(b->batch);
    free_batch(b);
}

void vz_behind_begin(vz_behind *b)
{
    b->owner = getpid();
}

void vz_behind_lock(vz_behind *b)
{
    if (b->owner != getpid())
        own(b);
    pthread_mutex_lock(&b->lock);
}

void vz_behind_unlock(vz_behind *b)
{
    pthread_mutex_unlock(&b->lock);
}
