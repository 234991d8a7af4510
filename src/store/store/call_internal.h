/* call_internal.h - checks and counts that begin and end each call. */
#ifndef VZ_STORE_CALL_INTERNAL_H
#define VZ_STORE_CALL_INTERNAL_H

#include "store/store/call.h"

/* Places in vz_store.count. */
enum {
    VZ_COUNT_GET,
    VZ_COUNT_MISS,
    VZ_COUNT_PUT,
    VZ_COUNT_DEL,
    VZ_COUNT_LIST,
    VZ_COUNT_STAT,
    VZ_COUNT_RENAME,
    VZ_COUNT_READ,
    VZ_COUNT_WRITTEN
};

static inline void vz_store_call_count(vz_store *store, int what, uint64_t number)
{
    atomic_fetch_add_explicit(&store->count[what], number, memory_order_relaxed);
}

/* Something is about to change the store. The shared number first: a process forked in between
 * takes it for changed. */
static inline void vz_store_call_note_write(vz_store *store)
{
    if (store->shared_writes)
        atomic_fetch_add_explicit(store->shared_writes, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&store->writes, 1, memory_order_relaxed);
}

/* A process that repeats in memory what another one does in the store. */
static inline bool vz_store_call_is_muted(const vz_store *store)
{
    return store->repeats;
}

/* Where the key is now: in the store, or in its staging area. */
bool vz_store_call_place(vz_store *store, const char *key, vz_store_key_location *at, vz_error *err);

/* Before requests are handed to a store as a batch. As for calls, but the store checks keys itself,
 * so that a wrong one fails alone. */
bool vz_store_call_begin_batch(vz_store *store, const vz_request *requests, size_t count, vz_error *err);

/* Is the key short enough for the store, with `room` more bytes behind it? */
bool vz_store_call_check_length(const vz_store *store, const char *key, size_t room, vz_error *err);

/* The error of a call that failed names the store and the key (NULL: none). Returns `ok`. */
bool vz_store_call_done(const vz_store *store, const char *key, bool ok, vz_error *err);

#endif
