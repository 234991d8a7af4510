/* finalize.h - what is done before documents go to the store. */
#ifndef VZ_DATASETS_FINALIZE_H
#define VZ_DATASETS_FINALIZE_H

#include "hierarchy/nodes/node.h"

/* The conventions of a store as HDF5 uses it, for vz_hierarchy_set_conventions: links and all else that
 * src/hdf5/dialects knows, and what this room does. */
extern const vz_conventions vz_finalize_conventions;

#endif
