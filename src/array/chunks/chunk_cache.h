/* chunk_cache.h - decoded chunks of one array, by coordinates, in order of use. It knows no store: writing dirty chunks
 * is its user's business. Not thread-safe; a worker may fill the entry it was given. */
#ifndef VZ_CHUNKS_CHUNK_CACHE_H
#define VZ_CHUNKS_CHUNK_CACHE_H

#include "array/chunks/partial_write.h"
#include "base/util/hash_index.h"

typedef struct vz_cached {
    struct vz_cached *newer, *older; /* order of use */
    size_t position;                 /* in the cache's entries */
    uint8_t *data;                   /* the decoded chunk; NULL until vz_cached_data */
    vz_arena arena;                  /* object arrays: the items' bytes */
    uint64_t live;                   /* bytes of all items; the arena's other bytes are waste */
    size_t cost;                     /* bytes as the cache counts them */
    bool ready;                      /* data holds the chunk */
    bool dirty;
    bool pinned;            /* in use by the current transfer */
    bool erase;             /* written back as "not there": its key must be deleted */
    bool written;           /* by the current write-back */
    vz_chunk_change change; /* what of it is to be stored */
    uint64_t chunk[];       /* coordinates */
} vz_cached;

typedef struct vz_chunk_cache {
    unsigned rank;
    size_t chunk_size; /* bytes of a decoded chunk */
    size_t budget;     /* bytes */
    uint64_t bytes, dirty_bytes;
    size_t count;
    vz_cached *newest, *oldest;
    vz_cached **entries; /* in no order */
    size_t capacity;
    vz_hash_index *index;
    uint8_t *spares[16]; /* data of evicted chunks, for the next ones: fresh pages are dear */
    unsigned spare_count;
} vz_chunk_cache;

void vz_cache_init(vz_chunk_cache *cache, unsigned rank, size_t chunk_size, size_t budget);
void vz_cache_clear(vz_chunk_cache *cache);

/* The entry, now the newest, or NULL. */
vz_cached *vz_cache_find(vz_chunk_cache *cache, const uint64_t *chunk);
/* A new, pinned entry that is not ready, for a chunk that is not there yet. */
vz_cached *vz_cache_add(vz_chunk_cache *cache, const uint64_t *chunk, vz_error *err);
void vz_cache_remove(vz_chunk_cache *cache, vz_cached *entry);

/* Gives the entry memory for its chunk. May run in the worker that was given the entry. */
bool vz_cached_data(const vz_chunk_cache *cache, vz_cached *entry, vz_error *err);
/* Counts the entry's bytes anew after its arena changed, or whether it is dirty. */
void vz_cache_recount(vz_chunk_cache *cache, vz_cached *entry, bool dirty);
/* Bytes that one more chunk costs. */
size_t vz_cache_cost(const vz_chunk_cache *cache);

/* Forgets clean unpinned entries, oldest first, until `room` more bytes fit the budget. With `keep` the newest entry
 * stays however large it is. */
void vz_cache_trim(vz_chunk_cache *cache, uint64_t room, bool keep);

#endif
