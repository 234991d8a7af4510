/* prefetch_internal.h - small arrays of a store that is far away, fetched together before they are asked for. HDF5
 * reads one dataset after another, so that each would be a round trip by itself, and two where its chunks lie in
 * shards. The consolidated metadata tells which arrays have a few chunks, or shards, at most: when a second dataset is
 * read whole, the values of all of them are asked for beside its own. */
#ifndef VZ_CONSOLIDATED_PREFETCH_INTERNAL_H
#define VZ_CONSOLIDATED_PREFETCH_INTERNAL_H

#include "base/util/hash.h"
#include "store/store/request.h"
#include <time.h>
#include "hierarchy/consolidated/prefetch.h"

/* The text of a document, if it was kept: once, with its hash. It is the caller's to clear. */
bool vz_own_document_take(vz_hierarchy *hierarchy, const char *key, vz_buffer *text, uint64_t *hash);

#define VZ_BURST_REQUESTS_MAX 256
#define VZ_BURST_VALUES_OF    4                   /* chunks or shards of an array, at most */
#define VZ_BURST_BYTES_MAX    ((uint64_t)8 << 20) /* of all of them together, decoded */
#define VZ_BURST_VALUE_MAX    ((uint64_t)1 << 20) /* of one */
#define VZ_BURST_SECONDS      30                  /* how long what was fetched is what is there */

typedef struct vz_burst {
    char *first;     /* prefix of the array that was read whole; NULL: none was */
    bool is_done;    /* it happens once */
    vz_strmap *kept; /* key -> what was fetched (small_array_cache.c); NULL: nothing */
    struct timespec since;
    long owner;      /* the process that began it */
    vz_batch *batch; /* what is under way, and the next three its own */
    vz_request *requests;
    vz_buffer *bytes;
    size_t count;
} vz_burst;

/* ---- when and what (small_array_prefetch.c) ---- */

/* These requests are about to be pulled, in the thread that opens batches: if they are for a second dataset, all of it,
 * the burst begins. Errors are nobody's: what is not fetched is asked for later. */
void vz_burst_meet(vz_burst *burst, vz_store *documents, vz_store *below, const vz_request *requests, size_t count);
void vz_burst_end(vz_burst *burst);  /* what is under way is waited for */
void vz_burst_drop(vz_burst *burst); /* in a forked child: it is not */
void vz_burst_clear(vz_burst *burst);

/* ---- what was fetched (small_array_cache.c) ---- */

/* Takes the bytes, also where there is no memory to keep them. */
void vz_burst_keep(vz_burst *burst, const char *key, vz_buffer *bytes, const vz_version *version);
void vz_burst_trim(vz_burst *burst); /* what is too old goes */
/* Was the value fetched that this request wants? Each is told once: vz_burst_told follows, when it was read. Of a shard
 * that is once its index, and as often as they are asked for ranges that demand the version in which the index was. */
bool vz_burst_has(const vz_burst *burst, const vz_request *request);
/* Answers a request that it has, in any thread; `bytes` stand until it is told. */
bool vz_burst_answer(const vz_burst *burst, vz_request *request, vz_error *err);
void vz_burst_told(vz_burst *burst, const vz_request *request);
void vz_burst_forget(vz_burst *burst); /* all of them */

#endif
