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
typedef struct vz_recent {
    uint64_t hash, read; /* of its coordinates; which read it was */
    uint64_t paid;       /* without codecs: what its parts cost, in bytes */
} vz_recent;

/* The stored form of a chunk, where the codec has a plain form. */
typedef enum vz_form { VZ_FORM_UNKNOWN, VZ_FORM_PLAIN, VZ_FORM_ENCODED } vz_form;

struct vz_array {
    vz_store *store;
    const vz_meta *meta;
    char *prefix;
    bool owns_store; /* see vz_array_own_store */
    bool skip_fill;
    bool zeros; /* chunks begin with zeros rather than fill */
    bool objects;
    bool raw;                      /* a chunk's stored bytes are its decoded bytes */
    atomic_int form;               /* vz_form of the chunk that was looked at last */
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
    vz_recent *recent;                /* VZ_RECENT_CHUNKS of them by hash; NULL until one is
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
uint64_t vz_chunk_most(const vz_array *array);

/* Of a raw chunk that was fetched as a whole: does it have the bytes that it must have? */
bool vz_chunk_check_raw(const vz_array *array, const vz_fetch *fetch, vz_error *err);

/* Adds the elements of a piece to what is written. */
bool vz_change_piece(vz_chunk_change *change, const vz_box_strides *layout, const vz_selection_in_chunk *piece,
                     vz_error *err);

/* Encodes and stores a decoded chunk: all of it, or the part that the change tells (NULL: all).
 * *erase=true: it equals the fill and is to be deleted instead, by vz_chunks_erase on the caller's
 * thread. */
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

/* ---- transfers (transfer.c) ---- */

typedef enum vz_chunk_way {
    VZ_WAY_WHOLE,  /* all of the chunk is wanted: straight to or from the buffer where it can be,
                    * else by scratch */
    VZ_WAY_ENTRY,  /* in the cache: job->entry */
    VZ_WAY_STAGED, /* part of it, by scratch; not kept */
    VZ_WAY_RANGE,  /* read: the bytes from low to high, by scratch */
    VZ_WAY_ROWS,   /* read of a raw chunk: stretches straight into the buffer */
} vz_chunk_way;

typedef struct vz_job {
    vz_selection_in_chunk piece;
    vz_chunk_way way;
    vz_chunk_way otherwise; /* the way when the cache has no room for it */
    vz_cached *entry;
    uint64_t low, high; /* bytes of the decoded chunk */
    size_t rows;
    vz_range range; /* what is fetched, and where to: one, or as many as there are rows */
    vz_buffer into;
    vz_range *row_ranges;
    vz_buffer *row_places;
    uint8_t *place; /* of the bytes from low to high, which are read in parts when all is opened;
                     * NULL: it is not */
    bool is_plain;  /* of those: the chunk is stored so */
    /* what the worker found and did: */
    bool missing, direct, staged, touched, erase;
} vz_job;

/* The jobs of a region: those of one batch. */
typedef struct vz_chunk_region_jobs {
    vz_region_walk walk;
    vz_job *jobs;
    vz_fetch *fetches; /* one for each job */
    uint64_t *chunks;  /* rank for each job */
    vz_span *spans;
    size_t capacity;
    bool waits; /* the chunk that the walk has come to begins the next batch */
} vz_chunk_region_jobs;

typedef struct vz_run_cutter vz_run_cutter;

/* A read or write, with its batch of jobs. */
typedef struct vz_work {
    vz_array *array;
    const vz_transfer *transfer;
    vz_box_strides layout;
    uint8_t *fill;    /* one fill element, as what fills the buffer wants it (reads) */
    vz_arena *arenas; /* one for each worker (items) */
    unsigned width;
    vz_job *jobs;
    vz_fetch *fetches; /* one for each job */
    size_t job_count;
    /* where the next jobs come from (transfer_plan.c): */
    vz_chunk_region_jobs *region; /* NULL: runs */
    vz_chunk_region_jobs *room;   /* memory of the caller's for them, or NULL */
    vz_run_cutter *cutter;
    bool open, reading;
    size_t number; /* of the transfer */
} vz_work;

/* The steps of each batch of a transfer. */
typedef struct vz_work_steps {
    bool (*plan)(vz_work *work, vz_error *err); /* the way of each job, and its fetch */
    vz_fetch_take take;                         /* a job whose fetch is answered: context is the
                                                 * work */
    /* When all are taken, or not (ok = false); also after `plan` failed. err is NULL where nobody
     * asks any more. */
    bool (*finish)(vz_work *work, bool ok, vz_error *err);
} vz_work_steps;

/* Checks the transfers, cuts them into batches of jobs, and fetches those of many transfers
 * together. *failed: number of the one that did. */
bool vz_transfers_run(const vz_array_transfer *list, size_t count, bool reading, const vz_work_steps *steps,
                      size_t *failed, vz_error *err);

/* transfer_plan.c */
/* Checks the transfer and begins it; to be closed also on failure. room: see vz_work. */
bool vz_work_open(vz_work *work, const vz_array_transfer *of, bool reading, vz_chunk_region_jobs *room, vz_error *err);
bool vz_work_next(vz_work *work, vz_error *err); /* the jobs of the next batch; no jobs: it is
                                                  * done */
void vz_work_close(vz_work *work, bool reading);

/* After a batch, failed or not: its entries are unpinned, counted anew, and forgotten if they never
 * became ready. */
void vz_work_finish(vz_work *work);

/* Of a batch that is written, with its ways: shards all of whose chunks it has are put as soon as
 * the last one is stored, so that few wait at a time (shard_complete.c). */
bool vz_shards_await(vz_work *work, vz_error *err);

/* Jobs on their way to the cache that have no entry yet. */
size_t vz_work_wanted(const vz_work *work);

/* The last `most` of those get one; the others go the other way. */
bool vz_work_keep_last(vz_work *work, size_t most, vz_error *err);

/* Of a batch that is read: the way of each job, with entries of the cache where they shall be kept
 * (read_plan.c). */
bool vz_read_plan(vz_work *work, vz_error *err);
bool vz_read_prepare(vz_work *work, vz_error *err); /* then the fetch of each */

/* Is all of the job's chunk wanted as it is? Then *place is where. */
bool vz_read_is_direct(const vz_work *work, const vz_job *job, uint8_t **place);

/* Decodes what the piece wants of a chunk, and what is decoded along with it, to its place in
 * `into` (chunk_size bytes); the rest of `into` is undefined. Else as vz_chunk_decode.
 * (decode_part.c) */
bool vz_chunk_decode_piece(const vz_work *work, const vz_job *job, vz_bytes stored, uint8_t *into, vz_arena *arena,
                           unsigned worker, vz_error *err);

/* The same straight into the buffer, if its stretches can be decoded there. False, without an
 * error: they cannot. */
bool vz_chunk_decode_rows(const vz_work *work, vz_job *job, vz_bytes stored, unsigned worker);

/* ---- stretches of a chunk straight into the buffer (contiguous_rows.c) ---- */

/* Can the piece be read so, as few stretches or long ones? As less than the range in which they
 * lie? Each tells job->rows, as does the next one. */
bool vz_rows_are_worth(const vz_work *work, vz_job *job);
bool vz_rows_are_less(const vz_work *work, vz_job *job);

/* Is all of a chunk wanted as long stretches, which the store reads without a copy? */
bool vz_rows_are_all(const vz_work *work, vz_job *job);

/* After one of these: job->row_ranges and row_places, job->rows of each; the chunk's bytes begin
 * behind `head`. */
bool vz_rows_list(const vz_work *work, vz_job *job, uint64_t head, vz_error *err);
void vz_rows_forget(vz_job *job);

/* Of a chunk that is written: all of it as long stretches of the buffer, as they follow each other
 * in the chunk; they are listed in `memory`. False, without an error: it is not so, or it may not
 * be stored so. */
bool vz_rows_are_parts(const vz_work *work, vz_job *job, vz_buffer *memory, vz_parts *parts);

/* The piece as at most so many long stretches, each with its place in the buffer: how many, 0 if it
 * is none of these. */
size_t vz_rows_parts(const vz_work *work, vz_job *job, vz_codec_part *parts, size_t most);

/* ---- a long stretch of a chunk, by all workers (parallel_read.c) ---- */

/* Bytes from low to high of the decoded chunk go to `place`: sets job->place if it is worth reading
 * them in parts. */
void vz_divide(const vz_work *work, vz_job *job, uint8_t *place, uint64_t low, uint64_t high);

/* Can a chunk be decoded in such parts, of which so many bytes are decoded together, with no more
 * read for each? */
bool vz_divide_fits(const vz_array *array, size_t unit);

/* Reads a job's parts, of the version that its fetch met; on the caller's thread. False: it is to
 * be read as others are, which tells why. */
bool vz_divided_read(const vz_work *work, size_t number, vz_error *err);

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

/* Moves elements with the transfer's conversion, or between items and texts; arena: items with
 * their bytes (objects), or NULL: as they are. */
vz_mover vz_work_mover(const vz_work *work, vz_arena *arena, uint64_t *live);

#endif
