/* hierarchy_internal.h - ownership after a fork; names that all ranks give. */
#ifndef VZ_NODES_HIERARCHY_INTERNAL_H
#define VZ_NODES_HIERARCHY_INTERNAL_H

#include "hierarchy/nodes/hierarchy.h"

/* hierarchy_state.c */
/* True in a child; what is dirty is then only read. */
bool vz_hierarchy_keep_inherited(vz_hierarchy *hierarchy);

/* rank_names.c */
/* A name for a node without one, the same on all ranks. */
bool vz_hierarchy_ranks_name(vz_hierarchy *hierarchy, char *name, size_t size, vz_error *err);

/* Did the leader's last flush fail? Borrowed from the hierarchy. */
const bool *vz_hierarchy_ranks_leader_owes(const vz_hierarchy *hierarchy);

/* Nobody holds the nameless node here any more. Does its data stay, as another rank may hold it,
 * or as this one removes nothing? */
bool vz_hierarchy_ranks_keep_unlinked(const vz_node *top);

#endif
