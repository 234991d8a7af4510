/* filters.h - filters that a Zarr store shows to HDF5 (bzip2 307, blosc 32001, lz4 32004, zstd 32015) exist in the
 * host: registered at first open, backed by src/codec, unless the host has its own. */
#ifndef VZ_NATIVE_FILTERS_H
#define VZ_NATIVE_FILTERS_H

#include "base/util/error.h"
#include "hdf5/h5/h5.h"

bool vz_filters_register(vz_error *err);

#endif
