/* make_type.h - HDF5 datatypes made from plain facts. All return a new, transient type, or
 * H5I_INVALID_HID with err set. */
#ifndef VZ_TYPES_MAKE_TYPE_H
#define VZ_TYPES_MAKE_TYPE_H

#include "hdf5/h5/h5.h"
#include "base/util/error.h"
#include "array/numeric/convert_numbers.h"

/* Integer or IEEE float. HDF5 knows an order of single bytes too, so big_endian counts for every size here. */
hid_t vz_make_number(vz_number_format number, vz_error *err);
/* size H5T_VARIABLE: a char pointer. */
hid_t vz_make_string(size_t size, H5T_str_t pad, H5T_cset_t cset, vz_error *err);
/* Text as HDF5 shows it by default: variable length, UTF-8. */
hid_t vz_make_text(vz_error *err);
hid_t vz_make_old_reference(vz_error *err); /* H5T_STD_REF_OBJ */
/* h5py's boolean enumeration. */
hid_t vz_make_bool(vz_error *err);
/* h5py's complex number: compound {r, i} of two floats of half the size. */
hid_t vz_make_complex(size_t size, bool big_endian, vz_error *err);
hid_t vz_make_opaque(size_t size, const char *tag, vz_error *err);

/* Takes `base` (closes it, also on failure; an invalid one = a failed constructor). */
hid_t vz_make_sequence(hid_t base, vz_error *err);
hid_t vz_make_array(hid_t base, unsigned rank, const hsize_t *dims, vz_error *err);
/* Inserts a member into a compound; takes `member`. */
bool vz_make_member(hid_t compound, const char *name, size_t offset, hid_t member, vz_error *err);
/* The same behind the members that are there already; *compound < 0: it is made. */
bool vz_make_next_member(hid_t *compound, const char *name, hid_t member, vz_error *err);

#endif
