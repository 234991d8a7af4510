/* type_rules.h - the rules behind type_map.h: one row each in type_rule_table.c. */
#ifndef VZ_TYPES_TYPE_RULES_H
#define VZ_TYPES_TYPE_RULES_H

#include "hdf5/types/type_tree.h"

/* Array members of a compound become a struct of so many numbered fields at most; longer ones are raw bytes. */
#define VZ_NUMBERED_FIELDS_MAX 32

typedef struct vz_type_context {
    bool inside; /* a member of a compound: every element must have one size */
    bool little; /* numbers are stored little-endian whatever the HDF5 type says */
} vz_type_context;

typedef struct vz_type_rule {
    H5T_class_t class;
    bool (*matches)(const vz_type_tree *layout); /* NULL: any of the class */
    vz_dtype *(*to_zarr)(const vz_type_tree *layout, vz_type_context context, vz_error *err);
    vz_dtype_kind kind;
    hid_t (*to_hdf5)(const vz_dtype *dtype, vz_error *err); /* NULL: an annotation says what it was */
} vz_type_rule;

extern const vz_type_rule vz_type_rules[];
extern const size_t vz_type_rule_count;

/* The dtype of an element, by the rules. */
vz_dtype *vz_type_to_zarr(const vz_type_tree *layout, vz_type_context context, vz_error *err);
/* The type an array shows when nothing else is known of it. */
hid_t vz_type_to_hdf5(const vz_dtype *dtype, vz_error *err);

/* The same for a member of a structure, which may have dimensions. */
hid_t vz_type_of_field(const vz_field *field, vz_error *err);

/* Is an element stored as a byte string of its own form (vlen_record.h), because no dtype can hold it? */
bool vz_type_is_record(const vz_type_tree *layout);
/* Does an element hold numbers of both byte orders? */
bool vz_type_is_mixed(const vz_type_tree *layout);

/* Name of a numbered field. */
const char *vz_type_field_name(size_t index, char buffer[24]);

#endif
