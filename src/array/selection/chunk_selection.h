/* chunk_selection.h - one chunk's share of a transfer, taken apart into boxes: nested loops over bytes of the chunk and the
 * buffer. */
#ifndef VZ_SELECTION_CHUNK_SELECTION_H
#define VZ_SELECTION_CHUNK_SELECTION_H

#include "array/selection/hyperslab.h"

/* A part of a run: neighbours along the last dimension within one chunk. */
typedef struct vz_cut {
    uint64_t offset; /* of the first element in the decoded chunk, in elements */
    uint64_t memory; /* in the buffer, in elements */
    uint64_t length;
} vz_cut;

typedef struct vz_chunk_selection {
    const uint64_t *chunk; /* coordinates */
    const vz_span *spans;  /* of a region; NULL: cuts */
    const vz_cut *cuts;
    size_t cut_count;
    bool covers; /* every element of the chunk that lies inside the array */
} vz_chunk_selection;

/* What all pieces of a transfer have in common. */
typedef struct vz_box_strides {
    const vz_array_meta *meta;
    const vz_region *region;     /* as vz_region_start made it; NULL: runs */
    size_t chunk_element;        /* bytes of an element in the chunk */
    size_t memory_element;       /* and in the buffer */
    uint64_t steps[VZ_MAX_RANK]; /* bytes between neighbours in the chunk */
    uint64_t line_step;          /* along the last dimension */
} vz_box_strides;

typedef struct vz_loop {
    uint64_t count;
    int64_t chunk_step, memory_step; /* bytes */
} vz_loop;

/* Loops from the outermost to the innermost; none = one element. Neighbouring loops that are one are joined. */
typedef struct vz_box {
    uint64_t chunk_offset, memory_offset; /* bytes */
    unsigned loop_count;
    vz_loop loops[2 * VZ_MAX_RANK];
} vz_box;

typedef bool (*vz_box_visit)(void *context, const vz_box *box, vz_error *err);

/* Adds an innermost loop to a box. */
void vz_box_add(vz_box *box, uint64_t count, uint64_t chunk_step, uint64_t memory_step);

vz_box_strides vz_layout_of(const vz_array_meta *meta, const vz_region *region, size_t memory_element);

bool vz_piece_walk(const vz_box_strides *layout, const vz_chunk_selection *piece, vz_box_visit visit, void *context, vz_error *err);

/* The bytes of the decoded chunk among which all elements of the piece lie. */
void vz_piece_extent(const vz_box_strides *layout, const vz_chunk_selection *piece, uint64_t *low, uint64_t *high);

/* Is the piece the whole chunk (padding and all), in one stretch of the buffer in the chunk's own order? Then *memory
 * is where, in bytes. */
bool vz_piece_is_whole(const vz_box_strides *layout, const vz_chunk_selection *piece, uint64_t *memory);

#endif
