/* alias_internal.h - hard links of a node: the path of each, attached and detached. */
#ifndef VZ_NODES_ALIAS_INTERNAL_H
#define VZ_NODES_ALIAS_INTERNAL_H

#include "hierarchy/nodes/alias.h"

/* The link at an absolute path of which every part but the last is a directory, and the group
 * that it is in. NULL without an error: there is none. */
vz_link *vz_link_at_path(vz_hierarchy *hierarchy, const char *path, vz_node **group, vz_error *err);

/* hard_link_list.c */
void vz_alias_attach(vz_member *member, vz_node *node); /* the name leads to the node */
void vz_alias_detach(vz_member *member);                /* before it is freed */
void vz_aliases_forget(vz_node *node);                  /* before it is freed */

vz_node *vz_alias_node(vz_member *member, vz_error *err); /* borrowed */

#endif
