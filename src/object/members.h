/* members.h - the links of a group as HDF5 sees them: those of the store, and second names.
 *
 * A store cannot hold a second hard link yet. Programs that rename by linking first and deleting the old name
 * afterwards (f["X"] = f["_X"]; del f["_X"]) still work: the second name lives in memory, a node whose own name is
 * deleted takes it, and only a store that is closed while it has two names for a node is refused
 * (vz_second_names_check).
 *
 * The table of second names is state of the module instance; it is empty when no store is open. */
#ifndef VZ_OBJECT_MEMBERS_H
#define VZ_OBJECT_MEMBERS_H

#include "zarr/node.h"

vz_link *vz_member_find(vz_node *group, const char *name, vz_error *err);
bool vz_member_count(vz_node *group, uint64_t *count, vz_error *err);
vz_link *vz_member_at(vz_node *group, vz_order order, uint64_t index, vz_error *err);
bool vz_member_is_second(const vz_node *group, const char *name);

/* A name for a node: its first one, or a second. VZ_EXISTS if taken. */
bool vz_member_link(vz_node *group, const char *name, bool utf8, vz_node *node, vz_error *err);
bool vz_member_unlink(vz_node *group, const char *name, vz_error *err);
bool vz_member_move(vz_node *group, const char *name, vz_node *to_group, const char *to_name, bool utf8, vz_error *err);

/* Names of a node: 0 when it is anonymous or deleted. */
unsigned vz_node_names(const vz_node *node);
/* Before the last close of a hierarchy: VZ_UNSUPPORTED if there are second names. */
bool vz_second_names_check(const vz_hierarchy *hierarchy, vz_error *err);
void vz_second_names_drop(const vz_hierarchy *hierarchy);

#endif
