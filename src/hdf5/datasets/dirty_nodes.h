/* dirty_nodes.h - looking through a store before it is written: one of the hdmf dialect, or one in which
 * something moved that references may name. Private to this room. */
#ifndef VZ_DATASETS_DIRTY_NODES_H
#define VZ_DATASETS_DIRTY_NODES_H

#include "hierarchy/nodes/node.h"

/* Every node of the store, loaded for it where it has to be; what cannot be read is left as it is. */
bool vz_rewrite_all(vz_hierarchy *hierarchy, vz_error *err);
/* One that is about to be written. */
bool vz_rewrite_node(vz_node *node, vz_error *err);

#endif
