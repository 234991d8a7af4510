/* chunks_internal.h - stored chunks: partial writes, the chunk cache, chunk sources, fetches,
 * batches. */
#ifndef VZ_CHUNKS_CHUNKS_INTERNAL_H
#define VZ_CHUNKS_CHUNKS_INTERNAL_H

#include "base/util/hash.h"
#include "store/store/request.h"
#include "store/store/store.h"

/* -- Partial write --
 * The elements of a chunk that a writer changed. The rest keeps the changes of other processes. */
typedef struct vz_array vz_array;

typedef struct vz_chunk_change {
    enum {
        VZ_CHANGE_NONE,
        VZ_CHANGE_WHOLE, /* all of it is the writer's */
        VZ_CHANGE_PART,  /* the elements that `written` tells are */
    } kind;
    uint64_t *written; /* PART: a bit for each element of the chunk, in its own order */
    /* The source of the rest: */
    enum { VZ_BASE_UNKNOWN, VZ_BASE_MISSING, VZ_BASE_VERSION } base;
    vz_version version; /* VERSION: of the value that the chunk lay in */
    bool fills;         /* it is stored although all of it is fill */
    bool merged;        /* when it was stored: the rest is not what the writer knew */
    vz_version stored;  /* when it was stored: what it is now; size 0: not known */
} vz_chunk_change;

/* The rest is what the store has, found or missing, in that version; nothing of it is changed
 * yet. */
void vz_change_begin(vz_chunk_change *change, bool found, const vz_version *version);
/* No longer known, once it was stored, or forgotten. */
void vz_change_clear(vz_chunk_change *change);
/* All of the chunk is the writer's now. */
void vz_change_whole(vz_chunk_change *change);
/* Adds `length` elements from `first` on, of `count` that the chunk has. */
bool vz_change_run(vz_chunk_change *change, uint64_t first, uint64_t length, uint64_t count, vz_error *err);
/* Adds what another change of the same chunk, made on top of this one, has written. */
bool vz_change_add(vz_chunk_change *change, const vz_chunk_change *more, uint64_t count, vz_error *err);
/* Is what the store has now (found or missing, that version) what the rest was taken from? Only
 * where that is sure. */
bool vz_change_is_of(const vz_chunk_change *change, bool found, const vz_version *version);

/* The stored form of a chunk that has our written elements and, for the rest, theirs; no bytes: all
 * of it is fill. Appended to the empty `out`. Runs in workers. */
bool vz_change_merge(vz_array *array, const uint64_t *chunk, const vz_chunk_change *change, const vz_bytes *ours,
                     const vz_bytes *theirs, vz_buffer *out, unsigned worker, vz_error *err);

/* -- Chunk cache --
 * Decoded chunks of one array, by coordinates, in order of use. It knows no store: its user writes
 * dirty chunks. Not thread-safe; a worker may fill the entry it was given. */
typedef struct vz_cached {
    struct vz_cached *newer, *older; /* order of use */
    size_t position;                 /* in the cache's entries */
    uint8_t *data;                   /* the decoded chunk; NULL until vz_cached_data */
    vz_arena arena;                  /* object arrays: the items' bytes */
    uint64_t live;                   /* bytes of all items; the arena's other bytes are waste */
    size_t cost;                     /* bytes as the cache counts them */
    bool ready;                      /* data holds the chunk */
    bool dirty;
    unsigned pins;          /* transfers under way that use it */
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

/* Forgets clean unpinned entries, oldest first, until `room` more bytes fit the budget. With `keep`
 * the newest entry stays however large it is. */
void vz_cache_trim(vz_chunk_cache *cache, uint64_t room, bool keep);

/* -- Chunk source --
 * How the chunks of an array lie in its store: each under a key of its own (unsharded_chunks.c), or
 * in shards (shard.c). Chosen when the array opens. Code that reads and writes chunks does not ask
 * which source it is. */
typedef struct vz_array vz_array;

/* Where the stored bytes of a chunk are. */
typedef struct vz_chunk_place {
    enum { VZ_PLACE_MISSING, VZ_PLACE_AT_HAND, VZ_PLACE_VALUE, VZ_PLACE_RANGE } kind;
    const char *key;       /* of the value that has them, or should; in the caller's arena */
    vz_bytes bytes;        /* AT_HAND: as they are until other places are asked for, or the chunk is
                            * stored */
    uint64_t offset, size; /* RANGE: of the value */
    vz_version version;    /* RANGE: in which version of it */
} vz_chunk_place;

/* Looking up where chunks of an array are, in rounds of requests (locate_chunks.c). */
typedef struct vz_lookup {
    vz_array *array;
    const uint64_t *const *chunks;
    size_t count;   /* of chunks. Then: the first so many have a place; fewer, where it takes memory
                     * to look up more at a time, but one at least */
    bool confirmed; /* places are current; otherwise a place that is read later may be another
                     * chunk's by then */
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
    /* A lookup begins, and is asked again and again for the next round (no requests: there is
     * none). It ends, also after a failure; false with its error set. All but `answer`, which takes
     * one of a round and runs in workers, on the caller's thread. NULL but for `begin`: it takes no
     * round. */
    bool (*begin)(vz_lookup *lookup);
    bool (*ask)(vz_lookup *lookup);
    void (*answer)(vz_lookup *lookup, const vz_request *request, unsigned worker);
    bool (*end)(vz_lookup *lookup);
    /* The bytes read there made no sense, or have another version by now. True if another lookup
     * may find another place. On the caller's thread. */
    bool (*moved)(vz_array *array, const vz_chunk_place *place);
    /* Stores a chunk's bytes, or lets it be missing (NULL): at once, or when its shard is written.
     * With a change (of kind PART) only that part of them, over what is there then. Runs in
     * workers. */
    bool (*store)(vz_array *array, const uint64_t *chunk, const vz_bytes *bytes, vz_chunk_change *change,
                  unsigned worker, vz_error *err);
    /* Stores all bytes of a chunk at once from the places where its parts lie, in a store that can
     * (put_parts). NULL: the bytes are stored from one place. */
    bool (*store_parts)(vz_array *array, const uint64_t *chunk, vz_parts parts, vz_error *err);
    /* Bytes of the stored chunk. */
    bool (*size)(vz_array *array, const uint64_t *chunk, uint64_t *size, bool *found, vz_error *err);
} vz_chunk_source;

/* A lookup of that many chunks, neither confirmed nor with a limit to what it holds open. Member by
 * member, as its errors are large. */
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

/* Several lookups, of different arrays, whose rounds are under way together. False: some failed,
 * which their errors tell. */
bool vz_lookups_run(vz_lookup *lookups, size_t count);
/* One of confirmed places, once more where something was changed meanwhile. */
bool vz_lookup_now(vz_array *array, const uint64_t *const *chunks, size_t *count, vz_chunk_place *places,
                   vz_arena *arena, vz_error *err);

extern const vz_chunk_source vz_chunks_plain;     /* unsharded_chunks.c */
extern const vz_chunk_source vz_chunks_in_shards; /* shard.c */

/* -- Fetch --
 * The stored bytes of many chunks. Their places are looked up, and their requests are under way
 * together. A worker takes each chunk as its bytes arrive. */
typedef struct vz_array vz_array;

/* Attempts to read a value that a writer replaces meanwhile. Versions of a remote store prove that
 * another writer came. A process that writes parts of a shard there may meet many other writers,
 * one after the other. */
enum { VZ_FETCH_ATTEMPTS = 3, VZ_FETCH_ATTEMPTS_FAR = 100 };
unsigned vz_fetch_attempts(const vz_array *array);

typedef struct vz_fetch {
    const uint64_t *chunk; /* coordinates */
    bool needed;           /* false: nothing is read, it is only taken */
    /* Ranges of the chunk's stored bytes, range i into into[i] (appended); none: all of them.
     * Without `into` (then there are no ranges, or one) what was read stands in `bytes`. */
    const vz_range *ranges; /* VZ_RANGE_AT */
    size_t range_count;
    vz_buffer *into;
    bool is_small;  /* it has a few KiB, and nobody asks for its version */
    bool is_opened; /* range_count is 0: the taker asks for bytes of the version that was found */
    uint64_t most;  /* bytes; a chunk with more is VZ_CORRUPT. 0: there is no limit */
    /* the answer: */
    bool found;
    vz_bytes bytes;     /* while it is taken */
    uint64_t size;      /* bytes, if is_opened */
    const char *key;    /* of the value that it lies in */
    vz_version version; /* of that value; size 0: not known */
} vz_fetch;

/* Takes a chunk whose answer is there. May be called again for the same one, when a writer replaced
 * it meanwhile: then it starts anew. Runs in workers. */
typedef bool (*vz_fetch_take)(void *context, vz_fetch *fetch, size_t index, unsigned worker, vz_error *err);

/* Chunks of one array. */
typedef struct vz_fetch_list {
    vz_array *array;
    vz_fetch *fetches;
    size_t count;
    vz_fetch_take take;
    void *context;
    bool failed; /* the answer: it was one of these */
} vz_fetch_list;

/* Fetches all of them, in any order. The arrays are different ones; they may lie in different
 * stores. Errors name the chunk's key. On the caller's thread, which works too. */
bool vz_fetch_run(vz_fetch_list *lists, size_t count, vz_error *err);
/* Of one array. */
bool vz_fetch_one(vz_array *array, vz_fetch *fetches, size_t count, vz_fetch_take take, void *context, vz_error *err);

/* -- Multi batch --
 * Requests of several lists, perhaps of several stores: one batch for each store, pulled by the
 * workers. */
/* Requests of one store. vz_fetch_batch_run owns them until it returns, and gives their answers to
 * `take` only. */
typedef struct vz_fetch_batch_list {
    vz_store *store;
    vz_request *requests;
    size_t count;
} vz_fetch_batch_list;

typedef struct vz_fetch_batch {
    const vz_fetch_batch_list *lists;
    size_t count;
    void *context;
    /* Takes an answer of the list with this number. False: no more answers are wanted. Runs in
     * workers. */
    bool (*take)(void *context, size_t list, const vz_request *request, unsigned worker);
    /* Runs in each worker before it pulls answers; false as above. NULL: nothing. */
    bool (*begin)(void *context, unsigned worker);
    size_t tasks;   /* of `begin`, to tell how many workers are worth waking */
    uint64_t bytes; /* that all of this is about, to tell whether any is (vz_chunks_bytes) */
} vz_fetch_batch;

/* On the caller's thread, which works too. False: a request failed (as it says itself), or there
 * was no memory to begin (then nothing was taken); err tells the first failure. */
bool vz_fetch_batch_run(const vz_fetch_batch *ask, vz_error *err);

#endif
