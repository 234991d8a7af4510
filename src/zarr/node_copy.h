/* node_copy.h - a second node with what the first one holds. */
#ifndef VZ_ZARR_NODE_COPY_H
#define VZ_ZARR_NODE_COPY_H

#include "zarr/node.h"

/* A new, unlinked node (one reference) in `to`: attributes, annotation and metadata of `node`, and, with `chunks`, its
 * data as it is stored, nothing decoded. A group comes without its members. */
vz_node *vz_node_copy(vz_node *node, vz_hierarchy *to, bool chunks, vz_error *err);

#endif
