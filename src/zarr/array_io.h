/* array_io.h - what the files array*.c share. */
#ifndef VZ_ZARR_ARRAY_IO_H
#define VZ_ZARR_ARRAY_IO_H

#include "zarr/array.h"
#include "zarr/chunk_cache.h"
#include "zarr/piece.h"
#include "zarr/scatter.h"
#include "zarr/shard.h"
#include <pthread.h>

enum {
    VZ_CHUNK_KEY_MAX = 8192, /* bytes of a chunk's key; a longer one is VZ_LIMIT */
    VZ_SCRATCH_STORED = 0,   /* slots of vz_pool_scratch; the chain has the other two */
    VZ_SCRATCH_CHUNK = 1,
    VZ_RECENT_CHUNKS = 64,
};

struct vz_array {
    vz_store *store;
    const vz_array_meta *meta;
    char *prefix;
    bool skip_fill;
    bool zeros; /* chunks begin with zeros rather than fill */
    bool objects;
    bool raw;          /* a chunk's stored bytes are its decoded bytes */
    vz_shards *shards; /* NULL: each chunk has a key of its own */
    bool rounds;
    vz_rounding rounding; /* if it rounds */
    bool keep_dirty;      /* in a forked child: what is dirty is the parent's to write, and only read here */
    vz_array_guard guard; /* NULL: chunks may be written without asking */
    void *guard_context;
    vz_chain chain;
    vz_chunk_cache cache;
    vz_array_counts counts;
    pthread_mutex_t store_lock;        /* held around calls of stores that serve one thread at a time */
    uint64_t recent[VZ_RECENT_CHUNKS]; /* hashes of chunks that were lately read in part without being kept */
};

static inline bool vz_array_may_store(vz_array *array, bool at_once, vz_error *err)
{
    return !array->guard || array->guard(array->guard_context, at_once, err);
}

/* Chunks that cannot be decoded may be those of another array by now: then that is the error. Returns `ok`. */
bool vz_array_explain(vz_array *array, bool ok, vz_error *err);

/* ---- one chunk (chunk_io.c, chunk_store.c); these run in workers ---- */

/* Decodes a stored chunk to `into` (chunk_size bytes). Object arrays: items whose bytes go to the arena. *found=false:
 * it is not in the store, and `into` is untouched. Errors name the chunk's key. */
bool vz_chunk_load(vz_array *array, const uint64_t *chunk, void *into, vz_arena *arena, bool *found, unsigned worker,
                   vz_error *err);
/* Bytes [low, high) of the decoded chunk; not for objects. */
bool vz_chunk_load_range(vz_array *array, const uint64_t *chunk, uint64_t low, uint64_t high, void *into, bool *found,
                         unsigned worker, vz_error *err);
/* Ranges of a raw chunk, each into its own buffer. */
bool vz_chunk_load_ranges(vz_array *array, const uint64_t *chunk, const vz_range *ranges, vz_buffer *into, size_t count,
                          bool *found, unsigned worker, vz_error *err);
/* Encodes and stores a whole decoded chunk. *erase=true: it equals the fill and is to be deleted instead, by
 * vz_chunk_erase on the caller's thread. */
bool vz_chunk_store(vz_array *array, const uint64_t *chunk, const void *decoded, bool *erase, unsigned worker,
                    vz_error *err);
bool vz_chunk_erase(vz_array *array, const uint64_t *chunk, vz_error *err);
bool vz_chunk_key_of(const vz_array *array, const uint64_t *chunk, char *key,
                     vz_error *err); /* VZ_CHUNK_KEY_MAX bytes */

/* The store's get and put, one at a time where it serves one thread. */
bool vz_chunk_get(vz_array *array, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err);
bool vz_chunk_put(vz_array *array, const char *key, vz_bytes value, vz_error *err);
/* The stored form of a chunk as it is. */
bool vz_chunk_get_stored(vz_array *array, const uint64_t *chunk, vz_buffer *out, bool *found, vz_error *err);
bool vz_chunk_put_stored(vz_array *array, const uint64_t *chunk, vz_bytes bytes, vz_error *err);
bool vz_chunk_stored_size(vz_array *array, const uint64_t *chunk, uint64_t *size, bool *found, vz_error *err);

/* The whole decoded chunk set to fill. */
void vz_chunk_fill(const vz_array *array, void *decoded);
/* Scratch for one decoded chunk. */
uint8_t *vz_chunk_scratch(const vz_array *array, unsigned worker, vz_error *err);

/* ---- cached chunks (cached_io.c) ---- */

/* Makes an entry ready if the store has its chunk. Runs in a worker, as do the next two. */
bool vz_cached_fetch(vz_array *array, vz_cached *entry, bool *found, unsigned worker, vz_error *err);
/* The same, but fill where the store has none. fresh: it is not looked for, fill at once. */
bool vz_cached_load(vz_array *array, vz_cached *entry, bool fresh, bool *found, unsigned worker, vz_error *err);
/* Drops the arena's waste once it outweighs what is used. */
bool vz_cached_compact(const vz_array *array, vz_cached *entry, vz_error *err);
/* Writes these dirty entries in the pool; those that succeed become clean. */
bool vz_cached_write(vz_array *array, vz_cached **entries, size_t count, vz_error *err);
/* Makes room for so many more bytes, writing back what is dirty and old. */
bool vz_cached_make_room(vz_array *array, uint64_t room, vz_error *err);

/* ---- chunks of the store (chunk_list.c) ---- */

typedef struct vz_chunk_list {
    uint64_t *chunks; /* rank coordinates each, in C order */
    size_t count;
} vz_chunk_list;

/* All keys below the array's prefix that are chunk keys, inside the grid or not. */
bool vz_chunk_list_load(vz_array *array, vz_chunk_list *list, vz_error *err);
/* What has a key of its own: shards where there are any, else chunks; the coordinates are theirs. */
bool vz_chunk_list_load_stored(vz_array *array, vz_chunk_list *list, vz_error *err);
void vz_chunk_list_clear(vz_chunk_list *list);

/* ---- transfers (transfer.c) ---- */

typedef enum vz_way {
    VZ_WAY_WHOLE,  /* all of the chunk is wanted: straight to or from the buffer where it can be, else by scratch */
    VZ_WAY_ENTRY,  /* in the cache: job->entry */
    VZ_WAY_STAGED, /* part of it, by scratch; not kept */
    VZ_WAY_RANGE,  /* read: the bytes from low to high, by scratch */
    VZ_WAY_ROWS,   /* read of a raw chunk: stretches straight into the buffer */
} vz_way;

typedef struct vz_job {
    vz_piece piece;
    vz_way way;
    vz_way otherwise; /* the way when the cache has no room for it */
    vz_cached *entry;
    uint64_t low, high; /* bytes of the decoded chunk */
    size_t rows;
    /* what the worker found and did: */
    bool missing, direct, staged, touched, erase;
} vz_job;

/* One batch of a read or write. */
typedef struct vz_work {
    vz_array *array;
    const vz_transfer *transfer;
    vz_layout layout;
    uint8_t *fill;    /* one fill element as the buffer wants it (reads) */
    vz_arena *arenas; /* one for each worker (object arrays) */
    unsigned width;
    vz_job *jobs;
    size_t job_count;
} vz_work;

typedef bool (*vz_work_batch)(vz_work *work, vz_error *err);

/* Checks the transfer, cuts it into batches of jobs and hands each to `batch`. */
bool vz_transfer_run(vz_array *array, const vz_transfer *transfer, bool reading, vz_work_batch batch, vz_error *err);

/* After a batch, failed or not: its entries are unpinned, counted anew, and forgotten if they never became ready. */
void vz_work_settle(vz_work *work);
/* Jobs on their way to the cache that have no entry yet. */
size_t vz_work_wanted(const vz_work *work);
/* The last `most` of those get one; the others go the other way. */
bool vz_work_keep_last(vz_work *work, size_t most, vz_error *err);

/* Moves elements with the transfer's conversion; arena: items with their bytes (objects), or NULL: as they are. */
vz_mover vz_work_mover(const vz_work *work, vz_arena *arena, uint64_t *live);

#endif
