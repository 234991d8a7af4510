/* transfer_work.h - a read or write under way: its jobs, one a chunk, and the way of each. */
#ifndef VZ_CHUNKS_TRANSFER_WORK_H
#define VZ_CHUNKS_TRANSFER_WORK_H

#include "array/chunks/array_state.h"

/* ---- transfers (transfer.c) ---- */

typedef enum vz_chunk_way {
    VZ_WAY_WHOLE,  /* all of the chunk is wanted: straight to or from the buffer where it can be,
                    * else by scratch */
    VZ_WAY_ENTRY,  /* in the cache: job->entry */
    VZ_WAY_STAGED, /* part of it, by scratch; not kept */
    VZ_WAY_RANGE,  /* read: the bytes from low to high, by scratch */
    VZ_WAY_ROWS,   /* read of a raw chunk: stretches straight into the buffer */
} vz_chunk_way;

typedef struct vz_work_job {
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
} vz_work_job;

/* The jobs of a region: those of one batch. */
typedef struct vz_chunk_region_jobs {
    vz_region_walk walk;
    vz_work_job *jobs;
    vz_fetch *fetches; /* one for each job */
    uint64_t *chunks;  /* rank for each job */
    vz_span *spans;
    size_t capacity;
    bool waits; /* the chunk that the walk has come to begins the next batch */
} vz_chunk_region_jobs;

/* A read or write, with its batch of jobs. */
typedef struct vz_work {
    vz_array *array;
    const vz_transfer *transfer;
    vz_box_strides layout;
    uint8_t *fill;    /* one fill element, as what fills the buffer wants it (reads) */
    vz_arena *arenas; /* one for each worker (items) */
    unsigned width;
    vz_work_job *jobs;
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
    bool repeats; /* an array may occur more than once */
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

/* Of a batch that is written, with its ways. A shard all of whose chunks are in the batch is put as
 * soon as its last one is stored. So few shards wait at a time (shard_complete.c). */
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
bool vz_read_is_direct(const vz_work *work, const vz_work_job *job, uint8_t **place);

/* Asks for large pages where the read fills much memory from end to end (large_pages.c). */
void vz_read_ask_large_pages(const vz_transfer *transfer);

/* Decodes what the piece wants of a chunk, and what is decoded along with it, to its place in
 * `into` (chunk_size bytes). The rest of `into` is undefined. Else as vz_chunk_decode.
 * (decode_part.c) */
bool vz_chunk_decode_piece(const vz_work *work, const vz_work_job *job, vz_bytes stored, uint8_t *into, vz_arena *arena,
                           unsigned worker, vz_error *err);

/* Decodes straight into the buffer, if its stretches can be decoded there. False, without an
 * error: they cannot. */
bool vz_chunk_decode_rows(const vz_work *work, vz_work_job *job, vz_bytes stored, unsigned worker);

/* ---- stretches of a chunk straight into the buffer (contiguous_rows.c) ---- */

/* Can the piece be read so, as few stretches or long ones? As less than the range in which they
 * lie? Each tells job->rows, as does the next one. */
bool vz_rows_are_worth(const vz_work *work, vz_work_job *job);
bool vz_rows_are_less(const vz_work *work, vz_work_job *job);

/* Is all of a chunk wanted as long stretches, which the store reads without a copy? */
bool vz_rows_are_all(const vz_work *work, vz_work_job *job);

/* After one of these: job->row_ranges and row_places, job->rows of each; the chunk's bytes begin
 * behind `head`. */
bool vz_rows_list(const vz_work *work, vz_work_job *job, uint64_t head, vz_error *err);
void vz_rows_forget(vz_work_job *job);

/* Of a chunk that is written: all of it as long stretches of the buffer, in their order in the
 * chunk. They are listed in `memory`. False, without an error: it is not so, or it may not be
 * stored so. */
bool vz_rows_are_parts(const vz_work *work, vz_work_job *job, vz_buffer *memory, vz_parts *parts);

/* The piece as at most so many long stretches, each with its place in the buffer: how many, 0 if it
 * is none of these. */
size_t vz_rows_parts(const vz_work *work, vz_work_job *job, vz_codec_part *parts, size_t most);

/* ---- a long stretch of a chunk, by all workers (parallel_read.c) ---- */

/* Bytes from low to high of the decoded chunk go to `place`: sets job->place if it is worth reading
 * them in parts. */
void vz_work_divide(const vz_work *work, vz_work_job *job, uint8_t *place, uint64_t low, uint64_t high);

/* Can a chunk be decoded in such parts, of which so many bytes are decoded together, with no more
 * read for each? */
bool vz_work_divide_fits(const vz_array *array, size_t unit);

/* Reads a job's parts, of the version that its fetch met; on the caller's thread. False: it is to
 * be read as others are, which tells why. */
bool vz_work_read_divided(const vz_work *work, size_t number, vz_error *err);

/* Moves elements with the transfer's conversion, or between items and texts; arena: items with
 * their bytes (objects), or NULL: as they are. */
vz_mover vz_work_mover(const vz_work *work, vz_arena *arena, uint64_t *live);

#endif
