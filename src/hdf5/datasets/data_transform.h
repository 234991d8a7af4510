/* data_transform.h - data transforms (H5Pset_data_transform): an expression over every element of a transfer, of the user's
 * type. */
#ifndef VZ_DATASETS_DATA_TRANSFORM_H
#define VZ_DATASETS_DATA_TRANSFORM_H

#include "hdf5/h5/h5.h"
#include "base/util/error.h"

bool vz_transform_is_wished(hid_t dxpl);
/* Changes `count` elements in place as the transfer list says. HDF5 does it itself, and refuses what it refuses for
 * native files. */
bool vz_transform_apply(hid_t dxpl, hid_t type, void *elements, size_t count, vz_error *err);

#endif
