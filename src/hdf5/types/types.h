/* types.h - HDF5 datatypes and Zarr dtypes, both ways. */
#ifndef VZ_TYPES_TYPES_H
#define VZ_TYPES_TYPES_H

#include "array/numeric/numeric.h"
#include "base/util/bytes.h"
#include "base/util/error.h"
#include "base/util/json.h"
#include "hdf5/h5/h5.h"
#include "hierarchy/nodes/node.h"
#include "metadata/metadata/metadata.h"
#include <stdint.h>

/* -- Element counts --
 * Counts that let tests demand that nothing is computed twice. State of the module instance. */
typedef struct vz_type_counts {
    uint64_t values;   /* attribute values made from their JSON */
    uint64_t plans;    /* how elements of a dataset and of a memory type become each other
                        * (datasets_internal.h) */
    uint64_t packings; /* steps between a dtype and a datatype, worked out */
    uint64_t moves;    /* plans of a read or write that were carried out: a batch each, of one
                        * dataset or several */
    uint64_t memory;   /* bytes that the last such plan may take beside the caller's buffers, as it
                        * knows them */
    uint64_t types;    /* HDF5 datatypes walked: read into a layout, or asked where variable-length
                        * data lies */
} vz_type_counts;

extern vz_type_counts vz_type_counted;

/* -- Type parts --
 * The parts of an HDF5 datatype: the one recursion through types, for code that needs HDF5's ids
 * at every level. Code that only needs offsets walks a type tree (below) instead. */
#define VZ_TYPE_MAX_DEPTH 64                /* types within types */
#define VZ_H5T_COMPLEX    ((H5T_class_t)11) /* a class of 2.x; the 1.14 headers do not know it */

typedef struct vz_type_part {
    hid_t type;       /* closed after the visit */
    unsigned depth;   /* of this type: one more than that of the type it is in */
    unsigned index;   /* HDF5's number of a member */
    size_t offset;    /* of a member */
    const char *name; /* of a member; NULL: what arrays, sequences, enumerations, complex numbers
                       * are made of */
} vz_type_part;

/* Calls `visit` for each member of a compound, in the order of HDF5's numbers, or for the base
 * of a type that has one. Other types have no parts. Stops and returns false if `visit` does.
 * False with err set also if HDF5 refuses, and for parts of a type at depth VZ_TYPE_MAX_DEPTH -
 * 1 (the outermost type is at 0). */
bool vz_type_parts(hid_t type, unsigned depth, bool (*visit)(void *context, const vz_type_part *part, vz_error *err),
                   void *context, vz_error *err);

/* Reports a failed HDF5 call whose record is lost because ids are closed afterwards. */
bool vz_type_refused(vz_error *err, const char *what);

/* -- File size --
 * The size of an element in an HDF5 file. Texts and sequences are stored as a length and the
 * address of a heap, whatever they are in memory. */
/* *size: of one element of `type`. Fails as vz_type_parts does. */
bool vz_type_file_size(hid_t type, uint64_t *size, vz_error *err);

/* -- Make type --
 * HDF5 datatypes made from plain facts. All functions return a new, transient type, or
 * H5I_INVALID_HID with err set. */
/* Integer or IEEE float. HDF5 knows an order of single bytes too, so big_endian counts for every
 * size here. */
hid_t vz_type_make_number(vz_number_format number, vz_error *err);

/* size H5T_VARIABLE: a char pointer. */
hid_t vz_type_make_string(size_t size, H5T_str_t pad, H5T_cset_t cset, vz_error *err);

/* Text as HDF5 shows it by default: variable length, UTF-8. */
hid_t vz_type_make_text(vz_error *err);
hid_t vz_type_make_old_reference(vz_error *err); /* H5T_STD_REF_OBJ */

/* h5py's boolean enumeration. */
hid_t vz_type_make_bool(vz_error *err);

/* Takes `base`: closes it, also on failure. An invalid base is a failure. */
hid_t vz_type_make_sequence(hid_t base, vz_error *err);
hid_t vz_type_make_array(hid_t base, unsigned rank, const hsize_t *dims, vz_error *err);

/* Appends a member to a compound. *compound < 0: makes the compound first. */
bool vz_type_make_next_member(hid_t *compound, const char *name, hid_t member, vz_error *err);

/* -- Type tree --
 * An HDF5 datatype read once into a plain tree, so that HDF5 is not asked for each element. */
typedef struct vz_type_tree vz_type_tree;

typedef struct vz_type_tree_member {
    char *name; /* escaped if it is not UTF-8 (annotation.h) */
    size_t offset;
    vz_type_tree *layout;
} vz_type_tree_member;

struct vz_type_tree {
    H5T_class_t class;
    size_t size;         /* of one element in memory */
    bool has_pointers;   /* text or sequences inside: the bytes alone are not the value */
    bool has_sequences;  /* sequences inside */
    bool has_references; /* references inside */
    bool has_vlen;       /* has_pointers, references apart */
    bool is_reference;   /* treated as variable text, in an element of `size` bytes: the pointer
                          * comes first (reference.h) */

    bool is_number; /* integers, floats, and what is one underneath (enums, bitfields): `number`
                     * tells. False for forms that only HDF5 understands: odd precision, x87 ... */
    vz_number_format number;
    hid_t exotic;     /* such a form: the type, else H5I_INVALID_HID */
    vz_narrow narrow; /* an exotic form that some Zarr data type is */
    bool is_bool;     /* h5py's: an enum over int8 of FALSE = 0, TRUE = 1 */
    bool is_complex;  /* compound of two equal IEEE floats r, i without padding, or VZ_H5T_COMPLEX;
                       * `base` is the float */

    bool is_variable; /* string: char pointer */
    H5T_str_t pad;    /* string */
    char *tag;        /* opaque */

    size_t count;       /* array: elements in all; compound: members, in the order of their
                         * offsets */
    vz_type_tree *base; /* array, sequence, complex */
    vz_type_tree_member *members;
};

/* Reads a type; references become text. NULL with err set: out of memory, nested too deeply, or
 * HDF5 refused. */
vz_type_tree *vz_type_tree_new(hid_t type, vz_error *err);
void vz_type_tree_free(vz_type_tree *layout); /* NULL is fine */

/* -- Own vlen --
 * Variable-length data inside elements. A reader's data must be allocated as its transfer list
 * says. */
typedef struct vz_allocator {
    H5MM_allocate_t allocate; /* NULL: malloc */
    void *info;
} vz_allocator;

/* Is it the default transfer property list? */
static inline bool vz_type_is_default_list(hid_t dxpl)
{
    return dxpl == H5P_DEFAULT || dxpl == H5P_DATASET_XFER_DEFAULT;
}

/* The allocator of a transfer property list. */
bool vz_allocator_of(hid_t dxpl, vz_allocator *allocator, vz_error *err);

/* Does the type hold variable-length data anywhere? */
bool vz_type_has_vlen(hid_t type);

/* Replaces every variable-length pointer in `count` elements (memory form) by a copy, nested
 * ones included. References stay unchanged. Frees nothing. */
bool vz_type_copy_vlen(const vz_type_tree *layout, void *elements, size_t count, const vz_allocator *allocator,
                       vz_error *err);

/* -- Standard types --
 * HDF5's own number types. Their ids stand for one datatype for the life of the library; nobody
 * can change or close them. Most programs use one of them, so HDF5 need not be asked for it. */
/* Is it the id of a standard number? False for those with big-endian single bytes, which HDF5
 * distinguishes. */
bool vz_standard_number(hid_t type, vz_number_format *number);

/* The id of the standard type of that form; do not change or close it. H5I_INVALID_HID: HDF5
 * 1.14 has none. */
hid_t vz_standard_type(vz_number_format number);

/* The number of the dtype's elements, if HDF5 has a standard type for it. */
bool vz_standard_of_dtype(const vz_dtype *dtype, vz_number_format *number);

/* -- Type map --
 * HDF5 datatypes and Zarr dtypes, both ways; rows in type_rule_table.c. */
/* Takes the dimensions off an array type, off its base if that is an array, too, and so on.
 * Returns the element type (new), or H5I_INVALID_HID. */
hid_t vz_type_strip_dims(hid_t type, unsigned *axes, uint64_t axis[VZ_MAX_RANK], vz_error *err);

/* The type that an array of the given shape shows. It is `annotated` (taken), which the annotation
 * or a convention gave, if the elements can be shown so. Otherwise it is the type by the dtype
 * alone. A new id.
 *
 * - *axes: number of the last dimensions that are a part of the type. For an array type they are
 *   its own; vz_type_unpack and _pack then count its elements.
 * - *row: for a compound whose members lie along the last axis, the dtype of all members
 *   together. It is unpacked and packed instead of the array's dtype; the caller frees it. Else
 *   NULL. */
hid_t vz_type_show_axes(const vz_dtype *dtype, hid_t annotated, unsigned rank, const uint64_t *shape, unsigned *axes,
                        vz_dtype **row, vz_error *err);

/* The dtype of a row whose members are elements of the array, side by side. */
vz_dtype *vz_type_row(const vz_dtype *dtype, const vz_type_tree *compound, vz_error *err);

/* The dtype of one row stored as a record for each of its `count` fields. Field i is read from
 * the i-th record; all are written. */
vz_dtype *vz_type_repeated_row(const vz_dtype *record, uint64_t count, vz_error *err);

/* Do elements of the dtype in a decoded chunk have exactly the bytes of the shown HDF5 type?
 * (Mostly no: text, objects, <U, and structs whose annotation asks for padding.) */
bool vz_type_same_bytes_as(const vz_dtype *dtype, hid_t shown);

/* The number behind a shown or memory type: an integer or float that src/array/numeric/numeric.h
 * knows. */
bool vz_type_number(hid_t type, vz_number_format *number);

/* Zarr elements to elements of the shown type in memory form (char pointers, hvl_t), and back,
 * for any dtype.
 *
 * - unpack: text and sequences lie in `arena` or in the items' own memory. The result needs no
 *   reclaim and is not the user's. H5Tconvert from `shown` to the memory type copies every string
 *   and sequence, even if the two types are equal.
 * - pack: items may point into the strings of `in`, so `in` must live as long as `elements` is
 *   used. All else is allocated in `arena`. */
bool vz_type_unpack(const vz_dtype *dtype, hid_t shown, const void *elements, size_t count, void *out, vz_arena *arena,
                    vz_error *err);
bool vz_type_pack(const vz_dtype *dtype, hid_t shown, const void *in, size_t count, void *elements, vz_arena *arena,
                  vz_error *err);

/* Steps of unpacking and packing, found once for many calls. The dtype is borrowed and must
 * outlive the packing. NULL with err set: elements of the dtype cannot be shown so, or HDF5
 * refused. */
typedef struct vz_packing vz_packing;
vz_packing *vz_packing_new(const vz_dtype *dtype, hid_t shown, vz_error *err);
void vz_packing_free(vz_packing *packing);                        /* NULL is fine */
const vz_type_tree *vz_packing_layout(const vz_packing *packing); /* of the shown type; borrowed */
bool vz_packing_unpack(const vz_packing *packing, const void *elements, size_t count, void *out, vz_arena *arena,
                       vz_error *err);
bool vz_packing_pack(const vz_packing *packing, const void *in, size_t count, void *elements, vz_arena *arena,
                     vz_error *err);

/* Some dtypes grow with the data. Text members of a compound are stored as <Um, m starting at 1.
 * A text array becomes one of byte strings at the first text that is not UTF-8. A write goes
 *
 *     if (vz_type_can_grow(dtype)) {
 *         vz_type_widen(dtype, tree of shown, in, count, empty, &grown, err); // looks at it
 *         if (grown) give the array the dtype `grown`;                        // see below
 *     }
 *     vz_type_pack(array's dtype, ...);
 *
 * To give an array another dtype:
 * - Without chunks: meta->dtype, the fill value (by vz_type_widen_elements) and the chain are
 *   replaced, and the metadata is marked as changed.
 * - With chunks: they are read, passed through vz_type_widen_elements and written beside
 *   (vz_edit_replace).
 * - Text to byte strings needs no rewrite, since the chunks have equal bytes: the object codec
 *   becomes "vlen-bytes".
 * - In all cases vz_annotation_set(node, "t", ...) follows, with vz_type_annotation of the shown
 *   type. */
bool vz_type_can_grow(const vz_dtype *dtype);

/* *grown: NULL if `dtype` holds all of `in`, else a new dtype that does; the caller frees it.
 * `empty`: nothing is stored yet, so widths are exact. Otherwise widths grow by at least a half,
 * so that appending does not rewrite the array each time. */
bool vz_type_widen(const vz_dtype *dtype, const vz_type_tree *shown, const void *in, size_t count, bool empty,
                   vz_dtype **grown, vz_error *err);

/* Converts elements of `from` to `to`, which vz_type_widen made of it. The two buffers do not
 * overlap. */
void vz_type_widen_elements(const vz_dtype *from, const vz_dtype *to, const void *elements, size_t count, void *out);

/* The annotation "t" that makes `dtype` show as `shown`. *annotation is NULL if none is needed. */
bool vz_type_annotation(const vz_dtype *dtype, hid_t shown, vz_json **annotation, vz_error *err);

typedef struct vz_type_context {
    bool inside; /* a member of a compound: every element must have one size */
    bool little; /* numbers are stored little-endian whatever the HDF5 type says */
    bool narrow; /* the Zarr format has words for numbers of few bits */
} vz_type_context;

/* The dtype of an element, by the rules. */
vz_dtype *vz_type_to_zarr(const vz_type_tree *layout, vz_type_context context, vz_error *err);

/* The type that an array shows by its dtype alone: a new id. */
hid_t vz_type_to_hdf5(const vz_dtype *dtype, vz_error *err);

/* The type of a member of a structure, which may have dimensions: a new id. */
hid_t vz_type_of_field(const vz_dtype_field *field, vz_error *err);

/* -- Short form --
 * HDF5 types as annotations name them; dtypes.md describes the form. */
/* The form of a type: a new value, or NULL with err set. */
vz_json *vz_short_form_print(hid_t type, vz_error *err);
/* The type of a form: a new id, or H5I_INVALID_HID. VZ_CORRUPT if the form describes no type. */
hid_t vz_short_form_parse(const vz_json *form, vz_error *err);

/* Does an element hold numbers of both byte orders? */
bool vz_type_is_mixed(const vz_type_tree *layout);

#endif
