/* edit_internal.h - a node that loses its first name goes on under another one. */
#ifndef VZ_EDIT_EDIT_INTERNAL_H
#define VZ_EDIT_EDIT_INTERNAL_H

#include "hierarchy/nodes/member.h"
#include "hierarchy/edit/edit.h"

/* move.c */
/* vz_edit_rename, but a group that moves into itself is VZ_INVALID whatever it is called
 * elsewhere. */
bool vz_edit_node_move(vz_node *group, const char *name, vz_node *to_group, const char *to_name, bool utf8,
                       vz_error *err);

/* Copies the stored chunks of an array as bytes, or all else that stands under its prefix. */
bool vz_edit_chunks_copy(vz_store *from, const char *from_prefix, vz_store *to, const char *to_prefix, vz_error *err);
bool vz_edit_others_copy(vz_store *store, const char *from, const char *to, vz_error *err);

/* Another name of `node`, of those that are known, that can be reached from the root without
 * passing `gone`; NULL: none. */
vz_member *vz_edit_alias_outside(const vz_node *node, const vz_node *gone);
/* The directory goes to where that name of its is, and the first name with it. Frees the member. */
bool vz_edit_alias_becomes_first(vz_node *node, vz_member *member, vz_error *err);
/* Exchanges the primary path and a further hard link; nothing else changes. */
bool vz_edit_alias_changes_place(vz_node *node, vz_member *member, vz_error *err);
/* `node` is about to lose its first name: what it, or a node below it, is called elsewhere
 * becomes the first name there. *moved: the node itself went away. */
bool vz_edit_aliases_rescue(vz_node *node, bool *moved, vz_error *err);

/* store_dimension.c: of the whole store, which is looked through; before the leader of several
 * ranks writes documents, where another rank wrote elements. */
bool vz_edit_store_dimensions(vz_hierarchy *hierarchy, vz_error *err);

#endif
