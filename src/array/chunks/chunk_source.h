/* chunk_source.h - how the chunks of an array lie in its store: each under a key of its own (unsharded_chunks.c), or in
 * shards (shard.c). Chosen when the array opens; who reads and writes chunks does not ask which it is. */
#ifndef VZ_CHUNKS_CHUNK_SOURCE_H
#define VZ_CHUNKS_CHUNK_SOURCE_H

#include "store/store/request_one.h"
#include "array/chunks/partial_write.h"

typedef struct vz_array vz_array;

/* Where the stored bytes of a chunk are. */
typedef struct vz_chunk_place {
    enum { VZ_PLACE_MISSING, VZ_PLACE_AT_HAND, VZ_PLACE_VALUE, VZ_PLACE_RANGE } kind;
    const char *key;       /* of the value that has them, or should; in the arena of who asked */
    vz_bytes bytes;        /* AT_HAND: as they are until other places are asked for, or the chunk is stored */
    uint64_t offset, size; /* RANGE: of the value */
    vz_version version;    /* RANGE: in which version of it */
} vz_chunk_place;

/* Looking up where chunks of an array are, in rounds of requests (locate_chunks.c). */
typedef struct vz_lookup {
    vz_array *array;
    const uint64_t *const *chunks;
    size_t count; /* of chunks. Then: the first so many have a place; fewer, where it takes memory to look up more at a
                     time, but one at least */
    bool confirmed; /* places are told as they are now; else one that is read later may be another chunk's by then */
    vz_chunk_place *places;
    vz_arena *arena; /* what places point to */
    size_t most;     /* values that may be held open for it; 0: as many as the store can */
    vz_error error;  /* VZ_CHANGED: somebody changed what was looked at meanwhile */
    /* between the source's functions: */
    void *state;
    vz_request *requests; /* of the next round */
    size_t request_count;
    vz_error round_failed; /* why requests of the last round have no answer */
} vz_lookup;

typedef struct vz_chunk_source {
    /* A lookup begins, is asked again and again what the next round is (no requests: there is none) and ends, also
     * after a failure; false with its error set. All but `answer`, which takes one of a round and runs in workers, on
     * the caller's thread. NULL but for `begin`: it takes no round. */
    bool (*begin)(vz_lookup *lookup);
    bool (*ask)(vz_lookup *lookup);
    void (*answer)(vz_lookup *lookup, const vz_request *request, unsigned worker);
    bool (*end)(vz_lookup *lookup);
    /* What was read there made no sense, or is another version by now: true if the next look may tell another place. On
     * the caller's thread. */
    bool (*moved)(vz_array *array, const vz_chunk_place *place);
    /* Stores a chunk's bytes, or lets it be missing (NULL): at once, or when its shard is written. With a change (of
     * kind PART) only that part of them, over what is there then. Runs in workers. */
    bool (*store)(vz_array *array, const uint64_t *chunk, const vz_bytes *bytes, vz_chunk_change *change,
                  unsigned worker, vz_error *err);
    /* The same at once of all of its bytes, written from where their parts lie, in a store that can (put_parts). NULL:
     * they are stored from one place. */
    bool (*store_parts)(vz_array *array, const uint64_t *chunk, vz_parts parts, vz_error *err);
    /* Bytes of the stored chunk. */
    bool (*size)(vz_array *array, const uint64_t *chunk, uint64_t *size, bool *found, vz_error *err);
} vz_chunk_source;

/* A lookup of that many chunks, neither confirmed nor with a limit to what it holds open. Member by member, as its
 * errors are large. */
static inline void vz_lookup_begin(vz_lookup *lookup, vz_array *array, const uint64_t *const *chunks, size_t count,
                                   vz_chunk_place *places, vz_arena *arena)
{
    lookup->array = array;
    lookup->chunks = chunks;
    lookup->count = count;
    lookup->confirmed = false;
    lookup->places = places;
    lookup->arena = arena;
    lookup->most = 0;
    lookup->error = VZ_ERROR_NONE;
    lookup->state = NULL;
    lookup->requests = NULL;
    lookup->request_count = 0;
    lookup->round_failed = VZ_ERROR_NONE;
}

/* Several lookups, of different arrays, whose rounds are under way together. False: some failed, which their errors
 * tell. */
bool vz_lookups_run(vz_lookup *lookups, size_t count);
/* One of confirmed places, once more where something was changed meanwhile. */
bool vz_lookup_now(vz_array *array, const uint64_t *const *chunks, size_t *count, vz_chunk_place *places,
                   vz_arena *arena, vz_error *err);

extern const vz_chunk_source vz_chunks_plain;     /* unsharded_chunks.c */
extern const vz_chunk_source vz_chunks_in_shards; /* shard.c */

#endif
