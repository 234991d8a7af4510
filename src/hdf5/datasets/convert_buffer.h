/* convert_buffer.h - how elements get from a decoded chunk to the user's memory type and back: chosen once per call,
 * from what the dataset's view keeps (element_plan.h).
 *
 * DIRECT: the bytes are the same. CONVERT: numbers, converted by the workers on the way. TEXTS: variable text, to which
 * the workers make pointers; what they allocate is for free(). STAGED: through packed buffers on the caller's thread:
 * array bytes -> shown type in memory form -> H5Tconvert -> the user's type, in batches. */
#ifndef VZ_DATASETS_CONVERT_BUFFER_H
#define VZ_DATASETS_CONVERT_BUFFER_H

#include "hdf5/datasets/element_plan.h"
#include "hdf5/references/reference.h"
#include "hdf5/datasets/selection_pairs.h"

#define VZ_STAGE_BYTES  ((size_t)64 << 20) /* a buffer for a batch is no larger than this, one element aside */
#define VZ_STAGES_BYTES ((uint64_t)3 * VZ_STAGE_BYTES) /* all buffers of the datasets of a call, one dataset aside */

typedef struct vz_convert_buffer {
    enum { VZ_STAGE_DIRECT, VZ_STAGE_CONVERT, VZ_STAGE_TEXTS, VZ_STAGE_STAGED } kind;
    vz_node *node;
    vz_dataset_view *view; /* taken, as is the plan */
    vz_element_plan *plan;
    const vz_dtype *dtype;
    hid_t mem_type;
    vz_hierarchy *hierarchy;
    const vz_reference_maker *maker;
    const vz_number_conversion *conversion; /* CONVERT: of the plan */
    bool transform;                  /* the transfer list has a data transform */
    bool leave_missing;              /* the dataset is never filled: what has no chunk is not read */
    hid_t dxpl; /* for H5Tconvert; allocates variable-length data in `arena` where the plan has some */
    bool own_dxpl;
    vz_element_plan *lender; /* whose list it is */
    vz_arena *to_arena;      /* where an own list allocates */
    vz_allocator allocator;  /* of the user's transfer list */
    vz_arena arena;          /* one batch's variable-length data */

    size_t batch;      /* elements of a batch */
    uint8_t *elements; /* batch in array bytes (the same as `work` when those are the shown type's) */
    uint8_t *work;     /* batch in the shown or the user's type */
    uint8_t *behind;   /* background */
} vz_convert_buffer;

/* Does a transfer list leave it to us what becomes of numbers, which are converted or stay as they are? */
bool vz_list_leaves_numbers(hid_t dxpl, bool converted);

/* reading: from the array to the user; else the other way. contiguous: the user's elements are neighbours. */
bool vz_stage_open(vz_convert_buffer *stage, vz_node *node, hid_t mem_type, hid_t dxpl, const vz_reference_maker *maker,
                   bool reading, bool contiguous, vz_error *err);
/* Bytes of the buffers for that; without the variable-length data of a batch. STAGED only. */
uint64_t vz_stage_bytes(const vz_convert_buffer *stage, uint64_t count);
/* Makes the buffers for batches of at most `count` elements. STAGED only. */
bool vz_stage_reserve(vz_convert_buffer *stage, uint64_t count, vz_error *err);
/* `count` elements in stage->elements become elements of the user's type in stage->work. With background, the user's
 * present elements stand in stage->behind. Variable-length data belongs to the user afterwards. */
bool vz_stage_to_memory(vz_convert_buffer *stage, size_t count, vz_error *err);
/* The way back in two steps, so that the array's type can grow between them. `count` elements of the user's type in
 * stage->work become elements of the shown type, in place; with background, the array's present elements stand in
 * stage->elements ... */
bool vz_stage_to_shown(vz_convert_buffer *stage, size_t count, vz_error *err);
/* ... then the array is given a dtype that holds `elements` of the shown type, where its own cannot (longer text in a
 * compound, text that is not UTF-8): sizes and the elements' buffer are those of the new one then, and so is the
 * array's I/O state. Nothing of the array may be under way meanwhile ... */
bool vz_stage_grow(vz_convert_buffer *stage, const void *elements, size_t count, vz_error *err);
/* ... and then they become array bytes in stage->elements (items pointing to the user's memory or the arena). */
bool vz_stage_pack(vz_convert_buffer *stage, size_t count, vz_error *err);
/* Forgets the batch's variable-length data. */
void vz_stage_next(vz_convert_buffer *stage);
void vz_stage_close(vz_convert_buffer *stage);

#endif
