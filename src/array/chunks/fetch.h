/* fetch.h - the stored bytes of many chunks: their places are looked up, their requests are under way together, and
 * each chunk is taken by a worker as its bytes arrive. */
#ifndef VZ_CHUNKS_FETCH_H
#define VZ_CHUNKS_FETCH_H

#include "store/store/request_one.h"

typedef struct vz_array vz_array;

/* To read what a writer replaces while it is read. Versions of a store that is far away tell for sure that somebody
 * did, and who writes parts of a shard there that many others write, too, meets one after the other. */
enum { VZ_FETCH_ATTEMPTS = 3, VZ_FETCH_ATTEMPTS_FAR = 100 };
unsigned vz_fetch_attempts(const vz_array *array);

typedef struct vz_fetch {
    const uint64_t *chunk; /* coordinates */
    bool needed;           /* false: nothing is read, it is only taken */
    /* Ranges of the chunk's stored bytes, range i into into[i] (appended); none: all of them. Without `into` (then
     * there are no ranges, or one) what was read stands in `bytes`. */
    const vz_range *ranges; /* VZ_RANGE_AT */
    size_t range_count;
    vz_buffer *into;
    bool is_small;  /* it has a few KiB, and nobody asks for its version */
    bool is_opened; /* range_count is 0: who takes it asks for bytes of the version that was found */
    uint64_t most;  /* bytes; a chunk with more is VZ_CORRUPT. 0: there is no limit */
    /* the answer: */
    bool found;
    vz_bytes bytes;     /* while it is taken */
    uint64_t size;      /* bytes, if is_opened */
    const char *key;    /* of the value that it lies in */
    vz_version version; /* of that value; size 0: not known */
} vz_fetch;

/* Takes a chunk whose answer is there. May be called again for the same one, when a writer replaced it meanwhile: then
 * it starts anew. Runs in workers. */
typedef bool (*vz_fetch_take)(void *context, vz_fetch *fetch, size_t index, unsigned worker, vz_error *err);

/* Chunks of one array. */
typedef struct vz_fetch_list {
    vz_array *array;
    vz_fetch *fetches;
    size_t count;
    vz_fetch_take take;
    void *context;
    bool failed; /* the answer: it was one of these */
} vz_fetch_list;

/* Fetches all of them, in any order. The arrays are different ones; they may lie in different stores. Errors name the
 * chunk's key. On the caller's thread, which works too. */
bool vz_fetch_run(vz_fetch_list *lists, size_t count, vz_error *err);
/* Of one array. */
bool vz_fetch_one(vz_array *array, vz_fetch *fetches, size_t count, vz_fetch_take take, void *context, vz_error *err);

#endif
