/* file_size.h - bytes of an element as an HDF5 file would have it: texts and sequences are stored as a length and the
 * address of a heap, whatever they are in memory. */
#ifndef VZ_TYPES_FILE_SIZE_H
#define VZ_TYPES_FILE_SIZE_H

#include "hdf5/types/type_parts.h"

/* *size: of one element of `type`. Fails as vz_type_parts does. */
bool vz_type_file_size(hid_t type, uint64_t *size, vz_error *err);

#endif
