/* types.h - element counts, type parts, file size, make type, type tree, own vlen, standard
 * types, type map, type rules. */
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
 * counted so that tests can demand that nothing is worked out twice. State of the module instance. */
typedef struct vz_counts {
    uint64_t values;   /* attribute values made from their JSON */
    uint64_t plans;    /* how elements of a dataset and of a memory type become each other (datasets_internal.h) */
    uint64_t packings; /* steps between a dtype and a datatype, worked out */
    uint64_t moves;    /* plans of a read or write that were carried out: a batch each, of one dataset or several */
    uint64_t memory;   /* bytes that the last such plan may take beside the caller's buffers, as it knows them */
    uint64_t types;    /* HDF5 datatypes walked: read into a layout, or asked where variable-length data lies */
} vz_counts;

extern vz_counts vz_counted;

/* -- Type parts --
 * the parts of an HDF5 datatype: the one way down through types, for those that need HDF5's ids at every
 * level. Who only wants to know where things lie in elements reads a layout (types.h), which is made by it, and goes
 * down that. */
#define VZ_TYPE_MAX_DEPTH 64                /* types within types */
#define VZ_H5T_COMPLEX    ((H5T_class_t)11) /* a class of 2.x; the 1.14 headers do not know it */

typedef struct vz_type_part {
    hid_t type;       /* closed after the visit */
    unsigned depth;   /* of this type: one more than that of the type it is in */
    unsigned index;   /* HDF5's number of a member */
    size_t offset;    /* of a member */
    const char *name; /* of a member; NULL: what arrays, sequences, enumerations, complex numbers are made of */
} vz_type_part;

/* Calls `visit` for each member of a compound, in the order of HDF5's numbers, or for the base of a type that has one;
 * stops where it says false, and says false then. Other types have no parts. false with err set also if HDF5 refuses,
 * and for parts of a type at VZ_TYPE_MAX_DEPTH - 1 (a type by itself is at 0). */
bool vz_type_parts(hid_t type, unsigned depth, bool (*visit)(void *context, const vz_type_part *part, vz_error *err),
                   void *context, vz_error *err);

/* A failed HDF5 call whose record is of no use because ids are closed afterwards. */
bool vz_type_refused(vz_error *err, const char *what);

/* -- File size --
 * bytes of an element as an HDF5 file would have it: texts and sequences are stored as a length and the
 * address of a heap, whatever they are in memory. */
/* *size: of one element of `type`. Fails as vz_type_parts does. */
bool vz_type_file_size(hid_t type, uint64_t *size, vz_error *err);

/* -- Make type --
 * HDF5 datatypes made from plain facts. All return a new, transient type, or
 * H5I_INVALID_HID with err set. */
/* Integer or IEEE float. HDF5 knows an order of single bytes too, so big_endian counts for every size here. */
hid_t vz_make_number(vz_number_format number, vz_error *err);

/* size H5T_VARIABLE: a char pointer. */
hid_t vz_make_string(size_t size, H5T_str_t pad, H5T_cset_t cset, vz_error *err);

/* Text as HDF5 shows it by default: variable length, UTF-8. */
hid_t vz_make_text(vz_error *err);
hid_t vz_make_old_reference(vz_error *err); /* H5T_STD_REF_OBJ */

/* h5py's boolean enumeration. */
hid_t vz_make_bool(vz_error *err);

/* Takes `base` (closes it, also on failure; an invalid one = a failed constructor). */
hid_t vz_make_sequence(hid_t base, vz_error *err);
hid_t vz_make_array(hid_t base, unsigned rank, const hsize_t *dims, vz_error *err);

/* The same behind the members that are there already; *compound < 0: it is made. */
bool vz_make_next_member(hid_t *compound, const char *name, hid_t member, vz_error *err);

/* -- Type tree --
 * an HDF5 datatype read once into a plain tree, so that nothing asks HDF5 about each element. For
 * this room, and for attributes and dialects. */
typedef struct vz_type_tree vz_type_tree;

typedef struct vz_type_tree_member {
    char *name; /* escaped where it is not UTF-8 (annotation.h) */
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
    bool is_reference; /* treated as variable text, in an element of `size` bytes: the pointer comes first (reference.h)
                        */

    bool is_number; /* integers, floats, and what is one underneath (enums, bitfields): `number` tells. False for forms
                     * that only HDF5 understands: odd precision, x87 ... */
    vz_number_format number;
    hid_t exotic; /* such a form: the type, else H5I_INVALID_HID */
    bool is_bool; /* h5py's: an enum over int8 of FALSE = 0, TRUE = 1 */
    bool
        is_complex; /* compound of two equal IEEE floats r, i without padding, or VZ_H5T_COMPLEX; `base` is the float */

    bool is_variable; /* string: char pointer */
    H5T_str_t pad;    /* string */
    char *tag;        /* opaque */

    size_t count;       /* array: elements in all; compound: members, in the order of their offsets */
    vz_type_tree *base; /* array, sequence, complex */
    vz_type_tree_member *members;
};

/* References are laid out as text. NULL with err set: out of memory, nested
 * too deeply, or HDF5 refused. */
vz_type_tree *vz_type_tree_new(hid_t type, vz_error *err);
void vz_type_tree_free(vz_type_tree *layout); /* NULL is fine */

/* -- Own vlen --
 * variable-length data inside elements: what a reader gets must be allocated as its transfer list says. */
typedef struct vz_allocator {
    H5MM_allocate_t allocate; /* NULL: malloc */
    void *info;
} vz_allocator;

/* Is it the default transfer property list? */
static inline bool vz_is_default_list(hid_t dxpl)
{
    return dxpl == H5P_DEFAULT || dxpl == H5P_DATASET_XFER_DEFAULT;
}

/* The allocator of a transfer property list. */
bool vz_allocator_of(hid_t dxpl, vz_allocator *allocator, vz_error *err);

/* Does the type hold variable-length data anywhere? */
bool vz_type_has_vlen(hid_t type);

/* Replaces every variable-length pointer in `count` elements (memory form) by a copy of its own, nested ones included;
 * references are left alone. Nothing that was there is freed. */
bool vz_own(const vz_type_tree *layout, void *elements, size_t count, const vz_allocator *allocator, vz_error *err);

/* -- Standard types --
 * numbers of HDF5's own, whose ids stand for the same datatype as long as the library lives: nobody can
 * change or close them. Most programs name one of these, and then HDF5 needs not be asked what it is. */
/* Is it the id of one of them? Not of those with big-endian single bytes, which HDF5 tells from others. */
bool vz_standard_number(hid_t type, vz_number_format *number);

/* The id of the one with that form, which is to be neither changed nor closed; H5I_INVALID_HID: HDF5 1.14 has none. */
hid_t vz_standard_type(vz_number_format number);

/* The number that elements of the dtype are, if they are one with a type of HDF5's. */
bool vz_standard_of_dtype(const vz_dtype *dtype, vz_number_format *number);

/* -- Type map --
 * HDF5 datatypes and Zarr dtypes, both ways; rows in type_rule_table.c. */
/* Takes the dimensions of an array type, of its base if that is an array too, and so on. Returns the element type
 * (new), or H5I_INVALID_HID. */
hid_t vz_type_peel(hid_t type, unsigned *axes, uint64_t axis[VZ_MAX_RANK], vz_error *err);

/* The type that an array with the given shape shows: `annotated` (taken), which the annotation or a convention tells,
 * if its elements can be shown so, else what the dtype alone says. *axes tells how many of the last dimensions belong
 * to the type. Of an array type they are; vz_type_unpack and _pack then count in its elements. Of a compound whose
 * members lie along the last axis *row is the dtype of all of them together, which is to be unpacked and packed instead
 * of the array's (the caller frees it); else it is NULL. */
hid_t vz_type_show_axes(const vz_dtype *dtype, hid_t annotated, unsigned rank, const uint64_t *shape, unsigned *axes,
                        vz_dtype **row, vz_error *err);

/* The dtype of a row whose members are elements of the array, side by side. */
vz_dtype *vz_type_row(const vz_dtype *dtype, const vz_type_tree *compound, vz_error *err);

/* The dtype of one row stored as a record for each of its `count` fields: field i is shown of the i-th, all are
 * written. */
vz_dtype *vz_type_repeated_row(const vz_dtype *record, uint64_t count, vz_error *err);

/* Do elements of the dtype in a decoded chunk have exactly the bytes of the shown HDF5 type? (Mostly no: text, objects,
 * <U, and structs whose annotation asks for padding.) */
bool vz_type_same_bytes_as(const vz_dtype *dtype, hid_t shown);

/* The number behind a shown or memory type: integer, float of a size and order that src/array/numeric/numeric.h knows
 * and standard layout. */
bool vz_type_number(hid_t type, vz_number_format *number);

/* Zarr elements <-> elements of the shown type in memory form (char pointers, hvl_t), for any dtype.
 * unpack: text and sequences lie in `arena` or in the items' own memory; the result needs no reclaim and is not the
 * user's: H5Tconvert from `shown` to the memory type copies every string and sequence, also when the two are equal.
 * pack: items may point into `in`'s own strings, so `in` must live as long as `elements` is used; the rest of what they
 * point to is taken from `arena`. */
bool vz_type_unpack(const vz_dtype *dtype, hid_t shown, const void *elements, size_t count, void *out, vz_arena *arena,
                    vz_error *err);
bool vz_type_pack(const vz_dtype *dtype, hid_t shown, const void *in, size_t count, void *elements, vz_arena *arena,
                  vz_error *err);

/* The same for many calls: what to do is worked out once. The dtype is borrowed and must outlive the packing. NULL with
 * err set: elements of the dtype cannot be shown so, or HDF5 refused. */
typedef struct vz_packing vz_packing;
vz_packing *vz_packing_new(const vz_dtype *dtype, hid_t shown, vz_error *err);
void vz_packing_free(vz_packing *packing);                        /* NULL is fine */
const vz_type_tree *vz_packing_layout(const vz_packing *packing); /* of the shown type; borrowed */
bool vz_packing_unpack(const vz_packing *packing, const void *elements, size_t count, void *out, vz_arena *arena,
                       vz_error *err);
bool vz_packing_pack(const vz_packing *packing, const void *in, size_t count, void *elements, vz_arena *arena,
                     vz_error *err);

/* Some dtypes grow with the data. Text members of a compound are stored as <Um, m starting at 1; a text array becomes
 * one of byte strings at the first text that is not UTF-8. So a write goes
 *
 *     if (vz_type_can_grow(dtype)) {
 *         vz_type_fit(dtype, layout of shown, in, count, empty, &grown, err);     // looks at the data
 *         if (grown) give the array the dtype `grown`;                  // see below
 *     }
 *     vz_type_pack(array's dtype, ...);
 *
 * Giving an array another dtype: where it has no chunks yet, meta->dtype, the fill value (vz_type_regrow it) and the
 * chain are replaced and the metadata marked changed; otherwise its chunks are read, passed through vz_type_regrow and
 * written beside (vz_node_replace). Text to byte strings needs no rewrite, since the chunks have the same bytes:
 * the object codec becomes "vlen-bytes". In both cases vz_annotation_set(node, "t", ...) follows with
 * vz_type_annotation of the shown type. */
bool vz_type_can_grow(const vz_dtype *dtype);

/* *grown: NULL when `dtype` holds all of `in`, else a new dtype that does (caller frees). empty: nothing is stored yet,
 * so widths are exact; otherwise they grow by half at least, so that appending does not rewrite the array each time. */
bool vz_type_fit(const vz_dtype *dtype, const vz_type_tree *shown, const void *in, size_t count, bool empty,
                 vz_dtype **grown, vz_error *err);

/* Elements of `from` as elements of `to`, which vz_type_fit made of it. `to` elements do not overlap `from`'s. */
void vz_type_regrow(const vz_dtype *from, const vz_dtype *to, const void *elements, size_t count, void *out);

/* The annotation "t" that makes `dtype` show as `shown`: *annotation is NULL when none is needed. */
bool vz_type_annotation(const vz_dtype *dtype, hid_t shown, vz_json **annotation, vz_error *err);

typedef struct vz_type_context {
    bool inside; /* a member of a compound: every element must have one size */
    bool little; /* numbers are stored little-endian whatever the HDF5 type says */
} vz_type_context;

/* The dtype of an element, by the rules. */
vz_dtype *vz_type_to_zarr(const vz_type_tree *layout, vz_type_context context, vz_error *err);

/* The type an array shows when nothing else is known of it. */
hid_t vz_type_to_hdf5(const vz_dtype *dtype, vz_error *err);

/* The same for a member of a structure, which may have dimensions. */
hid_t vz_type_of_field(const vz_field *field, vz_error *err);

/* -- Short form --
 * HDF5 types as annotations name them; dtypes.md describes the form. */
/* The form of a type: a new value, or NULL with err set. */
vz_json *vz_short_form_print(hid_t type, vz_error *err);
/* The type of a form: a new id, or H5I_INVALID_HID. VZ_CORRUPT if the form describes no type. */
hid_t vz_short_form_parse(const vz_json *form, vz_error *err);

/* Does an element hold numbers of both byte orders? */
bool vz_type_is_mixed(const vz_type_tree *layout);

#endif
