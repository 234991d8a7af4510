/* datasets_internal.h - datasets.h for this module alone: plans, buffers, transfers. */
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
vz_sources_kind vz_sources_requested(H5D_layout_t layout, hid_t dcpl);
/* vz_sources_kind_of without the view of the node, which it becomes part of. */
vz_sources_kind vz_sources_kind_read(const vz_node *node);

/* The mappings or files of a creation list, for the annotation of a new node. */
vz_json *vz_sources_describe_virtual(hid_t dcpl, vz_error *err);
vz_json *vz_sources_describe_external(hid_t dcpl, vz_error *err);

/* Sets the sources in a creation list. HDF5 keeps no extent of a source in a file: it is as
 * large as the selection reaches. The given extent holds (`as_given`) as long as the file that
 * made the dataset is open. `space` is the dataset's. */
bool vz_sources_show(const vz_node *node, hid_t space, bool as_given, hid_t dcpl, vz_error *err);

/* Does HDF5 accept this type, dataspace and creation list for a native file? It checks the
 * sources. */
bool vz_sources_check(hid_t type, hid_t space, hid_t dcpl, vz_error *err);

/* Checks that the external files have room for new dimensions. */
bool vz_external_check_extent(vz_node *node, const hsize_t *dims, vz_error *err);

/* -- Chunk index --
 * The list of an array's stored chunks. */
/* One stored chunk, in a list. */
typedef struct vz_dataset_chunk_entry {
    uint64_t chunk[VZ_MAX_RANK];
    struct vz_dataset_chunk_entry *next;
} vz_dataset_chunk_entry;

/* Lists the stored chunks, after a flush of dirty ones. Free *chunks, also on failure. */
bool vz_dataset_stored_chunks_list(vz_node *node, vz_dataset_chunk_entry **chunks, vz_error *err);
void vz_dataset_stored_chunks_free(vz_dataset_chunk_entry *chunks);

/* -- Element plan --
 * The conversion between elements of a dataset and of one memory type: everything that depends
 * on the two types alone. Made once for an open dataset and kept in its view for the last few
 * memory types. It goes with the view if the dataset's type changes. */
typedef struct vz_element_plan {
    size_t users;    /* the view, and transfers */
    hid_t mem_type;  /* a copy, or: */
    bool lent;       /* it is one of HDF5's own, or the view's */
    hid_t shown;     /* what is converted to or from mem_type: the view's type, or with references a
                      * form of it, ours */
    bool references; /* the type holds some */
    bool same_type;  /* `shown` and mem_type are equal */
    bool vlen;       /* one of them holds variable-length data */
    bool background; /* H5Tconvert wants the elements that are there already */
    size_t file_size, shown_size, mem_size; /* bytes of one element in each form */
    bool is_number;                         /* both are numbers that the workers convert, by
                                             * these: */
    vz_number_conversion to_memory, to_file;
    bool texts;           /* both are the same text of variable length, which the workers move */
    vz_packing *packing;  /* NULL: not asked for yet, or the bytes are the same */
    vz_type_tree *layout; /* of mem_type; NULL: not asked for yet */
    hid_t list;           /* a transfer list of default properties whose variable-length data lies
                           * in *arena; or invalid */
    vz_arena *arena;      /* of the transfer that has the list now; NULL: nobody */
} vz_element_plan;

/* The plan of a dataset for a memory type; release it before the view. NULL with err set. */
vz_element_plan *vz_element_plan_take(vz_dataset_view *view, hid_t mem_type, vz_error *err);
void vz_element_plan_release(vz_element_plan *plan); /* NULL is fine */

/* Parts of the plan that are made on first use; borrowed from it. NULL with err set. */
const vz_packing *vz_element_plan_packing(vz_element_plan *plan, const vz_dataset_view *view, vz_error *err);
const vz_type_tree *vz_element_plan_layout(vz_element_plan *plan, vz_error *err);

/* A transfer list that makes H5Tconvert allocate variable-length data in `arena`. Lent until it
 * is given back. H5I_INVALID_HID without an error: it is lent already (a conversion called the
 * program, which transfers, too). */
hid_t vz_element_plan_lend_list(vz_element_plan *plan, vz_arena *arena, vz_error *err);
void vz_element_plan_give_back(vz_element_plan *plan);
/* A copy of `dxpl`, or a new list of default properties, to be closed; its data lies in the
 * arena that *arena names. */
hid_t vz_dataset_arena_list(hid_t dxpl, vz_arena **arena, vz_error *err);

/* -- Convert buffer --
 * The way of elements between decoded chunks and the user's memory, chosen once a call by the
 * plan.
 *
 * - DIRECT: the bytes are equal.
 * - NUMBERS: the workers convert them on the way.
 * - TEXTS: variable text; the workers make the pointers, allocated for free().
 * - BUFFERED: through packed buffers on the caller's thread, in batches: array bytes, shown type
 *   in memory form, H5Tconvert, the user's type. */
/* A buffer for a batch is no larger than this, one element aside. */
#define VZ_CONVERT_BUFFER_BYTES ((size_t)64 << 20)
/* All buffers of the datasets of a call, one dataset aside. */
#define VZ_CONVERT_BUFFERS_BYTES ((uint64_t)3 * VZ_CONVERT_BUFFER_BYTES)

typedef struct vz_dataset_convert_buffer {
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
    bool leave_missing;                     /* the dataset is never filled: what has no chunk is not
                                             * read */
    hid_t dxpl; /* for H5Tconvert; allocates variable-length data in `arena` where the plan has
                 * some */
    bool own_dxpl;
    vz_element_plan *lender; /* whose list it is */
    vz_arena *to_arena;      /* where an own list allocates */
    vz_allocator allocator;  /* of the user's transfer list */
    vz_arena arena;          /* one batch's variable-length data */

    size_t batch;        /* elements of a batch */
    uint8_t *elements;   /* batch in array bytes (the same as `work` when those are the shown
                          * type's) */
    uint8_t *work;       /* batch in the shown or the user's type */
    uint8_t *background; /* elements that stand in the target already */
} vz_dataset_convert_buffer;

/* Opens a buffer. `reading`: from the array to the user, else the other way. `contiguous`: the
 * user's elements are neighbours. */
bool vz_dataset_convert_buffer_open(vz_dataset_convert_buffer *buffer, vz_node *node, hid_t mem_type, hid_t dxpl,
                                    const vz_reference_maker *maker, bool reading, bool contiguous, vz_error *err);
/* Bytes of the buffers for `count` elements, without the variable-length data of a batch.
 * BUFFERED only. */
uint64_t vz_dataset_convert_buffer_bytes(const vz_dataset_convert_buffer *buffer, uint64_t count);
/* Makes the buffers for batches of at most `count` elements. BUFFERED only. */
bool vz_dataset_convert_buffer_reserve(vz_dataset_convert_buffer *buffer, uint64_t count, vz_error *err);
/* Converts `count` elements in buffer->elements to the user's type in buffer->work. With
 * background, buffer->background has the user's present elements. The user owns the
 * variable-length data afterwards. */
bool vz_dataset_convert_buffer_to_memory(vz_dataset_convert_buffer *buffer, size_t count, vz_error *err);
/* The first step of a write: converts `count` elements of the user's type in buffer->work to the
 * shown type, in place. With background, buffer->elements has the array's present elements. */
bool vz_dataset_convert_buffer_to_shown(vz_dataset_convert_buffer *buffer, size_t count, vz_error *err);
/* The second step: gives the array a dtype that holds `elements` of the shown type, if its own
 * cannot. Examples are longer text in a compound, and text that is not UTF-8. Sizes, the elements'
 * buffer and the array's I/O state are then new. No transfer of the array may run meanwhile. */
bool vz_dataset_convert_buffer_grow(vz_dataset_convert_buffer *buffer, const void *elements, size_t count,
                                    vz_error *err);
/* The last step: packs them into array bytes in buffer->elements; items point to the user's
 * memory or the arena. */
bool vz_dataset_convert_buffer_pack(vz_dataset_convert_buffer *buffer, size_t count, vz_error *err);
/* Frees the batch's variable-length data. */
void vz_dataset_convert_buffer_next(vz_dataset_convert_buffer *buffer);
void vz_dataset_convert_buffer_close(vz_dataset_convert_buffer *buffer);

/* -- Copy chunks --
 * Copies stored elements between arrays of equal shown type and dataspace. */
/* Copies what is stored and updates references. *any: something was stored. The copy is in the
 * store afterwards. */
bool vz_dataset_copy_elements(vz_node *from, vz_node *to, bool *any, vz_error *err);
/* Updates the references of one array; writes only chunks whose references changed. */
bool vz_dataset_refresh_references(vz_node *node, vz_error *err);

/* -- Data transform --
 * Data transforms (H5Pset_data_transform): an expression over every element of a transfer, in
 * the user's type. */
bool vz_transform_is_set(hid_t dxpl);
/* Applies the transfer list's transform to `count` elements in place. HDF5 computes it, and
 * refuses what it refuses for native files. */
bool vz_transform_apply(hid_t dxpl, hid_t type, void *elements, size_t count, vz_error *err);

/* -- Fast path --
 * A few elements to or from a cached chunk, for programs that go row by row. */
/* Moves the elements if they are one box inside one cached chunk, need at most a number
 * conversion, and are contiguous in memory. Else *moved=false and nothing is done: the general
 * way does it, and reports errors. */
bool vz_dataset_fast_transfer(const vz_dataset_transfer *what, hid_t dxpl, bool reading, bool *moved, vz_error *err);

/* -- Native scratch --
 * A native HDF5 file in memory for the length of a call. Its datasets stand in for ours for
 * operations that HDF5 has only for native ones. */
/* Makes the file. `beside`: a path in whose directory the file pretends to be; NULL: nowhere.
 * Negative with HDF5's record on the stack. */
hid_t vz_dataset_native_memory_file(const char *beside);

/* -- Transfer elements --
 * One dataset's part of a read or write, in batches that fit its buffers. The file dataset_io.c
 * advances several datasets together, batch by batch, so that their chunks are one plan. */
/* Runs of shown elements as runs of array elements. */
typedef struct vz_dataset_axis_runs {
    vz_pair_runs *runs;
    uint64_t per;
} vz_dataset_axis_runs;

typedef struct vz_element_transfer {
    const vz_dataset_transfer *what; /* borrowed */
    bool reading;
    bool paired, staging; /* what of it is to be closed */
    bool begun;           /* a read of texts was asked for and is not complete: some may be the
                           * caller's to free */
    vz_dataset_convert_buffer buffer;
    uint64_t left; /* elements that are not moved yet */
    size_t batch;  /* of them, what is moved now */
    /* The file side: a region, packed where it is buffered (then all fits into one batch), or
     * runs. */
    bool one_region;
    vz_pair_runs *runs;
    vz_pair_runs *again;            /* a second pass over the same elements: background before a
                                     * write */
    vz_dataset_scatter *memory;     /* buffered: to and from the user's memory */
    vz_dataset_scatter *background; /* memory once more, to gather what stands there */
    vz_dataset_axis_runs axes;      /* of `transfer` */
    vz_transfer transfer;           /* of this batch */
    vz_pair pair;
    vz_region region; /* where one_region says so */
} vz_element_transfer;

/* Checks the selections and chooses the way of the elements. Close it, also on failure. It must
 * not move in memory. */
bool vz_element_transfer_open(vz_element_transfer *move, const vz_dataset_transfer *what, hid_t dxpl, bool reading,
                              vz_error *err);
/* Bytes that its batches need beside the caller's buffer; vz_element_transfer_reserve allocates
 * them. */
uint64_t vz_element_transfer_bytes(const vz_element_transfer *move);
bool vz_element_transfer_reserve(vz_element_transfer *move, vz_error *err);
void vz_element_transfer_close(vz_element_transfer *move);

/* The target of a read: bytes from the first to the end of the last element, gaps included. The box
 * of the memory dataspace around them stands beside it. */
typedef struct vz_dataset_transfer_place {
    bool known;
    const uint8_t *first, *end;
    int rank; /* -1: no box */
    hsize_t dims[H5S_MAX_RANK], low[H5S_MAX_RANK], high[H5S_MAX_RANK];
} vz_dataset_transfer_place;
void vz_dataset_transfer_find_place(const vz_element_transfer *move, vz_dataset_transfer_place *place);

/* Do two reads put elements into equal bytes of memory? True if that is not known. Adds to
 * *costs if HDF5 had to compare the selections. */
bool vz_dataset_transfers_overlap(const vz_element_transfer *a, const vz_dataset_transfer_place *at,
                                  const vz_element_transfer *b, const vz_dataset_transfer_place *bt, size_t *costs);

/* ---- a batch of a read: ask for the elements, then finish it ---- */

/* The array's part of the batch; `ask` points into the transfer. */
bool vz_element_transfer_ask(vz_element_transfer *move, vz_array_transfer *ask, vz_error *err);
bool vz_element_transfer_arrived(vz_element_transfer *move, vz_error *err);

/* ---- a batch of a write: read the background if it is needed, convert, ask for the write, finish
 * it. Converting may give the array another dtype. ---- */

bool vz_element_transfer_needs_background(const vz_element_transfer *move);
bool vz_element_transfer_ask_background(vz_element_transfer *move, vz_array_transfer *ask, vz_error *err);
bool vz_element_transfer_convert(vz_element_transfer *move, vz_error *err);
/* Gives the array's part of the write, as vz_element_transfer_ask does;
 * vz_element_transfer_stored finishes it. */
void vz_element_transfer_stored(vz_element_transfer *move);

/* -- Widen dtype --
 * Gives an array another dtype because its data needs one (vz_type_widen). */
/* Checks `count` elements of the shown type (or of its form for references) that are about to be
 * written. If the array's dtype cannot hold them, the array gets one that can and keeps its
 * elements. *grown: it did; I/O state and view are then new. */
bool vz_dataset_grow(vz_node *node, const vz_type_tree *shown, const void *elements, size_t count, bool *grown,
                     vz_error *err);

#endif
