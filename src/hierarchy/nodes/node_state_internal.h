/* node_state_internal.h - nodes made and loaded; the order of attributes. */
#ifndef VZ_NODES_NODE_STATE_INTERNAL_H
#define VZ_NODES_NODE_STATE_INTERNAL_H

#include "hierarchy/nodes/node_state.h"

/* As vz_node_new, without attributes and annotation, which are read later. */
vz_node *vz_node_new_unread(vz_hierarchy *hierarchy, vz_node_kind kind, vz_error *err);
bool vz_node_no_attributes(vz_node *node, vz_error *err); /* of such a node: it has none */

void vz_node_leave_idle(vz_node *node); /* nothing if it is not idle */

/* Takes `attributes` for the node's; hash as attributes_hash. */
bool vz_node_set_attributes(vz_node *node, vz_json *attributes, uint64_t hash, vz_error *err);

/* attribute_order.c: every change of names is reported to it; a removal while the name is still
 * there. */
void vz_attributes_order_drop(vz_node *node);
void vz_attributes_order_added(vz_node *node, const char *name);
void vz_attributes_order_leaves(vz_node *node, const char *name);

/* Reads a node that has its place: document, attributes, metadata. VZ_UNSUPPORTED for a group
 * with members that must be understood; what is wrong with an array goes into meta_error. */
bool vz_node_parse_joint(vz_node *node, const char *text, size_t size, vz_error *err);
bool vz_node_load_joint_attributes(vz_node *node, vz_error *err);

/* The outline of an array whose document was refused (*failed); NULL if its shape is not known
 * either. Shortage of memory replaces *failed. */
vz_meta *vz_node_outline(const vz_node *node, const vz_json *document, vz_error *failed);

/* attribute_forms.c: attributes of `forms` (VZ_ANNOTATION_FORMS; NULL: none) become what stands in
 * the store, and the reverse. One that does not fit its form stays as it is. */
bool vz_attributes_forms_store(vz_json *attributes, const vz_json *forms, vz_error *err);
bool vz_attributes_forms_read(vz_json *attributes, const vz_json *forms, vz_error *err);

/* derived.c: the attributes become what documents have. */
bool vz_derived_hide(const vz_node *node, vz_json *attributes, vz_error *err);

vz_node *vz_node_load_member(vz_node *group, vz_member *member, vz_error *err);
vz_node *vz_node_top(vz_node *node); /* the root, or the unlinked node above */

/* referenced_array.c */
/* The I/O state of an array whose chunks are references. */
vz_array *vz_node_open_referenced(vz_node *node, const char *prefix, vz_error *err);

#endif
