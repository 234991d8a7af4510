/* element_steps.h - how elements of a dtype become elements of an HDF5 type and back: a list of steps. Private to this room. */
#ifndef VZ_TYPES_ELEMENT_STEPS_H
#define VZ_TYPES_ELEMENT_STEPS_H

#include "hdf5/types/type_tree.h"

typedef struct vz_steps vz_steps;

/* The one field of a structure of records that are one row together (vz_type_repeated_row). */
#define VZ_REPEATED_FIELD ""

/* VZ_CORRUPT when elements of the dtype cannot be shown so; VZ_UNSUPPORTED when their codec is one we cannot read. Both
 * arguments are borrowed and must outlive the steps. */
vz_steps *vz_steps_new(const vz_dtype *dtype, const vz_type_tree *layout, vz_error *err);
void vz_steps_free(vz_steps *steps); /* NULL is fine */
/* Is an element of the dtype a whole element of this array type (and not of what it is an array of)? */
bool vz_steps_hold_whole_array(const vz_dtype *dtype, const vz_type_tree *layout);
/* Are the bytes the same on both sides? */
bool vz_steps_is_copy(const vz_steps *steps);

/* Elements lie one after the other on both sides. See vz_type_unpack and vz_type_pack. */
bool vz_steps_unpack(const vz_steps *steps, const void *elements, size_t count, void *out, vz_arena *arena,
                     vz_error *err);
bool vz_steps_pack(const vz_steps *steps, const void *in, size_t count, void *elements, vz_arena *arena, vz_error *err);

#endif
