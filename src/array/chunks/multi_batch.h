/* multi_batch.h - the requests of several lists at once, which may be of several stores: one batch for each store, pulled by
 * the workers. */
#ifndef VZ_CHUNKS_MULTI_BATCH_H
#define VZ_CHUNKS_MULTI_BATCH_H

#include "store/store/request_one.h"

/* Requests of one store. They belong to vz_ask_run until it returns, and their answers are told to `take` only. */
typedef struct vz_ask_list {
    vz_store *store;
    vz_request *requests;
    size_t count;
} vz_ask_list;

typedef struct vz_ask {
    const vz_ask_list *lists;
    size_t count;
    void *context;
    /* Takes an answer of the list with this number. False: no more answers are wanted. Runs in workers. */
    bool (*take)(void *context, size_t list, const vz_request *request, unsigned worker);
    /* What each worker does before it pulls answers; false as above. NULL: nothing. */
    bool (*begin)(void *context, unsigned worker);
    size_t tasks;   /* of `begin`, to tell how many workers are worth waking */
    uint64_t bytes; /* that all of this is about, to tell whether any is (vz_chunks_bytes) */
} vz_ask;

/* On the caller's thread, which works too. False: a request failed (as it says itself), or there was no memory to begin
 * (then nothing was taken); err tells the first failure. */
bool vz_ask_run(const vz_ask *ask, vz_error *err);

#endif
