/* prefetch_internal.h - prefetches small arrays of a remote store. HDF5 reads one dataset after
 * another: each read is a round trip, or two for shards. The second read of a whole dataset
 * requests every array of at most four chunks (or shards) in one batch. Consolidated metadata
 * lists these arrays. */
#ifndef VZ_CONSOLIDATED_PREFETCH_INTERNAL_H
#define VZ_CONSOLIDATED_PREFETCH_INTERNAL_H

#include "base/util/hash.h"
#include "store/store/request.h"
#include <time.h>
#include "hierarchy/consolidated/prefetch.h"

#define VZ_SMALL_PREFETCH_REQUESTS_MAX 256
/* chunks or shards of an array, at most */
#define VZ_SMALL_PREFETCH_VALUES_OF 4
#define VZ_SMALL_PREFETCH_BYTES_MAX ((uint64_t)8 << 20) /* of all of them together, decoded */
#define VZ_SMALL_PREFETCH_VALUE_MAX ((uint64_t)1 << 20) /* of one */
#define VZ_SMALL_PREFETCH_SECONDS   30                  /* fetched values are used for so long */

typedef struct vz_small_prefetch {
    char *first;     /* prefix of the array that was read whole; NULL: none was */
    bool is_done;    /* a store has one prefetch */
    vz_strmap *kept; /* key -> what was fetched (small_array_cache.c); NULL: nothing */
    int64_t since_ns;
    long owner;      /* the process that began it */
    vz_batch *batch; /* under way; the next three members are its own */
    vz_request *requests;
    vz_buffer *bytes;
    size_t count;
} vz_small_prefetch;

/* ---- when and what (small_array_prefetch.c) ---- */

/* Called before requests are sent, in the thread that opens batches. If they are the second read
 * of a whole dataset, the prefetch begins. A failed prefetch is no error: the values are
 * requested later. */
void vz_small_prefetch_watch(vz_small_prefetch *prefetch, vz_store *documents, vz_store *below,
                             const vz_request *requests, size_t count);
void vz_small_prefetch_end(vz_small_prefetch *prefetch);  /* what is under way is waited for */
void vz_small_prefetch_drop(vz_small_prefetch *prefetch); /* in a forked child: it is not */
void vz_small_prefetch_clear(vz_small_prefetch *prefetch);

/* ---- what was fetched (small_array_cache.c) ---- */

/* Takes the bytes, also where there is no memory to keep them. */
void vz_small_prefetch_keep(vz_small_prefetch *prefetch, const char *key, vz_buffer *bytes, const vz_version *version);
void vz_small_prefetch_trim(vz_small_prefetch *prefetch); /* what is too old goes */
/* Was the value of this request fetched? Each value answers once: vz_small_prefetch_used follows
 * after the read. A shard answers once for its index, and for any number of ranges that demand
 * the version of that index. */
bool vz_small_prefetch_has(const vz_small_prefetch *prefetch, const vz_request *request);
/* Answers a request, in any thread. `bytes` are valid until vz_small_prefetch_used. */
bool vz_small_prefetch_answer(const vz_small_prefetch *prefetch, vz_request *request, vz_error *err);
void vz_small_prefetch_used(vz_small_prefetch *prefetch, const vz_request *request);
void vz_small_prefetch_forget(vz_small_prefetch *prefetch); /* all of them */

#endif
