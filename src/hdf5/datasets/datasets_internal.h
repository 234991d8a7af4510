/* datasets_internal.h - chunk index, element plan, convert buffer, copy chunks, data transform,
 * fast path, fill value, native scratch, transfer elements, widen dtype. */
#ifndef VZ_DATASETS_DATASETS_INTERNAL_H
#define VZ_DATASETS_DATASETS_INTERNAL_H

#include "array/array/array.h"
#include "base/util/error.h"
#include "hdf5/datasets/datasets.h"
#include "hdf5/datasets/space.h"
#include "hdf5/datasets/space_internal.h"
#include "hdf5/datasets/view.h"
#include "hdf5/dialects/dialects.h"
#include "hdf5/h5/h5.h"
#include "hdf5/references/references.h"
#include "hdf5/types/types.h"
#include "hierarchy/nodes/node.h"

/* The kind that a creation list asks for. */
vz_sources_kind vz_sources_requested(hid_t dcpl);

/* The mappings or files of a creation list, for the annotation of a new node. */
vz_json *vz_sources_describe_virtual(hid_t dcpl, vz_error *err);
vz_json *vz_sources_describe_external(hid_t dcpl, vz_error *err);

/* Says it to a creation list again. HDF5 keeps no extent of a source in a file: it is as large as the selection
 * reaches. It is the one that was given (`as_given`) as long as the file is open that the dataset was made in. `space`
 * is the dataset's. */
bool vz_sources_show(const vz_node *node, hid_t space, bool as_given, hid_t dcpl, vz_error *err);

/* Does HDF5 take this type, dataspace and creation list for a native file? It checks what concerns the sources. */
bool vz_sources_check(hid_t type, hid_t space, hid_t dcpl, vz_error *err);

/* New dimensions, if the external files have room for them. */
bool vz_external_check_extent(vz_node *node, const hsize_t *dims, vz_error *err);

/* -- Chunk index --
 * which chunks of an array are stored. For this room. */
/* Coordinates of one, in a list. */
typedef struct vz_chunk_entry {
    uint64_t chunk[VZ_MAX_RANK];
    struct vz_chunk_entry *next;
} vz_chunk_entry;

/* After writing what is dirty. *chunks: to be freed, also on failure. */
bool vz_stored_chunks_list(vz_node *node, vz_chunk_entry **chunks, vz_error *err);
void vz_stored_chunks_free(vz_chunk_entry *chunks);

/* -- Element plan --
 * how elements of a dataset and of one memory type become each other: what depends on these two types
 * alone. Worked out once for an open dataset, and kept in its view for the last few memory types; it goes with the
 * view, when the dataset's type is another one. */
typedef struct vz_element_plan {
    size_t users;    /* the view, and transfers */
    hid_t mem_type;  /* a copy, or: */
    bool lent;       /* it is one of HDF5's own, or the view's */
    hid_t shown;     /* what is converted to or from mem_type: the view's type, or with references a form of it, ours */
    bool references; /* the type holds some */
    bool same_type;  /* `shown` and mem_type are equal */
    bool vlen;       /* one of them holds variable-length data */
    bool background; /* H5Tconvert wants the elements that are there already */
    size_t file_size, shown_size, mem_size; /* bytes of one element in each form */
    bool is_number;                         /* both are numbers that the workers convert, by these: */
    vz_number_conversion to_memory, to_file;
    bool texts;           /* both are the same text of variable length, which the workers move */
    vz_packing *packing;  /* NULL: not asked for yet, or the bytes are the same */
    vz_type_tree *layout; /* of mem_type; NULL: not asked for yet */
    hid_t list;      /* a transfer list of default properties whose variable-length data lies in *arena; or invalid */
    vz_arena *arena; /* of the transfer that has the list now; NULL: nobody */
} vz_element_plan;

/* The plan of a dataset for a memory type, to be released before the view is. NULL with err set. */
vz_element_plan *vz_element_plan_take(vz_dataset_view *view, hid_t mem_type, vz_error *err);
void vz_element_plan_release(vz_element_plan *plan); /* NULL is fine */

/* What is made when it is first asked for; borrowed from the plan. NULL with err set. */
const vz_packing *vz_element_plan_packing(vz_element_plan *plan, const vz_dataset_view *view, vz_error *err);
const vz_type_tree *vz_element_plan_layout(vz_element_plan *plan, vz_error *err);

/* H5Tconvert allocates variable-length data by the transfer list that it is given: this one's lies in `arena`. Lent
 * until it is given back; H5I_INVALID_HID without an error: somebody has it (a conversion called the program, which
 * transfers too). */
hid_t vz_element_plan_lend_list(vz_element_plan *plan, vz_arena *arena, vz_error *err);
void vz_element_plan_give_back(vz_element_plan *plan);
/* A copy of `dxpl`, or a new list of default properties, to be closed; its data lies in the arena that *arena names. */
hid_t vz_arena_list(hid_t dxpl, vz_arena **arena, vz_error *err);

/* -- Convert buffer --
 * how elements get from a decoded chunk to the user's memory type and back: chosen once per call,
 * from what the dataset's view keeps (datasets_internal.h).
 *
 * DIRECT: the bytes are the same. NUMBERS: numbers, converted by the workers on the way. TEXTS: variable text, to which
 * the workers make pointers; what they allocate is for free(). BUFFERED: through packed buffers on the caller's thread:
 * array bytes -> shown type in memory form -> H5Tconvert -> the user's type, in batches. */
#define VZ_CONVERT_BUFFER_BYTES                                                                                        \
    ((size_t)64 << 20) /* a buffer for a batch is no larger than this, one element aside                               \
                        */
#define VZ_CONVERT_BUFFERS_BYTES                                                                                       \
    ((uint64_t)3 * VZ_CONVERT_BUFFER_BYTES) /* all buffers of the datasets of a call, one dataset aside */

typedef struct vz_convert_buffer {
    enum { VZ_CONVERT_DIRECT, VZ_CONVERT_NUMBERS, VZ_CONVERT_TEXTS, VZ_CONVERT_BUFFERED } kind;
    vz_node *node;
    vz_dataset_view *view; /* taken, as is the plan */
    vz_element_plan *plan;
    const vz_dtype *dtype;
    hid_t mem_type;
    vz_hierarchy *hierarchy;
    const vz_reference_maker *maker;
    const vz_number_conversion *conversion; /* NUMBERS: of the plan */
    bool transform;                         /* the transfer list has a data transform */
    bool leave_missing;                     /* the dataset is never filled: what has no chunk is not read */
    hid_t dxpl; /* for H5Tconvert; allocates variable-length data in `arena` where the plan has some */
    bool own_dxpl;
    vz_element_plan *lender; /* whose list it is */
    vz_arena *to_arena;      /* where an own list allocates */
    vz_allocator allocator;  /* of the user's transfer list */
    vz_arena arena;          /* one batch's variable-length data */

    size_t batch;        /* elements of a batch */
    uint8_t *elements;   /* batch in array bytes (the same as `work` when those are the shown type's) */
    uint8_t *work;       /* batch in the shown or the user's type */
    uint8_t *background; /* elements that stand in the target already */
} vz_convert_buffer;

/* Does a transfer list leave it to us what becomes of numbers, which are converted or stay as they are? */
bool vz_list_leaves_numbers(hid_t dxpl, bool converted);

/* reading: from the array to the user; else the other way. contiguous: the user's elements are neighbours. */
bool vz_convert_buffer_open(vz_convert_buffer *buffer, vz_node *node, hid_t mem_type, hid_t dxpl,
                            const vz_reference_maker *maker, bool reading, bool contiguous, vz_error *err);
/* Bytes of the buffers for that; without the variable-length data of a batch. BUFFERED only. */
uint64_t vz_convert_buffer_bytes(const vz_convert_buffer *buffer, uint64_t count);
/* Makes the buffers for batches of at most `count` elements. BUFFERED only. */
bool vz_convert_buffer_reserve(vz_convert_buffer *buffer, uint64_t count, vz_error *err);
/* `count` elements in buffer->elements become elements of the user's type in buffer->work. With background, the user's
 * present elements stand in buffer->background. Variable-length data belongs to the user afterwards. */
bool vz_convert_buffer_to_memory(vz_convert_buffer *buffer, size_t count, vz_error *err);
/* The way back in two steps, so that the array's type can grow between them. `count` elements of the user's type in
 * buffer->work become elements of the shown type, in place; with background, the array's present elements stand in
 * buffer->elements ... */
bool vz_convert_buffer_to_shown(vz_convert_buffer *buffer, size_t count, vz_error *err);
/* ... then the array is given a dtype that holds `elements` of the shown type, where its own cannot (longer text in a
 * compound, text that is not UTF-8): sizes and the elements' buffer are those of the new one then, and so is the
 * array's I/O state. Nothing of the array may be under way meanwhile ... */
bool vz_convert_buffer_grow(vz_convert_buffer *buffer, const void *elements, size_t count, vz_error *err);
/* ... and then they become array bytes in buffer->elements (items pointing to the user's memory or the arena). */
bool vz_convert_buffer_pack(vz_convert_buffer *buffer, size_t count, vz_error *err);
/* Forgets the batch's variable-length data. */
void vz_convert_buffer_next(vz_convert_buffer *buffer);
void vz_convert_buffer_close(vz_convert_buffer *buffer);

/* -- Copy chunks --
 * elements from one array to another of the same shown type and dataspace, as they are. */
/* Only what is stored is copied; references are brought up to date on the way. *any: there was something. What was
 * copied stands in the store afterwards. */
bool vz_dataset_copy_elements(vz_node *from, vz_node *to, bool *any, vz_error *err);
/* The same within one array: only chunks with references that changed are written. */
bool vz_dataset_refresh_references(vz_node *node, vz_error *err);

/* -- Data transform --
 * data transforms (H5Pset_data_transform): an expression over every element of a transfer, of the user's
 * type. */
bool vz_transform_is_set(hid_t dxpl);
/* Changes `count` elements in place as the transfer list says. HDF5 does it itself, and refuses what it refuses for
 * native files. */
bool vz_transform_apply(hid_t dxpl, hid_t type, void *elements, size_t count, vz_error *err);

/* -- Fast path --
 * a few elements to or from a chunk that is in memory, as programs move them that go row by row. Private to
 * this room. */
/* Moves the elements if they are one box inside one such chunk, need no more than numbers converted, and lie side by
 * side in memory. Else *moved=false and nothing is done: the general way does it, and tells what is wrong with it. */
bool vz_fast_transfer(const vz_dataset_transfer *what, hid_t dxpl, bool reading, bool *moved, vz_error *err);

/* -- Fill value --
 * fill values: from a creation property list to an array's metadata, and back. */
/* What a creation property list says of filling. Zero-initialise. */
typedef struct vz_fill {
    H5D_fill_value_t status;
    H5D_fill_time_t when;
    uint8_t *packed; /* the user's value as an element of the plan's dtype; owned */
    vz_arena arena;  /* what it points to */
} vz_fill;

/* Reads it for a dataset of `type`, whose plan is there already. The plan changes with the value: text members get the
 * width it needs, and an array type whose fill elements differ is no longer stored as extra axes, since an array has
 * one fill value for all of its elements. */
bool vz_fill_read(vz_fill *fill, hid_t dcpl, hid_t type, bool scalar, vz_hierarchy *hierarchy, vz_type_plan *plan,
                  vz_error *err);
/* Gives it to the array; *annotation is entry "f" of the annotation, or NULL. external: the array stores no elements,
 * so an undefined value is not null, which would mean that every chunk is there. */
bool vz_fill_set(const vz_fill *fill, vz_array_meta *meta, bool external, vz_json **annotation, vz_error *err);
void vz_fill_clear(vz_fill *fill);

/* The fill value and time of an array in a creation property list. */
bool vz_fill_show(vz_node *node, const vz_dataset_view *view, hid_t dcpl, vz_error *err);

/* -- Native scratch --
 * a native HDF5 file that lives in memory for the length of a call: what HDF5 does only for native
 * datasets is done by one that stands in for ours. */
/* `beside`: a path in whose directory the file pretends to be; NULL: nowhere. Negative with HDF5's record on the stack.
 */
hid_t vz_native_memory_file(const char *beside);

/* -- Transfer elements --
 * one dataset's part of a read or write, in batches that fit its buffers. Several datasets go on batch by
 * batch together (dataset_io.c), so that their chunks are one plan. Private to this room. */
/* Runs of shown elements as runs of array elements. */
typedef struct vz_axis_runs {
    vz_pair_runs *runs;
    uint64_t per;
} vz_axis_runs;

typedef struct vz_element_transfer {
    const vz_dataset_transfer *what; /* borrowed */
    bool reading;
    bool paired, staging; /* what of it is to be closed */
    bool begun;           /* a read of texts was asked for and is not complete: some may be the caller's to free */
    vz_convert_buffer buffer;
    uint64_t left; /* elements that are not moved yet */
    size_t batch;  /* of them, what is moved now */
    /* The file side: a region, packed where it is buffered (then all fits into one batch), or runs. */
    bool one_region;
    vz_pair_runs *runs;
    vz_pair_runs *again;    /* a second pass over the same elements: background before a write */
    vz_scatter *memory;     /* buffered: to and from the user's memory */
    vz_scatter *background; /* memory once more, to gather what stands there */
    vz_axis_runs axes;      /* of `transfer` */
    vz_transfer transfer;   /* of this batch */
    vz_pair pair;
    vz_region region; /* where one_region says so */
} vz_element_transfer;

/* Checks the selections and finds the way of the elements. To be closed, also on failure; must not change its place
 * in memory. */
bool vz_element_transfer_open(vz_element_transfer *move, const vz_dataset_transfer *what, hid_t dxpl, bool reading,
                              vz_error *err);
/* Bytes of memory that its batches take beside the caller's buffer, and the call that makes room for them. */
uint64_t vz_element_transfer_bytes(const vz_element_transfer *move);
bool vz_element_transfer_reserve(vz_element_transfer *move, vz_error *err);
void vz_element_transfer_close(vz_element_transfer *move);

/* Where a read puts its elements: bytes from the first to the end of the last one, gaps and all, and the box of the
 * memory dataspace that they lie in. */
typedef struct vz_transfer_place {
    bool known;
    const uint8_t *first, *end;
    int rank; /* -1: no box */
    hsize_t dims[H5S_MAX_RANK], low[H5S_MAX_RANK], high[H5S_MAX_RANK];
} vz_transfer_place;
void vz_transfer_find_place(const vz_element_transfer *move, vz_transfer_place *place);

/* Do two reads put elements into the same bytes of memory? True where it is not known. *costs is counted up where
 * HDF5 had to compare the selections. */
bool vz_transfers_overlap(const vz_element_transfer *a, const vz_transfer_place *at, const vz_element_transfer *b,
                          const vz_transfer_place *bt, size_t *costs);

/* ---- a batch of a read: elements are asked for, and were read ---- */

/* The array's part of it; `ask` points into the move. */
bool vz_element_transfer_ask(vz_element_transfer *move, vz_array_transfer *ask, vz_error *err);
bool vz_element_transfer_arrived(vz_element_transfer *move, vz_error *err);

/* ---- a batch of a write: elements that stand there are asked for where they are needed (and then read), the user's
 * ones are converted, which may give the array another dtype, and then they are stored ---- */

bool vz_element_transfer_needs_background(const vz_element_transfer *move);
bool vz_element_transfer_ask_background(vz_element_transfer *move, vz_array_transfer *ask, vz_error *err);
bool vz_element_transfer_convert(vz_element_transfer *move, vz_error *err);
/* As vz_element_transfer_ask; vz_element_transfer_stored when that is done. */
void vz_element_transfer_stored(vz_element_transfer *move);

/* -- Widen dtype --
 * an array gets another dtype because its data needs one (vz_type_fit). */
/* Looks at `count` elements of the shown type (or of its form for references, reference.h) that are about to be
 * written. If the array's dtype cannot hold them, the array gets one that can, with what it holds already; *grown
 * tells. Its I/O state and view are new then. */
bool vz_dataset_grow(vz_node *node, const vz_type_tree *shown, const void *elements, size_t count, bool *grown,
                     vz_error *err);

#endif
