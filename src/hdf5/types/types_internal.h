/* types_internal.h - types.h for this module alone: rules, short form, making types. */
#ifndef VZ_TYPES_TYPES_INTERNAL_H
#define VZ_TYPES_TYPES_INTERNAL_H

#include "hdf5/types/types.h"

/* h5py's complex number: compound {r, i} of two floats of half the size. */
hid_t vz_type_make_complex(size_t size, bool big_endian, vz_error *err);
hid_t vz_type_make_opaque(size_t size, const char *tag, vz_error *err);

/* Inserts a member into a compound; takes `member`. */
bool vz_type_make_member(hid_t compound, const char *name, size_t offset, hid_t member, vz_error *err);

/* The type that elements of VZ_DTYPE_NARROW show. */
hid_t vz_type_make_narrow(const vz_dtype *dtype, vz_error *err);
hid_t vz_type_make_wide(const vz_dtype *dtype, vz_error *err); /* a float of 32 bits */

/* The integer or float of few bits that HDF5 reads as it is meant, or none. */
vz_narrow vz_type_tree_narrow(hid_t type, H5T_class_t class);
bool vz_type_narrow_number(hid_t type, vz_number_format *number); /* of floats only */

/* Is the type an integer or IEEE float of standard form? */
bool vz_type_tree_number(hid_t type, H5T_class_t class, vz_number_format *number);

/* -- Type rules --
 * The rules between HDF5 types and dtypes, one a row of type_rule_table.c. */
/* Longest array member of a compound that becomes a struct of numbered fields; longer ones are
 * raw bytes. */
#define VZ_NUMBERED_FIELDS_MAX 32

typedef struct vz_type_rule {
    H5T_class_t class;
    bool (*matches)(const vz_type_tree *layout); /* NULL: any of the class */
    vz_dtype *(*to_zarr)(const vz_type_tree *layout, vz_type_context context, vz_error *err);
    vz_dtype_kind kind;
    hid_t (*to_hdf5)(const vz_dtype *dtype, vz_error *err); /* NULL: an annotation says what it
                                                             * was */
} vz_type_rule;

extern const vz_type_rule vz_type_rules[];
extern const size_t vz_type_rule_count;

/* Is an element stored as a byte string of its own form (elements.h), because no dtype can hold
 * it? */
bool vz_type_is_record(const vz_type_tree *layout);

/* Name of a numbered field. */
const char *vz_type_field_name(size_t index, char buffer[24]);

/* -- Short form --
 * Shared by notation_parse.c and notation_print.c. */
#define VZ_SHORT_FORM_MAX_DEPTH 24 /* types within types: an annotation is JSON of limited depth */

/* A word for each value of an HDF5 enumeration; the index is the value. NULL ends the list. */
extern const char *const vz_short_form_pads[];  /* H5T_str_t */
extern const char *const vz_short_form_csets[]; /* H5T_cset_t */
extern const char *const vz_short_form_norms[]; /* H5T_norm_t */

/* "<", ">", "vax": byte orders. */
bool vz_short_form_order_of(const vz_json *text, H5T_order_t *order);

#endif
