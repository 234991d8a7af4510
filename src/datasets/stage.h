/* stage.h - how elements get from a decoded chunk to the user's memory type and back: chosen once per call.
 *
 * DIRECT: the bytes are the same. CONVERT: numbers, converted by the workers on the way. STAGED: through packed buffers
 * on the caller's thread: array bytes -> shown type in memory form -> H5Tconvert -> the user's type, in batches. */
#ifndef VZ_DATASETS_STAGE_H
#define VZ_DATASETS_STAGE_H

#include "datasets/view.h"
#include "types/own.h"
#include "references/reference.h"
#include "datasets/space.h"

#define VZ_STAGE_BYTES ((size_t)64 << 20) /* a batch is no larger than this, one element aside */

typedef struct vz_stage {
    enum { VZ_STAGE_DIRECT, VZ_STAGE_CONVERT, VZ_STAGE_STAGED } kind;
    const vz_dataset_view *view;
    const vz_dtype *dtype;
    hid_t mem_type;
    hid_t shown;     /* what is converted to or from mem_type: the view's type, or with references a form of it (own) */
    bool references; /* the type holds some */
    vz_hierarchy *hierarchy;
    const vz_reference_maker *maker;
    size_t file_size, shown_size, mem_size; /* bytes of one element in each form */
    vz_conversion conversion;               /* CONVERT */
    bool same_type;                         /* shown and mem_type are equal */
    bool vlen;                              /* mem_type or shown holds variable-length data */
    bool transform;                         /* the transfer list has a data transform */
    bool leave_missing;                     /* the dataset is never filled: what has no chunk is not read */
    bool background;                        /* H5Tconvert wants the elements that are there already */
    hid_t dxpl;                             /* for H5Tconvert; allocates variable-length data in `arena` when vlen */
    bool own_dxpl;
    vz_allocator allocator; /* of the user's transfer list */
    vz_arena arena;         /* one batch's variable-length data */

    size_t batch;      /* elements of a batch */
    uint8_t *elements; /* batch in array bytes (the same as `work` when those are the shown type's) */
    uint8_t *work;     /* batch in the shown or the user's type */
    uint8_t *behind;   /* background */
} vz_stage;

/* reading: from the array to the user; else the other way. */
bool vz_stage_open(vz_stage *stage, vz_node *node, hid_t mem_type, hid_t dxpl, const vz_reference_maker *maker,
                   bool reading, vz_error *err);
/* Makes the buffers for batches of at most `count` elements. STAGED only. */
bool vz_stage_reserve(vz_stage *stage, uint64_t count, vz_error *err);
/* `count` elements in stage->elements become elements of the user's type in stage->work. With background, the user's
 * present elements stand in stage->behind. Variable-length data belongs to the user afterwards. */
bool vz_stage_to_memory(vz_stage *stage, size_t count, vz_error *err);
/* The way back in two steps, so that the array's type can grow between them. `count` elements of the user's type in
 * stage->work become elements of the shown type, in place; with background, the array's present elements stand in
 * stage->elements ... */
bool vz_stage_to_shown(vz_stage *stage, size_t count, vz_error *err);
/* ... and then array bytes in stage->elements (items pointing to the user's memory or the arena). */
bool vz_stage_pack(vz_stage *stage, size_t count, vz_error *err);
/* The array got another dtype (and view): sizes and the elements' buffer follow. */
bool vz_stage_grown(vz_stage *stage, vz_node *node, vz_error *err);
/* Forgets the batch's variable-length data. */
void vz_stage_next(vz_stage *stage);
void vz_stage_close(vz_stage *stage);

#endif
