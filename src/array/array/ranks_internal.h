/* ranks_internal.h - several ranks write one array: parts of chunks go to the owners of the chunks.
 * For the rank_*.c files, and for those that write chunks. */
#ifndef VZ_ARRAY_RANKS_INTERNAL_H
#define VZ_ARRAY_RANKS_INTERNAL_H

#include "array/chunks/array_state.h"
#include "base/mpi/comm.h"

/* From vz_array_share_begin to its end. */
typedef struct vz_array_sharing {
    vz_comm *comm;
    bool gathers;         /* this rank still writes: parts are sent, not stored */
    vz_os_mutex lock;     /* of `to`, while workers run */
    vz_buffer *to, *from; /* for each rank */
    size_t budget_before; /* of the array's cache */
} vz_array_sharing;

/* Are parts of chunks, and whole ones in shards, kept for their owners? */
static inline bool vz_owners_gather(const vz_array *array)
{
    return array->sharing && array->sharing->gathers;
}

/* ---- sending (rank_send.c) ---- */

/* Sends the changed elements of `decoded` to the owner of the chunk, which may be this rank. Runs
 * in workers. */
bool vz_owners_send(vz_array *array, const uint64_t *chunk, const vz_chunk_change *change, const uint8_t *decoded,
                    vz_error *err);
/* Sends a dirty entry to its owner and removes it. */
bool vz_owners_send_entry(vz_array *array, vz_cached *entry, vz_error *err);
/* Whatever waits here of chunks and shards that others own, and with `all` also of those that this
 * rank owns. *keeps=true: some of those are left. */
bool vz_owners_send_rest(vz_array *array, bool all, bool *keeps, vz_error *err);

/* The writing is over: discards parts that were not sent. */
void vz_owners_end(vz_array *array);

/* ---- taking (rank_receive.c) ---- */

/* Merges the messages of all ranks chunk by chunk, and stores chunks when the cache is full. */
bool vz_owners_take(vz_array *array, vz_error *err);
/* Parts that make the whole are stored as one: nothing of what is there is read. */
void vz_owners_complete(const vz_array *array, vz_cached *entry);

/* ---- what is sent (rank_messages.c) ---- */

/* This comes first, then the chunk's coordinates. Then follows which elements, unless it is all of
 * them: a bit for each of the chunk, or `runs` of them. Then come `size` bytes: these elements, or
 * the chunk's stored form. */
typedef struct vz_parcel {
    /* in the order in which they are taken */
    enum { VZ_PARCEL_STORED, VZ_PARCEL_MISSING, VZ_PARCEL_ELEMENTS } kind;
    enum { VZ_PARCEL_ALL, VZ_PARCEL_BITS, VZ_PARCEL_RUNS } form;
    uint64_t runs;
    uint64_t size;
} vz_parcel;

typedef struct vz_parcel_run {
    uint32_t first, count;
} vz_parcel_run;

/* Appends head, coordinates and which elements; the caller appends parcel->size bytes. `bits`: NULL
 * for all. Sets `form` and `runs`. */
bool vz_parcel_begin(vz_buffer *to, vz_parcel *parcel, const vz_meta *meta, const uint64_t *chunk, const uint64_t *bits,
                     vz_error *err);
/* The one at `at`, of which `left` bytes came. *before: bytes until those that it carries. */
bool vz_parcel_read(const vz_meta *meta, const uint8_t *at, size_t left, vz_parcel *parcel, uint64_t *chunk,
                    size_t *before, vz_error *err);
/* Its elements as bits, into vz_parcel_bits_size bytes; not of one with all. False: they make no
 * sense. */
bool vz_parcel_bits(const vz_meta *meta, const vz_parcel *parcel, const uint8_t *at, uint64_t *bits);
size_t vz_parcel_bits_size(const vz_meta *meta);
/* The next run of set bits after `run`, which begins as {0, 0}; false: there is none. */
typedef struct vz_array_bit_run {
    uint64_t first, count;
} vz_array_bit_run;
bool vz_array_next_run(const uint64_t *bits, uint64_t count, vz_array_bit_run *run);
uint64_t vz_array_count_bits(const uint64_t *bits, uint64_t count);

#endif
