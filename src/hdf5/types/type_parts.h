/* type_parts.h - the parts of an HDF5 datatype: the one way down through types, for those that need HDF5's ids at every
 * level. Who only wants to know where things lie in elements reads a layout (type_tree.h), which is made by it, and goes
 * down that. */
#ifndef VZ_TYPES_TYPE_PARTS_H
#define VZ_TYPES_TYPE_PARTS_H

#include "hdf5/h5/h5.h"
#include "base/util/error.h"

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

#endif
