/* common_types.h - the types that nearly all attributes have: nothing is made, read or closed for a value of one of them.
 * Private to this room. */
#ifndef VZ_ATTRIBUTES_COMMON_TYPES_H
#define VZ_ATTRIBUTES_COMMON_TYPES_H

#include "hdf5/attributes/infer_type.h"
#include "hdf5/types/type_tree.h"

typedef enum vz_usual {
    VZ_NOT_USUAL,
    VZ_USUAL_INT,   /* H5T_STD_I64LE */
    VZ_USUAL_FLOAT, /* H5T_IEEE_F64LE */
    VZ_USUAL_TEXT,  /* variable, UTF-8, ended by a NUL */
    VZ_USUAL_BOOL,  /* h5py's; found by a value only */
} vz_usual;

vz_usual vz_usual_of_type(hid_t type);
/* Of a value whose type is by the rules for JSON. */
vz_usual vz_usual_of_value(const vz_inferred *inferred);
/* Of one that is usual; borrowed. The type is H5I_INVALID_HID with err set where it cannot be made. */
hid_t vz_usual_type(vz_usual usual, vz_error *err);
const vz_type_tree *vz_usual_layout(vz_usual usual);

#endif
