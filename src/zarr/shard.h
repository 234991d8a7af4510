/* shard.h - chunks that lie in shards: found by the shards' indexes, and collected until a shard is written, once and
 * whole. */
#ifndef VZ_ZARR_SHARD_H
#define VZ_ZARR_SHARD_H

#include "store/store.h"
#include "zarr/meta.h"

typedef struct vz_array vz_array;
typedef struct vz_shards vz_shards;

#define VZ_SHARD_ATTEMPTS   3 /* to read a shard that a writer changes in place, or whose store holds nothing open */
#define VZ_SHARD_CHUNKS_MAX ((uint64_t)1 << 24) /* in one shard: beyond it a document is taken for hostile */

/* ---- the shards of an array (shard.c) ---- */

/* Coordinates of the shard of the first level. */
void vz_shard_of(const vz_array_meta *meta, const uint64_t *chunk, uint64_t *shard);

vz_shards *vz_shards_new(const vz_array_meta *meta, vz_error *err);
void vz_shards_free(vz_shards *shards); /* what is not written too */
/* A transfer begins, and ends: in between, each shard that is met stays open in the version that it then has (the last
 * few do), so that all its chunks are of one version. */
void vz_shards_begin(vz_array *array);
void vz_shards_end(vz_array *array);
void vz_shards_forget(vz_array *array); /* the indexes, and what is open */
void vz_shards_drop(vz_array *array);   /* those and what waits */
uint64_t vz_shards_dirty_bytes(const vz_array *array);

/* Where the bytes of a stored chunk are: at hand (`bytes`, in the worker's scratch), as it waits to be written or its
 * shard was decoded as a whole, or in the version of the shard that is held. Runs in workers, as do the next three. */
typedef struct vz_held vz_held;
typedef struct vz_shard_part {
    bool found;
    bool at_hand;
    vz_bytes bytes;
    uint64_t offset, size; /* in the shard */
    vz_held *held;         /* NULL: none was looked into */
} vz_shard_part;
/* vz_shard_leave follows, also after a failure. */
bool vz_shard_locate(vz_array *array, const uint64_t *chunk, vz_shard_part *part, unsigned worker, vz_error *err);
/* Ranges of the shard in which the part was found. */
bool vz_shard_read(vz_array *array, const vz_shard_part *part, const vz_range *ranges, size_t count, vz_buffer *out,
                   vz_error *err);
/* Done with a part. `failed`: what was read made no sense; true: a writer changed the shard meanwhile, and the next
 * look meets a later version. */
bool vz_shard_leave(vz_array *array, vz_shard_part *part, bool failed);
/* Stores a chunk: it waits until its shard is written. No bytes: it is to be missing. */
bool vz_shard_store(vz_array *array, const uint64_t *chunk, const vz_bytes *bytes, vz_error *err);

/* ---- writing (shard_write.c); on the caller's thread ---- */

/* Writes the shards all of whose chunks wait; with `all`, every other one too, merged with what the store has. */
bool vz_shards_write(vz_array *array, bool all, vz_error *err);
/* The array's shape changed: which chunks make a shard complete is another question now. */
void vz_shards_reshaped(vz_array *array);
/* Forgets waiting chunks that lie outside of the array. */
void vz_shards_drop_outside(vz_array *array);

#endif
