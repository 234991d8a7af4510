/* chunk_source.h - how the chunks of an array lie in its store: each under a key of its own (chunk_plain.c), or in
 * shards (shard.c). Chosen when the array opens; who reads and writes chunks does not ask which it is. */
#ifndef VZ_ZARR_CHUNK_SOURCE_H
#define VZ_ZARR_CHUNK_SOURCE_H

#include "store/request.h"
#include "array/chunk_change.h"

typedef struct vz_array vz_array;

/* Where the stored bytes of a chunk are. */
typedef struct vz_chunk_place {
    enum { VZ_PLACE_MISSING, VZ_PLACE_AT_HAND, VZ_PLACE_VALUE, VZ_PLACE_RANGE } kind;
    const char *key;       /* of the value that has them, or should; in the arena of who asked */
    vz_bytes bytes;        /* AT_HAND: as they are until other places are asked for, or the chunk is stored */
    uint64_t offset, size; /* RANGE: of the value */
    vz_version version;    /* RANGE: in which version of it */
} vz_chunk_place;

typedef struct vz_chunk_source {
    /* The places of the first so many of *count chunks: fewer, where it takes memory to have more at a time, but one at
     * least. `confirmed`: as they are now; else a place that is read later may turn out to be another one's by then. On
     * the caller's thread; asks the store in rounds, each of many requests at once. VZ_CHANGED: somebody changed what
     * was looked at meanwhile. */
    bool (*locate)(vz_array *array, const uint64_t *const *chunks, size_t *count, bool confirmed,
                   vz_chunk_place *places, vz_arena *arena, vz_error *err);
    /* What was read there made no sense, or is another version by now: true if the next look may tell another place. On
     * the caller's thread. */
    bool (*moved)(vz_array *array, const vz_chunk_place *place);
    /* Stores a chunk's bytes, or lets it be missing (NULL): at once, or when its shard is written. With a change (of
     * kind PART) only that part of them, over what is there then. Runs in workers. */
    bool (*store)(vz_array *array, const uint64_t *chunk, const vz_bytes *bytes, vz_chunk_change *change,
                  unsigned worker, vz_error *err);
    /* Bytes of the stored chunk. */
    bool (*size)(vz_array *array, const uint64_t *chunk, uint64_t *size, bool *found, vz_error *err);
} vz_chunk_source;

extern const vz_chunk_source vz_chunks_plain;     /* chunk_plain.c */
extern const vz_chunk_source vz_chunks_in_shards; /* shard.c */

#endif
