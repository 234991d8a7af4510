/* partial_write.h - what of a chunk a writer changed, so that what other processes changed of the rest meanwhile stays.
 */
#ifndef VZ_CHUNKS_PARTIAL_WRITE_H
#define VZ_CHUNKS_PARTIAL_WRITE_H

#include "store/store/store_read.h"

typedef struct vz_array vz_array;

typedef struct vz_chunk_change {
    enum {
        VZ_CHANGE_NONE,
        VZ_CHANGE_WHOLE, /* all of it is the writer's */
        VZ_CHANGE_PART,  /* the elements that `written` tells are */
    } kind;
    uint64_t *written; /* PART: a bit for each element of the chunk, in its own order */
    /* What the rest was taken from: */
    enum { VZ_BASE_UNKNOWN, VZ_BASE_MISSING, VZ_BASE_VERSION } base;
    vz_version version; /* VERSION: of the value that the chunk lay in */
    bool merged;        /* when it was stored: the rest is not what the writer knew */
    vz_version stored;  /* when it was stored: what it is now; size 0: not known */
} vz_chunk_change;

/* The rest is what the store has, found or missing, in that version; nothing of it is changed yet. */
void vz_change_begin(vz_chunk_change *change, bool found, const vz_version *version);
/* No longer known, once it was stored, or forgotten. */
void vz_change_clear(vz_chunk_change *change);
/* All of the chunk is the writer's now. */
void vz_change_whole(vz_chunk_change *change);
/* Adds `length` elements from `first` on, of `count` that the chunk has. */
bool vz_change_run(vz_chunk_change *change, uint64_t first, uint64_t length, uint64_t count, vz_error *err);
/* Adds what another change of the same chunk, made on top of this one, has written. */
bool vz_change_add(vz_chunk_change *change, const vz_chunk_change *more, uint64_t count, vz_error *err);
/* Is what the store has now (found or missing, that version) what the rest was taken from? Only where that is sure. */
bool vz_change_is_of(const vz_chunk_change *change, bool found, const vz_version *version);

/* The stored form of a chunk that has our written elements and, for the rest, theirs; no bytes: all of it is fill.
 * Appended to the empty `out`. Runs in workers. */
bool vz_change_merge(vz_array *array, const vz_chunk_change *change, const vz_bytes *ours, const vz_bytes *theirs,
                     vz_buffer *out, unsigned worker, vz_error *err);

#endif
