/* filters.h - filters that a Zarr store shows to HDF5 (bzip2 307, blosc 32001, lz4 32004, zstd 32015) exist in the
 * host: backed by src/codec, unless the host has its own. To ask the host makes it load every plugin that it finds, so
 * that is put off where nobody can need them yet. */
#ifndef VZ_NATIVE_FILTERS_H
#define VZ_NATIVE_FILTERS_H

#include "h5/h5.h"
#include "util/error.h"

bool vz_filters_register(vz_error *err);
/* A store was opened. One that is only read needs no filters before it shows some, unless another file is open, in
 * which they may be used: they are registered when a native file is opened, too. */
bool vz_filters_store_opened(bool writable, vz_error *err);
bool vz_filters_native_opened(vz_error *err);

#endif
