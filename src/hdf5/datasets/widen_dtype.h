/* widen_dtype.h - an array gets another dtype because its data needs one (vz_type_fit). */
#ifndef VZ_DATASETS_WIDEN_DTYPE_H
#define VZ_DATASETS_WIDEN_DTYPE_H

#include "hdf5/types/type_map.h"

/* Looks at `count` elements of the shown type (or of its form for references, reference.h) that are about to be
 * written. If the array's dtype cannot hold them, the array gets one that can, with what it holds already; *grown
 * tells. Its I/O state and view are new then. */
bool vz_dataset_grow(vz_node *node, const vz_type_tree *shown, const void *elements, size_t count, bool *grown,
                     vz_error *err);

#endif
