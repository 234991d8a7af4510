/* file_image.h - the image in memory that an access list has (H5Pset_file_image), as a medium that is only read. The driver
 * of memory takes an image that is not copied once (H5LT_FILE_IMAGE_DONT_COPY, netCDF's), and native may have taken it:
 * the list has it still. */
#ifndef VZ_NATIVE_FILE_IMAGE_H
#define VZ_NATIVE_FILE_IMAGE_H

#include "hdf5/h5/h5.h"
#include "store/store/byte_source.h"

bool vz_image_is_there(hid_t fapl);
/* What H5Pset_file_image gave the list, or a copy where its callbacks make one, until the medium is closed. NULL with
 * err set. Makes HDF5 calls; reading makes none. */
vz_medium *vz_image_open(hid_t fapl, vz_error *err);

#endif
