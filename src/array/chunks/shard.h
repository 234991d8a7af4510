/* shard.h - chunks that lie in shards: found by the shards' indexes, and collected until a shard is
 * written, once and whole. */
#ifndef VZ_CHUNKS_SHARD_H
#define VZ_CHUNKS_SHARD_H

#include "store/store/store.h"
#include "metadata/metadata/metadata.h"

typedef struct vz_array vz_array;
typedef struct vz_shards vz_shards;

/* ---- the shards of an array (shard.c) ---- */

/* Coordinates of the shard of the first level. */
void vz_shard_of(const vz_meta *meta, const uint64_t *chunk, uint64_t *shard);

vz_shards *vz_shards_new(const vz_meta *meta, vz_error *err);
void vz_shards_free(vz_shards *shards); /* what is not written too */

/* A transfer begins, and ends. In between, the shards that are met stay open in the version that
 * they then have (those of the last windows do). So all chunks of one shard are of one version. */
void vz_shards_begin(vz_array *array);
void vz_shards_end(vz_array *array);
void vz_shards_forget(vz_array *array); /* the indexes */
void vz_shards_drop(vz_array *array);   /* those and what waits */
uint64_t vz_shards_dirty_bytes(const vz_array *array);

/* The array's shape changed: which chunks make a shard complete is another question now. */
void vz_shards_reshaped(vz_array *array);

/* Forgets waiting chunks that lie outside of the array. */
void vz_shards_drop_outside(vz_array *array);

/* The batch is over. False, with err set: of a shard that it did not store all of, what it had is
 * lost. */
bool vz_shards_await_end(vz_array *array, vz_error *err);

/* ---- writing (shard_write.c); on the caller's thread ---- */

/* Writes the shards all of whose chunks wait; with `all`, every other one too, merged with what the
 * store has. */
bool vz_shards_write(vz_array *array, bool all, vz_error *err);

#endif
