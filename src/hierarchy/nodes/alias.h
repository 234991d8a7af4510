/* alias.h - nodes with more than one name: either side finds the other without a search, and
 * they agree in what is written. */
#ifndef VZ_NODES_ALIAS_H
#define VZ_NODES_ALIAS_H

#include "hierarchy/nodes/member.h"

#define VZ_ANNOTATION_NAMES   "nm" /* on a node: paths of its other names */
#define VZ_ANNOTATION_ALIASES "hl" /* on the root: there are such nodes */
bool vz_alias_add(vz_node *group, vz_node *node, const char *name, bool utf8, vz_error *err);

/* Is that the name of such a link, which is no member of the group any more? (group_members.c) */
bool vz_members_had(const struct vz_members *members, const char *name);

/* The group that a path lies in; borrowed. NULL + VZ_NOT_FOUND. */
vz_node *vz_node_above_path(vz_hierarchy *hierarchy, const char *path, vz_error *err);

/* Follows "nm": afterwards node->aliases is complete. */
bool vz_aliases_know(vz_node *node, vz_error *err);

/* All of a subtree: loads what has to be loaded, where the store has such nodes. */
bool vz_aliases_know_below(vz_node *node, vz_error *err);

/* hard_link_sync.c */
/* Before documents are written: both sides of every such link say where the other one is. */
bool vz_aliases_reconcile(vz_hierarchy *hierarchy, vz_error *err);

#endif
