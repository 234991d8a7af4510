/* selection.h - which elements of an array, and where each lies in the caller's buffer. */
#ifndef VZ_SELECTION_SELECTION_H
#define VZ_SELECTION_SELECTION_H

#include "array/numeric/numeric.h"
#include "metadata/metadata/metadata.h"

/* A regular selection. Along dimension d it has count[d]*block[d] elements. Index i lies at start +
 * i/block*stride + i%block in the array, and at memory_stride[d]*i elements (plus memory_offset) in
 * the buffer. rank 0: one element. */
typedef struct vz_region {
    unsigned rank;
    uint64_t start[VZ_MAX_RANK], stride[VZ_MAX_RANK], count[VZ_MAX_RANK], block[VZ_MAX_RANK];
    uint64_t memory_offset;
    uint64_t memory_stride[VZ_MAX_RANK];
} vz_region;

/* `length` elements that are neighbours in the array, in C order over the shape, and neighbours in
 * the buffer, too. A run may wrap into the array's next row. Units: elements. */
typedef struct vz_point_run {
    uint64_t array;
    uint64_t memory;
    uint64_t length;
} vz_point_run;

/* Gives the next batch of runs (at most max); *count 0 = the end. Called on the caller's thread
 * only. */
typedef bool (*vz_run_source)(void *context, vz_point_run *runs, size_t max, size_t *count, vz_error *err);

/* A transfer between an array and one buffer. */
typedef struct vz_transfer {
    const vz_region *region; /* regular, or NULL and then: */
    vz_run_source next_runs;
    void *runs_context;
    void *buffer;                           /* written by reads, only read by writes */
    size_t element_size;                    /* bytes of one element in the buffer */
    const vz_number_conversion *conversion; /* NULL: the buffer holds the array's own bytes */
    bool texts;                             /* of object arrays: elements of the buffer are char
                                             * pointers (copy_strings.c); else they are items */
    vz_arena *arena;                        /* reads of items: receives the bytes they point to */
    bool leave_missing;                     /* reads: where the store has no chunk the buffer stays
                                             * as it is, instead of getting fill */
} vz_transfer;

/* -- Chunk grid --
 * The chunk grid of an array: its chunks, and how much of each lies inside the array. */
/* The chunk in which coordinate `at` of the array lies along dimension d. */
uint64_t vz_grid_at(const vz_meta *meta, unsigned d, uint64_t at);

/* The first coordinate of a chunk that touches the array. */
uint64_t vz_grid_start(const vz_meta *meta, unsigned d, uint64_t chunk);

/* Length of a stored chunk that touches the array. In memory every chunk takes the room of
 * meta->chunks, the longest. */
uint64_t vz_grid_edge(const vz_meta *meta, unsigned d, uint64_t chunk);

/* Of the outermost shards, along dimension d: the one in which coordinate `at` lies, its first
 * coordinate (UINT64_MAX: beyond every array) and its length. */
uint64_t vz_grid_shard_at(const vz_meta *meta, unsigned d, uint64_t at);
uint64_t vz_grid_shard_start(const vz_meta *meta, unsigned d, uint64_t shard);
uint64_t vz_grid_shard_edge(const vz_meta *meta, unsigned d, uint64_t shard);

/* Values with a key of their own along each dimension: shards where there are any, else chunks. */
void vz_grid_stored(const vz_meta *meta, uint64_t *dims);

/* Chunks along each dimension. */
void vz_grid_dims(const vz_meta *meta, const uint64_t *shape, uint64_t *dims);

/* Chunks in all; UINT64_MAX when there are more than that. */
uint64_t vz_grid_count(unsigned rank, const uint64_t *dims);

/* Elements of the chunk at coordinate `chunk` along dimension d that lie inside the array. 0:
 * outside. */
uint64_t vz_grid_extent(const vz_meta *meta, unsigned d, uint64_t chunk);

/* Does the chunk touch the array at all? */
bool vz_grid_inside(const vz_meta *meta, const uint64_t *chunk);

/* Does all of the chunk lie inside the array, and fill its room? (Stored chunks always have their
 * full size.) */
bool vz_grid_is_full(const vz_meta *meta, const uint64_t *chunk);

/* Elements of the chunk inside the array. */
uint64_t vz_grid_valid(const vz_meta *meta, const uint64_t *chunk);

/* Steps `at` through the box low <= at < high in C order; false after the last. */
bool vz_grid_next(unsigned rank, const uint64_t *low, const uint64_t *high, uint64_t *at);

/* -- Hyperslab --
 * A regular selection on the chunk grid: the chunks that it touches, and its share of each. */
/* Neighbouring indexes of a region along one dimension. */
typedef struct vz_span {
    uint64_t first, count;
} vz_span;

/* A walk over the touched chunks: shard by shard in C order, and in each (without shards: in all)
 * in C order. */
typedef struct vz_region_walk {
    const vz_meta *meta;
    vz_region region; /* with blocks that touch joined into one */
    bool started, ended;
    bool starts_shard;           /* the current chunk is the first one of a shard */
    uint64_t chunk[VZ_MAX_RANK]; /* the current one */
    vz_span spans[VZ_MAX_RANK];  /* the region's indexes that fall into it */
    vz_span shard[VZ_MAX_RANK];  /* those that fall into its shard, without shards all of them */
} vz_region_walk;

/* VZ_INVALID if the region does not lie inside the array, or its blocks overlap. */
bool vz_region_start(vz_region_walk *walk, const vz_meta *meta, const vz_region *region, vz_error *err);
bool vz_region_next(vz_region_walk *walk); /* false: no more */

/* Chunks of the current shard that are touched, at most. */
uint64_t vz_region_in_shard(const vz_region_walk *walk);

/* -- Chunk selection --
 * One chunk's share of a transfer, split into boxes: nested loops over bytes of the chunk and the
 * buffer. */
/* A part of a run: neighbours along the last dimension within one chunk. */
typedef struct vz_cut {
    uint64_t offset; /* of the first element in the decoded chunk, in elements */
    uint64_t memory; /* in the buffer, in elements */
    uint64_t length;
} vz_cut;

typedef struct vz_selection_in_chunk {
    const uint64_t *chunk; /* coordinates */
    const vz_span *spans;  /* of a region; NULL: cuts */
    const vz_cut *cuts;
    size_t cut_count;
    bool covers; /* every element of the chunk that lies inside the array */
} vz_selection_in_chunk;

/* Strides that all chunk selections of a transfer share. */
typedef struct vz_box_strides {
    const vz_meta *meta;
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

/* Loops from the outermost to the innermost; none = one element. Neighbouring loops that are one
 * are joined. */
typedef struct vz_box {
    uint64_t chunk_offset, memory_offset; /* bytes */
    unsigned loop_count;
    vz_loop loops[2 * VZ_MAX_RANK];
} vz_box;

typedef bool (*vz_box_visit)(void *context, const vz_box *box, vz_error *err);

/* Adds an innermost loop to a box. */
void vz_box_add(vz_box *box, uint64_t count, uint64_t chunk_step, uint64_t memory_step);

vz_box_strides vz_layout_of(const vz_meta *meta, const vz_region *region, size_t memory_element);

bool vz_piece_walk(const vz_box_strides *layout, const vz_selection_in_chunk *piece, vz_box_visit visit, void *context,
                   vz_error *err);

/* The bytes of the decoded chunk among which all elements of the piece lie. */
void vz_piece_extent(const vz_box_strides *layout, const vz_selection_in_chunk *piece, uint64_t *low, uint64_t *high);

/* Is the piece the whole chunk (padding and all), in one stretch of the buffer in the chunk's own
 * order? Then *memory is where, in bytes. */
bool vz_piece_is_whole(const vz_box_strides *layout, const vz_selection_in_chunk *piece, uint64_t *memory);

/* -- Point runs --
 * Irregular selections: runs cut at the borders of rows and chunks, and brought together chunk by
 * chunk. */
typedef struct vz_run_cutter vz_run_cutter;

/* VZ_LIMIT if the array has so many elements that a run cannot name them. */
vz_run_cutter *vz_runs_open(const vz_meta *meta, vz_run_source source, void *context, vz_error *err);

/* Cuts the next batch (bounded in cuts and in chunks); *count chunks are touched, 0 = the end. Cuts
 * of one chunk keep their order. */
bool vz_runs_next(vz_run_cutter *cutter, size_t *count, vz_error *err);

/* The batch's index-th piece, valid until the next batch. */
vz_selection_in_chunk vz_runs_piece(const vz_run_cutter *cutter, size_t index);
void vz_runs_close(vz_run_cutter *cutter);

/* -- Scatter --
 * Moves the elements of a box between a chunk and a buffer. */
/* How elements are moved along a line. A source step of 0 repeats one element. */
typedef struct vz_mover vz_mover;
struct vz_mover {
    bool (*line)(const vz_mover *mover, uint8_t *dst, ptrdiff_t dst_step, const uint8_t *src, ptrdiff_t src_step,
                 size_t count, vz_error *err);
    size_t size;                            /* bytes of an element */
    const vz_number_conversion *conversion; /* or NULL */
    vz_arena *arena;                        /* items: receives their bytes; texts that are written:
                                             * NULL, they stay */
    uint64_t *live;                         /* items: bytes of all items at the destination, kept up
                                             * to date; or NULL */
};

vz_mover vz_mover_bytes(size_t size);
vz_mover vz_mover_convert(const vz_number_conversion *conversion);

/* Items with their bytes, which go to the arena. */
vz_mover vz_mover_items(vz_arena *arena, uint64_t *live);

/* Items <-> texts that end with a NUL, as vz_transfer.texts has them (copy_strings.c). Of a missing
 * text (NULL) an empty item is made. An item becomes a text of its own, allocated by malloc. One
 * with a NUL in it is VZ_UNSUPPORTED. */
vz_mover vz_mover_texts_in(vz_arena *arena, uint64_t *live);
vz_mover vz_mover_texts_out(void);

/* Moves a box. `chunk` holds the decoded chunk's bytes from `chunk_origin` on. */
bool vz_gather_box(const vz_mover *mover, uint8_t *chunk, const uint8_t *memory, const vz_box *box, vz_error *err);
bool vz_scatter_box(const vz_mover *mover, const uint8_t *chunk, uint64_t chunk_origin, uint8_t *memory,
                    const vz_box *box, vz_error *err);

/* The box's place in the buffer receives one element over and over. */
bool vz_fill_box(const vz_mover *mover, const uint8_t *element, uint8_t *memory, const vz_box *box, vz_error *err);

/* count copies of an element, next to each other. */
void vz_fill_elements(uint8_t *dst, const uint8_t *element, size_t size, uint64_t count);

#endif
