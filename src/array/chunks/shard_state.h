/* shard_state.h - the shards of an open array: codecs, known indexes, chunks that wait. */
#ifndef VZ_CHUNKS_SHARD_STATE_H
#define VZ_CHUNKS_SHARD_STATE_H

#include "array/chunks/array_state.h"
#include "array/chunks/shard.h"
#include "base/util/hash.h"
#include "store/store/request.h"

typedef struct vz_shard_entry {
    uint64_t offset, size; /* both UINT64_MAX: there is no such chunk */
} vz_shard_entry;
#define VZ_SHARD_MISSING ((vz_shard_entry){UINT64_MAX, UINT64_MAX})

/* The part of a waiting shard that is in the store already, unpublished (shard_stream.c). */
typedef struct vz_shard_stream {
    vz_pieces *pieces; /* NULL: nothing is yet */
    uint64_t next;     /* places before it are written, or being written */
    uint64_t end;      /* of the bytes, those being written among them */
    bool failed;       /* the chunks that come wait */
    vz_shard_entry entries[];
} vz_shard_stream;

/* A chunk in its stored form, as it waits. */
typedef struct vz_shard_waiting_chunk {
    bool touched;
    uint8_t *data; /* NULL: it is to be missing */
    size_t size;
    vz_chunk_change *change; /* the part of it that was written; NULL: all of it */
} vz_shard_waiting_chunk;

/* A shard some of whose chunks wait, all levels as one: chunks in C order over the shard. */
typedef struct vz_pending {
    uint64_t shard[VZ_MAX_RANK]; /* coordinates */
    uint64_t bytes;
    uint64_t inside; /* touched chunks that lie inside the array */
    uint64_t count;
    uint64_t awaited; /* chunks that the batch is still to store, where it stores all of the shard;
                       * else 0 */
    bool written;
    vz_shard_stream *stream; /* of one that is awaited; NULL: all of it waits */
    vz_shard_waiting_chunk chunks[];
} vz_pending;

/* ---- one level (shard_index.c) ---- */

/* Its codecs, ready to run. */
typedef struct vz_shard_codecs {
    uint64_t count;    /* entries of an index */
    size_t index_size; /* bytes of a stored one */
    bool index_first, index_big_endian;
    bool index_transposed;
    unsigned rank;
    uint64_t across[VZ_MAX_RANK];      /* entries along each axis of the index */
    uint64_t strides[VZ_MAX_RANK + 1]; /* transposed: between neighbours, in numbers of 8 bytes */
    vz_chain index;
    vz_chain behind; /* of the shard as a whole; count 0: none, so that chunks are found by range */
} vz_shard_codecs;

/* ---- all of an array ---- */

struct vz_shards {
    unsigned level_count;
    vz_shard_codecs *levels;
    bool has_wholes; /* some level has codecs behind it */
    size_t most;     /* shards that are looked into at a time */
    vz_os_mutex lock;
    vz_strmap *pending; /* by the key without prefix; under the lock where workers run */
    uint64_t pending_bytes;
    bool wrote_early; /* since indexes were forgotten last, a worker wrote a shard */
    vz_strmap *known; /* by the key without prefix, for inner shards with their places */
    uint64_t index_bytes, whole_bytes, clock;
    uint64_t transfer; /* number of the one that runs, or ran last */
    bool in_transfer;
};

/* ---- chunks that wait (shard_pending.c) ---- */

/* Coordinates of the chunk at that place. */
void vz_pending_chunk(const vz_meta *meta, const uint64_t *shard, uint64_t place, uint64_t *chunk);

/* It does not wait any more. */
void vz_pending_forget(vz_array *array, vz_pending *pending);

#endif
