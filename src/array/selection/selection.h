/* selection.h - which elements of an array, and where each lies in the caller's buffer. */
#ifndef VZ_SELECTION_SELECTION_H
#define VZ_SELECTION_SELECTION_H

#include "array/numeric/convert_numbers.h"
#include "metadata/metadata/dtype.h"

/* A regular selection. Along dimension d it has count[d]*block[d] elements: index i lies at start + i/block*stride +
 * i%block in the array, and at memory_stride[d]*i elements (plus memory_offset) in the buffer. rank 0: one element. */
typedef struct vz_region {
    unsigned rank;
    uint64_t start[VZ_MAX_RANK], stride[VZ_MAX_RANK], count[VZ_MAX_RANK], block[VZ_MAX_RANK];
    uint64_t memory_offset;
    uint64_t memory_stride[VZ_MAX_RANK];
} vz_region;

/* `length` neighbours in the array (C order over the shape, never beyond a row's end is NOT promised: a run may wrap
 * into the next row) that are neighbours in the buffer too. Units: elements. */
typedef struct vz_point_run {
    uint64_t array;
    uint64_t memory;
    uint64_t length;
} vz_point_run;

#define VZ_RUN_BATCH ((size_t)1 << 20)

/* Gives the next batch of runs (at most max); *count 0 = the end. Called on the caller's thread only. */
typedef bool (*vz_run_source)(void *context, vz_point_run *runs, size_t max, size_t *count, vz_error *err);

/* A transfer between an array and one buffer. */
typedef struct vz_transfer {
    const vz_region *region; /* regular, or NULL and then: */
    vz_run_source next_runs;
    void *runs_context;
    void *buffer;                    /* written by reads, only read by writes */
    size_t element_size;             /* bytes of one element in the buffer */
    const vz_number_conversion *conversion; /* NULL: the buffer holds the array's own bytes */
    bool texts;         /* of object arrays: elements of the buffer are char pointers (copy_strings.c); else they are items */
    vz_arena *arena;    /* reads of items: receives the bytes they point to */
    bool leave_missing; /* reads: where the store has no chunk the buffer stays as it is, instead of getting fill */
} vz_transfer;

#endif
