/* pending_value.h - an attribute's value that is not JSON yet: a node has at most one. Private
 * to this module. */
#ifndef VZ_NODES_PENDING_VALUE_H
#define VZ_NODES_PENDING_VALUE_H

#include "hierarchy/nodes/node.h"

/* Makes the JSON of the node's value, if it has one. On failure the value stays. */
bool vz_deferred_render(vz_node *node, vz_error *err);

#endif
