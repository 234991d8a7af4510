/* external_reference.h - an H5R_ref_t that names its file, as HDF5 reads them from the disk. No public call makes one, and
 * H5Rcreate* wants the file open. */
#ifndef VZ_NATIVE_EXTERNAL_REFERENCE_H
#define VZ_NATIVE_EXTERNAL_REFERENCE_H

#include "hdf5/h5/h5.h"
#include "base/util/error.h"

/* To the object with that token in the file of that name, which nobody looks at until the reference is followed.
 * space: the region meant, in a dataspace of any extent, else H5I_INVALID_HID; attribute: the one meant, else NULL. The
 * caller's to destroy. */
bool vz_far_reference(const char *file_name, uint64_t token, hid_t space, const char *attribute, H5R_ref_t *out,
                      vz_error *err);

#endif
