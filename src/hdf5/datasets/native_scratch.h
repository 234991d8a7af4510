/* native_scratch.h - a native HDF5 file that lives in memory for the length of a call: what HDF5 does only for native
 * datasets is done by one that stands in for ours. */
#ifndef VZ_DATASETS_NATIVE_SCRATCH_H
#define VZ_DATASETS_NATIVE_SCRATCH_H

#include "hdf5/h5/h5.h"
#include "base/util/error.h"

/* `beside`: a path in whose directory the file pretends to be; NULL: nowhere. Negative with HDF5's record on the stack.
 */
hid_t vz_native_memory_file(const char *beside);

#endif
