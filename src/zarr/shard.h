/* shard.h - chunks that lie in shards: found by the shards' indexes, and collected until a shard is written, once and
 * whole. */
#ifndef VZ_ZARR_SHARD_H
#define VZ_ZARR_SHARD_H

#include "store/store.h"
#include "zarr/meta.h"

typedef struct vz_array vz_array;
typedef struct vz_shards vz_shards;

/* ---- the index of one shard (shard_index.c) ---- */

typedef struct vz_shard_entry {
    uint64_t offset, size; /* both UINT64_MAX: there is no such chunk */
} vz_shard_entry;
#define VZ_SHARD_MISSING    ((vz_shard_entry){UINT64_MAX, UINT64_MAX})
#define VZ_SHARD_CHUNKS_MAX ((uint64_t)1 << 24) /* in one shard: beyond it a document is taken for hostile */

/* Entries of a shard of this level; VZ_LIMIT beyond VZ_SHARD_CHUNKS_MAX. */
bool vz_shard_count(const vz_array_meta *meta, unsigned level, uint64_t *count, vz_error *err);
/* Which entry of its shard of this level a chunk (of the whole array's grid) belongs to. */
uint64_t vz_shard_place(const vz_array_meta *meta, unsigned level, const uint64_t *chunk);
/* Coordinates of the shard of the first level. */
void vz_shard_of(const vz_array_meta *meta, const uint64_t *chunk, uint64_t *shard);
size_t vz_shard_index_size(const vz_shard_level *level, uint64_t count);
/* `size`: bytes of the shard, UINT64_MAX if not known: an entry that lies beyond is VZ_CORRUPT. */
bool vz_shard_index_decode(const vz_shard_level *level, vz_bytes index, uint64_t size, vz_shard_entry *entries,
                           uint64_t count, vz_error *err);
void vz_shard_index_encode(const vz_shard_level *level, const vz_shard_entry *entries, uint64_t count, uint8_t *index);

/* ---- the shards of an array (shard.c) ---- */

vz_shards *vz_shards_new(vz_error *err);
void vz_shards_free(vz_shards *shards); /* what is not written too */
/* A transfer begins: what is known of shards is compared with the store once more. */
void vz_shards_begin(vz_array *array);
void vz_shards_forget(vz_array *array); /* the indexes */
void vz_shards_drop(vz_array *array);   /* those and what waits */
uint64_t vz_shards_dirty_bytes(const vz_array *array);

/* Where the bytes of a stored chunk are: in what waits to be written (`bytes`, in the worker's scratch), or in the
 * store. Runs in workers, as do the next two. */
typedef struct vz_shard_part {
    bool found;
    bool waiting;
    vz_bytes bytes;
    uint64_t offset, size; /* in the value of the shard's key */
} vz_shard_part;
bool vz_shard_locate(vz_array *array, const uint64_t *chunk, vz_shard_part *part, unsigned worker, vz_error *err);
/* Stores a chunk: it waits until its shard is written. No bytes: it is to be missing. */
bool vz_shard_store(vz_array *array, const uint64_t *chunk, const vz_bytes *bytes, vz_error *err);

/* ---- writing (shard_write.c); on the caller's thread ---- */

/* Writes the shards all of whose chunks wait; with `all`, every other one too, merged with what the store has. */
bool vz_shards_write(vz_array *array, bool all, vz_error *err);
/* The array's shape changed: which chunks make a shard complete is another question now. */
void vz_shards_reshaped(vz_array *array);

#endif
