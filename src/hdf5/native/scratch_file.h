/* scratch_file.h - what a native dataset in memory makes of filters. HDF5 gives a connector no call to run or to ask a
 * filter, whether built in, registered by the program or found as a plugin; its own datasets use them all. */
#ifndef VZ_NATIVE_SCRATCH_FILE_H
#define VZ_NATIVE_SCRATCH_FILE_H

#include "hdf5/h5/h5.h"
#include "base/util/bytes.h"

/* A copy of the creation list with its filters as H5Dcreate leaves them in a native dataset: checked for the type, with
 * the values that they choose themselves. The list's layout must be chunked. */
hid_t vz_scratch_filters(hid_t type, hid_t dcpl, vz_error *err);

/* A chunk as a program would write it directly (mask: filters that were not applied), with its filters undone: elements
 * of `type`, which has no parts of variable length. */
bool vz_scratch_undo(hid_t type, hid_t dcpl, uint32_t mask, vz_bytes chunk, vz_buffer *elements, vz_error *err);

#endif
