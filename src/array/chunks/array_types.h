/* array_types.h - what an array and its chunks share: the types of reads, writes, counters and
 * checks, and the calls that look at stored chunks alone. Callers of arrays get it by array.h. */
#ifndef VZ_CHUNKS_ARRAY_TYPES_H
#define VZ_CHUNKS_ARRAY_TYPES_H

#include "array/selection/selection.h"
#include "metadata/metadata/format.h"
#include "metadata/metadata/metadata.h"
#include "store/store/store.h"

/* The I/O state of one array: chain, chunk grid, chunk cache. A node (hierarchy/nodes/node.h) owns
 * it and sets its key prefix and metadata; all handles of the node share it. Not thread-safe (its
 * own workers aside). */
typedef struct vz_array vz_array;

typedef struct vz_array_counts { /* for tests: what was not copied, not read, not decoded twice */
    uint64_t direct_chunks;      /* decoded straight into, or encoded straight from, the caller's
                                  * buffer */
    uint64_t staged_chunks;      /* went through a scratch or cached chunk */
    uint64_t cache_hits, cache_misses;
    uint64_t fill_chunks;  /* missing in the store */
    uint64_t waiting_most; /* bytes of chunks that waited for their shards at a time */
} vz_array_counts;

/* How the document of an array was met in the store when it was looked at last. All zeros: it was
 * not. Looking writes it; the array's owner may set `cut_off` to false. */
typedef struct vz_chunks_seen {
    vz_stamp stamp;    /* of the document if that was the known one, or described chunks like it;
                        * else zeros */
    int64_t looked_ns; /* when (vz_os_now_ns) */
    bool cut_off;      /* another program had made the shape smaller */
} vz_chunks_seen;

/* The document that describes an array, as its owner knows it: what chunks that are about to be
 * stored depend on. Borrowed from the owner, who keeps it up to date while the array is open. */
typedef struct vz_chunks_document {
    const char *place; /* of the store, for errors */
    const vz_zarr_format *zarr_format;
    vz_json *const *json; /* parsed, as it was read or written last; to NULL: there is none */
    const uint64_t *hash; /* of its text (vz_hash_text); to 0: it is not known */
    const bool *is_new;   /* to true: no other process knows of the array */
    const bool *may_lack; /* to true: another rank could not write it */
    vz_chunks_seen *seen;
} vz_chunks_document;

/* One of several transfers that are read or written as one plan (vz_arrays_read in array.h). It
 * owns nothing: array and transfer are borrowed until the call returns. */
typedef struct vz_array_transfer {
    vz_array *array;
    const vz_transfer *transfer;
} vz_array_transfer;
/* Bytes of memory that a plan of transfers takes at most beside the buffers. They are the
 * workers' scratch for the largest chunk, and notes about chunks that are under way. Chunks and
 * indexes of shards that are kept for later calls count, too. Without the bytes of objects, cuts
 * of irregular selections, and answers of a remote store that no worker has taken. */
uint64_t vz_transfers_memory(const vz_array_transfer *list, size_t count, bool reading);

/* ---- is what is stored whole? (verify_chunks.c) ---- */

/* Coordinates of a chunk, or of a shard where there are any, from its key below the array's prefix
 * ("0.1", "c/0/1"). False: no chunk is called so. */
bool vz_chunk_parse_key(const vz_meta *meta, const char *key, uint64_t *at);
/* Do these coordinates lie inside the array? */
bool vz_chunk_has_key(const vz_meta *meta, const uint64_t *at);

/* Receives findings. Any worker calls it, several at once. */
typedef struct vz_array_judge {
    /* A chunk that cannot be read or decoded; of a shard whose index is wrong, its first chunk. */
    void (*wrong)(void *context, const uint64_t *chunk, const vz_error *why);
    /* The elements of each chunk of an array of objects, valid until it returns; NULL: nobody
     * asks. */
    void (*items)(void *context, const vz_item *items, size_t count);
    /* The decoded elements of each chunk of any other array; those beyond its end too. */
    void (*elements)(void *context, const uint8_t *elements, size_t count);
    void *context;
} vz_array_judge;
/* Reads and decodes all of the value with these coordinates, as a task of the pool
 * (base/os/thread.h). Several tasks may run at once for one array, and nothing of the array
 * changes. A shard can be divided: of its chunks each parts-th, from `part` on. A value that is not
 * there is none that is wrong. *read: bytes of it that were read. False: for want of memory. */
bool vz_chunk_check_value(vz_array *array, const uint64_t *at, unsigned part, unsigned parts, unsigned worker,
                          const vz_array_judge *judge, uint64_t *read, vz_error *err);

#endif
