/* referenced.h - arrays whose chunks lie in other files, as a list beside their document says. */
#ifndef VZ_NODES_REFERENCED_H
#define VZ_NODES_REFERENCED_H

#include "hierarchy/nodes/node.h"

/* The chunks of the array at that prefix, under the keys that they have in the hierarchy's store;
 * for reading. No server is asked. */
vz_store *vz_node_references_open(vz_hierarchy *hierarchy, const char *prefix, vz_error *err);

#endif
