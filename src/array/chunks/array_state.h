/* array_state.h - the state of an open array, shared by chunks and array. */
#ifndef VZ_CHUNKS_ARRAY_STATE_H
#define VZ_CHUNKS_ARRAY_STATE_H

#include "array/chunks/array_types.h"
#include "array/numeric/numeric.h"
#include "codec/chain/chain.h"
#include "array/chunks/chunks_internal.h"
#include "array/selection/selection.h"
#include "array/chunks/shard.h"
#include "base/os/thread.h"

enum {
    VZ_CHUNK_KEY_MAX = 8192, /* bytes of a chunk's key; a longer one is VZ_LIMIT */
    VZ_SCRATCH_STORED = 0,   /* slots of vz_pool_scratch; the chain has the other two */
    VZ_SCRATCH_CHUNK = 1,
    VZ_RECENT_CHUNKS = 64,
    VZ_REGION_BATCH = 1024,                  /* chunks of a transfer that are under way at a time */
    VZ_CHUNKS_AT_ONCE = 2 * VZ_REGION_BATCH, /* of all transfers of a plan: no other one begins
                                              * after half of them */
    VZ_CHUNK_NOTE = 128,                     /* bytes: a chunk's name below its array, and its place
                                              * in tables */
};

/* A chunk that was read in part without being kept. */
typedef struct vz_chunk_recent_read {
    uint64_t hash, read; /* of its coordinates; which read it was */
    uint64_t paid;       /* without codecs: what its parts cost, in bytes */
} vz_chunk_recent_read;

/* The stored form of a chunk, where the codec has a plain form. */
typedef enum vz_chunk_stored_form { VZ_FORM_UNKNOWN, VZ_FORM_PLAIN, VZ_FORM_ENCODED } vz_chunk_stored_form;

struct vz_array {
    vz_store *store;
    const vz_meta *meta;
    char *prefix;
    bool owns_store; /* see vz_array_own_store */
    bool skip_fill;
    bool zeros; /* chunks begin with zeros rather than fill */
    bool objects;
    bool raw;                      /* a chunk's stored bytes are its decoded bytes */
    atomic_int form;               /* vz_chunk_stored_form of the chunk that was looked at last */
    const vz_chunk_source *source; /* where chunks lie */
    vz_shards *shards;             /* of the source; NULL: each chunk has a key of its own */
    bool rounding_is_set;          /* is it known whether chunks are rounded? */
    bool rounds;
    vz_rounding rounding;        /* if it rounds */
    uint64_t chunk_max;          /* see vz_array_set_chunk_max */
    uint64_t reached;            /* elements that the array had in its first chunk before it
                                  * shrank */
    bool keep_is_set;            /* is it known whether chunks may be kept plain? */
    bool keep_dirty;             /* in a forked child: what is dirty is the parent's to write, and
                                  * only read here */
    vz_chunks_document document; /* see vz_array_watch; all zeros: chunks are stored without a
                                  * look */
    const bool *is_new;          /* see vz_array_set_new; NULL: it is not */
    vz_chain chain;
    vz_chunk_cache cache;
    vz_array_counts counts;
    struct vz_array_sharing *sharing; /* while several ranks write it together (ranks_internal.h),
                                       * else NULL */
    bool refuses_parts;               /* see vz_array_refuse_parts */
    uint64_t reads;                   /* plans of reads that were made */
    vz_chunk_recent_read *recent;     /* VZ_RECENT_CHUNKS of them by hash; NULL until one is
                                       * noted */
};

/* chunk_cost.c: the work that so many chunks are, read or stored, in bytes as vz_pool_run_bytes
 * takes them. At most 2^40, so that some of them can be added up. */
uint64_t vz_chunks_bytes(const vz_array *array, size_t count);

/* ---- elements (chunk_elements.c) ---- */

/* For the codecs: numpy's letter of a chunk's numbers (0: they are none), and its shape in the
 * order of places. Shapes of objects stay in the order of dimensions. */
char vz_chunk_kind(const vz_meta *meta);
const uint64_t *vz_chunk_places(const vz_meta *meta, const uint64_t *shape, uint64_t places[VZ_MAX_RANK]);

/* ---- one chunk (decode_chunk.c, encode_chunk.c); these run in workers ---- */

/* Decodes the stored bytes of a chunk to `into` (chunk_size bytes). Object arrays: items whose
 * bytes go to the arena; NULL: they may stay where they were decoded, until this worker decodes
 * something else. */
bool vz_chunk_decode(vz_array *array, const uint64_t *chunk, vz_bytes stored, void *into, vz_arena *arena,
                     unsigned worker, vz_error *err);

/* Bytes that a stored chunk may have; 0: there is no limit. */
uint64_t vz_chunk_stored_max(const vz_array *array);

/* Of a raw chunk that was fetched as a whole: does it have the bytes that it must have? */
bool vz_chunk_check_raw(const vz_array *array, const vz_fetch *fetch, vz_error *err);

/* Adds the elements of a piece to what is written. */
bool vz_change_piece(vz_chunk_change *change, const vz_box_strides *layout, const vz_selection_in_chunk *piece,
                     vz_error *err);

/* Encodes and stores a decoded chunk: all of it, or the part that the change gives (NULL: all). If
 * *erase is true, the chunk equals the fill, and the caller's thread deletes it by
 * vz_chunks_erase. */
bool vz_chunk_store(vz_array *array, const uint64_t *chunk, const void *decoded, vz_chunk_change *change, bool *erase,
                    unsigned worker, vz_error *err);

/* Stores a chunk that holds fill, if the store has none there. */
bool vz_chunk_store_fill(vz_array *array, const uint64_t *chunk, unsigned worker, vz_error *err);

/* Is a request a round trip, so that many of them are better under way together (fill_chunks.c)? */
bool vz_chunks_put_fill_together(const vz_array *array);
/* Does so, of many chunks. `fill`: the stored form of one, made when it is empty; the caller's. On
 * the caller's thread. */
bool vz_chunks_put_fill(vz_array *array, const uint64_t *chunks, size_t count, vz_buffer *fill, vz_error *err);

/* May a whole decoded chunk be stored from the places where its parts lie? Each of whole
 * elements. */
bool vz_chunk_takes_parts(const vz_array *array);
bool vz_chunk_store_parts(vz_array *array, const uint64_t *chunk, vz_parts parts, bool *erase, vz_error *err);

/* ---- on the caller's thread (decode_chunk.c, encode_chunk.c) ---- */

/* Lets these chunks be missing, as one batch of requests. */
bool vz_chunks_erase(vz_array *array, const uint64_t *const *chunks, size_t count, vz_error *err);

/* Appends the stored form of a chunk as it is; what `out` held is gone. */
bool vz_chunk_get_stored(vz_array *array, const uint64_t *chunk, vz_buffer *out, bool *found, vz_error *err);

/* May a decoded chunk take memory? Asked once there is something to decode or to write. */
bool vz_chunk_may_be_large(const vz_array *array, vz_error *err);

/* The whole decoded chunk set to fill. */
void vz_chunk_fill(const vz_array *array, void *decoded);

/* Scratch for one decoded chunk, if it may take memory. */
uint8_t *vz_chunk_scratch(const vz_array *array, unsigned worker, vz_error *err);

/* ---- cached chunks (cache_io.c) ---- */

/* Makes an entry ready by what was fetched of its chunk. Runs in a worker, as do the next three. */
bool vz_cached_decode(vz_array *array, vz_cached *entry, const vz_fetch *fetch, unsigned worker, vz_error *err);

/* Makes an entry ready from a range of the chunk's stored bytes, which are its decoded bytes. */
bool vz_cached_read(vz_array *array, vz_cached *entry, const vz_fetch *fetch, const vz_range *range, vz_error *err);

/* Makes it ready as a chunk that the store has not: all of it is fill. */
bool vz_cached_fill(vz_array *array, vz_cached *entry, vz_error *err);

/* Drops the arena's waste once it outweighs what is used. */
bool vz_cached_compact(const vz_array *array, vz_cached *entry, vz_error *err);

/* Writes these dirty entries in the pool; those that succeed become clean. */
bool vz_cached_write(vz_array *array, vz_cached **entries, size_t count, vz_error *err);

/* Makes room for so many more bytes, writing back what is dirty and old. */
bool vz_cached_make_room(vz_array *array, uint64_t room, vz_error *err);

/* ---- chunks of the store (list_chunks.c) ---- */

typedef struct vz_chunk_list {
    uint64_t *chunks; /* rank coordinates each, in C order */
    size_t count;
} vz_chunk_list;

/* All keys below the array's prefix that are chunk keys, inside the grid or not. */
bool vz_chunk_list_load(vz_array *array, vz_chunk_list *list, vz_error *err);

/* Lists values with keys of their own: shards if there are any, else chunks. The coordinates are
 * theirs. */
bool vz_chunk_list_load_stored(vz_array *array, vz_chunk_list *list, vz_error *err);
void vz_chunk_list_clear(vz_chunk_list *list);

/* ---- chunks of which nothing is read yet (open_chunk.c); these run in workers ---- */

/* May a fetch be one that is_opened? */
bool vz_chunk_may_open(const vz_array *array);

/* Is it in its codec's plain form, or are there no codecs? If not, *unit (NULL: nobody asks): bytes
 * of it that are decoded together, 0: not known. VZ_CHANGED, of all that read: that version is not
 * there any more. */
bool vz_chunk_opened_is_plain(vz_array *array, const vz_fetch *fetch, bool *plain, size_t *unit, vz_error *err);

/* Of one that was read whole: the next ones may be as this one is. */
void vz_chunk_note_form(vz_array *array, vz_bytes stored);

/* Ranges of the stored bytes. */
bool vz_chunk_opened_read(const vz_array *array, const vz_fetch *fetch, const vz_range *ranges, size_t count,
                          vz_buffer *into, vz_error *err);

/* Bytes from low to high of the decoded chunk. */
bool vz_chunk_opened_decode_range(const vz_array *array, const vz_fetch *fetch, uint64_t low, uint64_t high,
                                  uint8_t *into, unsigned worker, vz_error *err);

/* All of it, or of what is there by now: then the fetch is one that is not opened, and answered. */
bool vz_chunk_opened_read_all(const vz_array *array, vz_fetch *fetch, bool now, unsigned worker, vz_error *err);

#endif
