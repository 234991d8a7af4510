/* standard_types.h - numbers of HDF5's own, whose ids stand for the same datatype as long as the library lives: nobody can
 * change or close them. Most programs name one of these, and then HDF5 needs not be asked what it is. */
#ifndef VZ_TYPES_STANDARD_TYPES_H
#define VZ_TYPES_STANDARD_TYPES_H

#include "hdf5/h5/h5.h"
#include "array/numeric/convert_numbers.h"
#include "metadata/metadata/dtype.h"

/* Is it the id of one of them? Not of those with big-endian single bytes, which HDF5 tells from others. */
bool vz_standard_number(hid_t type, vz_number_format *number);
/* The id of the one with that form, which is to be neither changed nor closed; H5I_INVALID_HID: HDF5 1.14 has none. */
hid_t vz_standard_type(vz_number_format number);
/* The number that elements of the dtype are, if they are one with a type of HDF5's. */
bool vz_standard_of_dtype(const vz_dtype *dtype, vz_number_format *number);

#endif
