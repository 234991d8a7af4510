/* array.h - reading and writing the elements of an array node, in parallel over chunks, through a
 * write-back chunk cache. */
#ifndef VZ_ARRAY_ARRAY_H
#define VZ_ARRAY_ARRAY_H

#include "codec/codec/codec.h"
#include "store/store/store.h"
#include "array/chunks/array_types.h"
#include "array/numeric/numeric.h"

/* `meta` and `store` are borrowed and must outlive the array. Fails (VZ_UNSUPPORTED) when a codec
 * is missing, so that only data access of this node fails. skip_fill: chunks equal to a defined
 * fill value are deleted rather than stored. */
vz_array *vz_array_open(vz_store *store, const vz_meta *meta, const char *prefix, bool skip_fill, vz_error *err);

/* The store is the array's own from now on, and is closed with it. */
void vz_array_own_store(vz_array *array);

/* Drops everything, also what is dirty. NULL is fine. */
void vz_array_close(vz_array *array);

/* Bytes the chunk cache may hold (dirty and clean) between calls; the largest size that a
 * handle asks for counts. */
void vz_array_set_cache(vz_array *array, size_t bytes);
#define VZ_ARRAY_CACHE_DEFAULT ((size_t)8 << 20)

/* A chunk that takes more bytes of memory, and of which the array fills next to nothing
 * (VZ_CHUNK_RATIO), is neither decoded nor written (VZ_LIMIT). Without this call it is
 * VZ_CHUNK_FREE_SIZE. */
void vz_array_set_chunk_max(vz_array *array, uint64_t bytes);

/* New chunks have zeros where nothing is written, instead of fill (HDF5's fill time "never"). */
void vz_array_begin_with_zeros(vz_array *array);

/* From now on the array looks at its document before it stores chunks. It stores none if the
 * document is another array's (VZ_NOT_FOUND), or if the array was made smaller (VZ_INVALID). */
void vz_array_watch(vz_array *array, const vz_chunks_document *document);

/* Is the array at that prefix in the store still the one of the document? It takes a stat, and a
 * read of the document if that is not the one looked at last. Without `at_once` it looks only if
 * the last look is a hundredth of a second old. VZ_NOT_FOUND: the array was deleted, or another one
 * is in its place. */
bool vz_array_document_check(const vz_chunks_document *document, vz_store *store, const vz_meta *meta,
                             const char *prefix, bool at_once, vz_error *err);

/* While *is_new is true, no other process knows of the array: in a remote store, parts of its
 * chunks then need no condition. `is_new` must live as long as the array. */
void vz_array_set_new(vz_array *array, const bool *is_new);

/* The key prefix changed (the node was linked, renamed or moved): later chunk I/O uses the new
 * one. */
bool vz_array_set_prefix(vz_array *array, const char *prefix, vz_error *err);

/* Nobody asked for the compressor: chunks that gain little by it are stored in its plain form, if
 * it has one. */
void vz_array_set_keep(vz_array *array, bool may_keep);
bool vz_array_keep_is_set(const vz_array *array); /* was it said, either way? */

/* Rounds chunks that are stored from now on; NULL: nothing is rounded. Cached chunks keep their
 * values until they are read anew, as those of HDF5 do. */
void vz_array_set_rounding(vz_array *array, const vz_rounding *rounding);
/* Was it said, either way? */
bool vz_array_rounding_is_set(const vz_array *array);

bool vz_array_read(vz_array *array, const vz_transfer *transfer, vz_error *err);
bool vz_array_write(vz_array *array, const vz_transfer *transfer, vz_error *err);

/* Several transfers, of different arrays and between buffers that do not overlap, as one plan.
 * Requests that their chunks need of their stores are under way together. *failed: number of the
 * one that failed; of the others some were done then. */
bool vz_arrays_read(const vz_array_transfer *list, size_t count, size_t *failed, vz_error *err);
bool vz_arrays_write(const vz_array_transfer *list, size_t count, size_t *failed, vz_error *err);
/* Arrays may occur several times. *failed: one of an array in which something failed, not always
 * the one that did. */
bool vz_arrays_read_any(const vz_array_transfer *list, size_t count, size_t *failed, vz_error *err);

/* A box of elements, one after the other in C order in the caller's buffer. */
typedef struct vz_array_box {
    const uint64_t *start, *count;          /* for each dimension of the array */
    void *buffer;                           /* written by reads, only read by writes */
    size_t element_size;                    /* bytes of one element in the buffer */
    const vz_number_conversion *conversion; /* as in vz_transfer; the sizes must fit */
} vz_array_box;

/* Transfers a box that lies inside one cached chunk, for a fraction of a transfer's cost. For any
 * other box nothing is done: a read returns false, a write returns true with *moved=false. */
bool vz_array_has_cached(const vz_array *array); /* else no box needs to be tried */
bool vz_array_read_box(vz_array *array, const vz_array_box *box);
bool vz_array_write_box(vz_array *array, const vz_array_box *box, bool *moved, vz_error *err);

/* Several ranks write the array together (rank_owners.c). Each calls `begin`, writes what it has,
 * perhaps nothing, and calls `end`. That returns when all of it is in the store. Each rank stores
 * whole chunks itself. Parts of chunks, and chunks in shards, go to the rank that owns the chunk or
 * the shard, by a hash of its place. The owner stores them. `ok`: this rank's writing went well; if
 * not, or if something fails, all ranks fail. Arrays of objects have no owners: parts of their
 * chunks are stored by each rank, under the condition or the lock that parts always have. */
struct vz_comm;

/* No lock keeps those ranks apart: parts of chunks are stored by their owners only, else
 * VZ_UNSUPPORTED. */
void vz_array_refuse_parts(vz_array *array);

/* After a write that failed: such parts are gone, so that the next one does not fail with them. */
void vz_array_drop_refused(vz_array *array);
bool vz_array_share_begin(vz_array *array, struct vz_comm *comm, vz_error *err);
bool vz_array_share_end(vz_array *array, struct vz_comm *comm, bool ok, vz_error *err);

/* After meta->shape changed from `old_shape`: chunks wholly outside are deleted, and cached ones
 * are dropped. The part of edge chunks that left the extent is set to fill, so that growing again
 * shows fill. */
bool vz_array_resized(vz_array *array, const uint64_t *old_shape, vz_error *err);

/* After meta->shape became smaller by another program: forgets what is cached or waits beyond it.
 * True: some of it was to be written. */
bool vz_array_drop_outside(vz_array *array);

/* Counts since the array was opened; for tests. */
vz_array_counts vz_array_counted(const vz_array *array);

uint64_t vz_array_dirty_bytes(const vz_array *array);

/* Writes every dirty chunk; they stay cached, clean. On failure what could not be written stays
 * dirty. */
bool vz_array_flush(vz_array *array, vz_error *err);

/* Stores a chunk for every missing one (v2 fill_value null). */
bool vz_array_write_missing(vz_array *array, vz_error *err);

/* Stores a chunk for every missing one if no more than `most` are missing; else none is stored, and
 * *complete is false. */
bool vz_array_fill_missing(vz_array *array, uint64_t most, bool *complete, vz_error *err);

/* In a forked child: dirty chunks are read from memory and never written. */
void vz_array_keep_dirty(vz_array *array, bool keep);

/* Forgets clean chunks (refresh), or everything dirty too (a deleted node). */
void vz_array_drop_clean(vz_array *array);
void vz_array_drop_all(vz_array *array);

/* Direct chunk access by chunk coordinates; flushes that chunk first. *found=false when missing. */
typedef enum vz_array_chunk_form {
    VZ_CHUNK_DECODED,  /* elements in C order; not for object arrays */
    VZ_CHUNK_STORED,   /* the store's bytes */
    VZ_CHUNK_FILTERED, /* the same in the form of HDF5's filters (codec.h) */
} vz_array_chunk_form;
bool vz_array_get_chunk(vz_array *array, const uint64_t *chunk, vz_array_chunk_form form, vz_buffer *out, bool *found,
                        vz_error *err);
bool vz_array_put_chunk(vz_array *array, const uint64_t *chunk, vz_array_chunk_form form, vz_bytes bytes,
                        vz_error *err);

/* Does the filtered form differ from the stored one? */
bool vz_array_is_reframed(const vz_array *array);

/* Size in bytes of the stored chunk; *found=false when missing. */
bool vz_array_chunk_size(vz_array *array, const uint64_t *chunk, uint64_t *size, bool *found, vz_error *err);

/* Calls visit for each stored chunk in C order of coordinates (lists the store once); false from
 * visit stops. sized: with its stored size, which costs a request each; else 0. */
typedef bool (*vz_array_chunk_visit)(void *context, const uint64_t *chunk, uint64_t size);
bool vz_array_each_chunk(vz_array *array, bool sized, vz_array_chunk_visit visit, void *context, vz_error *err);

#endif
