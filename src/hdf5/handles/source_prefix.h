/* source_prefix.h - where the sources of virtual datasets and external files are looked for. */
#ifndef VZ_HANDLES_SOURCE_PREFIX_H
#define VZ_HANDLES_SOURCE_PREFIX_H

#include "hdf5/handles/handle.h"

typedef enum vz_prefix { VZ_PREFIX_VIRTUAL, VZ_PREFIX_EXTERNAL } vz_prefix;

/* The environment's prefix, or else the access list's; a leading ${ORIGIN} is the store's directory; "" for none. NULL:
 * no memory. */
char *vz_prefix_of(const vz_handle *handle, vz_prefix which);
/* Do the ids of a dataset that is open already look for external files in the same place? VZ_INVALID otherwise. */
bool vz_prefix_agrees(const vz_handle *handle, vz_error *err);
/* May HDF5 be given the external files of the dataset, to write to them or not? It opens them itself. */
bool vz_prefix_check_external(const vz_handle *handle, bool writing, vz_error *err);
/* The access list of a dataset, as HDF5 tells it: a new id with both prefixes as they were understood. */
hid_t vz_dataset_dapl(const vz_handle *handle, vz_error *err);

#endif
