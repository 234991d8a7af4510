/* edit.h - changes of names and shapes: linked, moved, renamed, unlinked, resized. */
#ifndef VZ_EDIT_EDIT_H
#define VZ_EDIT_EDIT_H

#include "hierarchy/nodes/node.h"

/* link.c, unlink.c */
/* Gives a node a name: its first, or, if it has one that counts, another. VZ_EXISTS if taken. */
bool vz_edit_link(vz_node *node, vz_node *group, const char *name, bool utf8, vz_error *err);

/* Before elements of an array are written. An `is_dimension`, which has no document of its own, is
 * a new array of the store from now on. Else its chunks would lie at a place without documents,
 * where nobody finds them. */
bool vz_edit_store_dimension(vz_node *array, vz_error *err);
/* note_dimension.c: a changed array stands in its group's annotation, and not in the store. The
 * group is dirty if that says something new. */
bool vz_edit_note_dimension(vz_node *array, vz_error *err);
/* Before a changed group is written: its annotation has such members, and no others. */
bool vz_edit_note_dimensions(vz_node *group, vz_error *err);

/* A new link of kind VZ_LINK_SOFT (value: the path, without NUL) or VZ_LINK_USER. */
bool vz_edit_link_value(vz_node *group, const char *name, bool utf8, vz_link_kind kind, int class, vz_bytes value,
                        vz_error *err);

/* For vz_conventions.read_links: false only when out of memory; a name that is taken is passed
 * over. */
bool vz_edit_add_foreign(vz_node *group, const char *name, vz_link_kind kind, int class, vz_bytes value, vz_error *err);

/* Removes the name. A node whose first name it was takes another one. Without any, it goes with its
 * whole subtree: documents first, and nodes below that have a name elsewhere stay there. Open
 * handles keep living on it. */
bool vz_edit_unlink(vz_node *group, const char *name, vz_error *err);

/* Are there links among the loaded members that are no directories? */
bool vz_edit_has_links(const vz_node *group);

/* rename_link.c */
/* Another name and/or group in the same store for a link of any kind. A name that is there is
 * VZ_EXISTS, also the link's own. A group that would not be reached any more, as it moves into
 * itself, is VZ_INVALID. */
bool vz_edit_rename(vz_node *group, const char *name, vz_node *to_group, const char *to_name, bool utf8, vz_error *err);

/* resize.c */
/* Gives an array another shape, `rank` extents. A smaller one is in the store when this returns.
 * The chunks beyond it are removed, or are a leftover that does not come back when the array grows.
 * On failure the shape is the old one, and no chunk is gone. vz_edit_prepare_shrink is called
 * before a smaller shape is worked out. Its repairs may replace the node's metadata and I/O
 * state. */
bool vz_edit_prepare_shrink(vz_node *node, vz_error *err);
bool vz_edit_resize(vz_node *node, const uint64_t *shape, vz_error *err);

/* move_log_recover.c */
/* Writes moves and deletions from the journals of killed writers into documents. To be called
 * after opening for writing, when the dialect of the hierarchy is known. Documents that cannot
 * be written wait for the flush. Fails when a journal cannot be read. */
bool vz_edit_recover(vz_hierarchy *hierarchy, vz_error *err);

/* -- Node copy --
 * a second node with what the first one holds. */
/* A new, unlinked node (one reference) in `to`: attributes, annotation and metadata of `node`,
 * and, with `chunks`, its data as it is stored, nothing decoded. A group comes without its
 * members. */
vz_node *vz_edit_copy(vz_node *node, vz_hierarchy *to, bool chunks, vz_error *err);

/* -- Replace array --
 * an array's stored form is replaced by another one, written beside it first. */
/* The chunks that belong to the node's changed metadata stand under the prefix `beside`
 * (vz_partial_name, at the root). They and the node's documents take the place of the stored ones
 * in one step. A reader, also after a crash, finds the old array or the new one. Where the file
 * system cannot exchange two directories it finds none for a moment. A store that is one array
 * cannot do that, nor can an array that is a link: chunks, then documents are replaced one by one.
 * `beside` is gone afterwards, also on failure. NULL: there are no chunks, or they stay as they
 * are; then the documents are written at once, before any chunk of the new form. */
bool vz_edit_replace(vz_node *node, const char *beside, vz_error *err);

#endif
