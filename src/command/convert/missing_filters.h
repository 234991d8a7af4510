/* missing_filters.h - filters that files of others use, and an HDF5 library by itself does not have. */
#ifndef VZ_CONVERT_MISSING_FILTERS_H
#define VZ_CONVERT_MISSING_FILTERS_H

#include "hdf5/h5/h5.h"
#include "base/util/error.h"

/* Registers what is here and not in HDF5: lzf (h5py's, 32000), for reading. */
bool vz_filters_add(vz_error *err);
/* Can the chunks of a dataset with that creation list be read? VZ_UNSUPPORTED names the filter that is not there. */
bool vz_filters_check_readable(hid_t dcpl, vz_error *err);

#endif
