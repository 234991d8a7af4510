/* type_tree.h - an HDF5 datatype read once into a plain tree, so that nothing asks HDF5 about each element. For
 * this room, and for attributes and dialects. */
#ifndef VZ_TYPES_TYPE_TREE_H
#define VZ_TYPES_TYPE_TREE_H

#include "hdf5/h5/h5.h"
#include "metadata/metadata/dtype.h"
#include "array/numeric/convert_numbers.h"
#include "hdf5/types/type_parts.h"

typedef struct vz_type_tree vz_type_tree;

typedef struct vz_layout_member {
    char *name; /* escaped where it is not UTF-8 (unusual_name.h) */
    size_t offset;
    vz_type_tree *layout;
} vz_layout_member;

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

    size_t count;    /* array: elements in all; compound: members, in the order of their offsets */
    vz_type_tree *base; /* array, sequence, complex */
    vz_layout_member *members;
};

/* References are laid out as text. NULL with err set: out of memory, nested
 * too deeply, or HDF5 refused. */
vz_type_tree *vz_layout_new(hid_t type, vz_error *err);
void vz_layout_free(vz_type_tree *layout); /* NULL is fine */

/* Integer or IEEE float of standard form; the class is looked at by nobody else. */
bool vz_layout_number(hid_t type, H5T_class_t class, vz_number_format *number);

#endif
