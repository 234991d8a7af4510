/* shard_io.h - what shard.c and shard_write.c share. */
#ifndef VZ_ZARR_SHARD_IO_H
#define VZ_ZARR_SHARD_IO_H

#include "util/strmap.h"
#include "zarr/array_io.h"
#include "zarr/shard.h"

/* A chunk in its stored form, as it waits. */
typedef struct vz_waiting {
    bool touched;
    uint8_t *data; /* NULL: it is to be missing */
    size_t size;
} vz_waiting;

/* A shard some of whose chunks wait, all levels as one: chunks in C order over the shard. */
typedef struct vz_pending {
    uint64_t shard[VZ_MAX_RANK]; /* coordinates */
    uint64_t bytes;
    uint64_t inside; /* touched chunks that lie inside the array */
    uint64_t count;
    bool written;
    vz_waiting chunks[];
} vz_pending;

struct vz_shards {
    pthread_mutex_t lock;
    vz_strmap *pending; /* by the key without prefix */
    vz_strmap *indexes; /* by the key, for inner shards with their places */
    uint64_t pending_bytes, index_bytes;
    uint64_t round; /* of transfers */
};

/* Place of a chunk among all chunks of its shard of the first level. */
uint64_t vz_pending_place(const vz_array_meta *meta, const uint64_t *chunk);
/* Coordinates of the chunk at that place. */
void vz_pending_chunk(const vz_array_meta *meta, const uint64_t *shard, uint64_t place, uint64_t *chunk);
/* Chunks of a shard that lie inside the array. */
uint64_t vz_pending_inside(const vz_array_meta *meta, const uint64_t *shard);
void vz_pending_free(void *pending);

#endif
