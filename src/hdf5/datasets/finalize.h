/* finalize.h - final changes before documents go to the store. */
#ifndef VZ_DATASETS_FINALIZE_H
#define VZ_DATASETS_FINALIZE_H

#include "hierarchy/nodes/node.h"

/* The conventions of a store that HDF5 uses, for vz_hierarchy_set_conventions: links and
 * dimension names (src/hdf5/dialects), and the final changes. */
extern const vz_conventions vz_finalize_conventions;

#endif
