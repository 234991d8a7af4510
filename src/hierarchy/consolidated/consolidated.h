/* consolidated.h - consolidated metadata: a copy of all documents at the root, for readers to whom a request is dear.
 */
#ifndef VZ_CONSOLIDATED_CONSOLIDATED_H
#define VZ_CONSOLIDATED_CONSOLIDATED_H

#include "hierarchy/nodes/node.h"

/* Writes a group's consolidated metadata anew, whatever the options say, of what is in the store (vz_hierarchy_write
 * before brings all there). *blocked: the prefix of what keeps it from being made, as zarr-python could not read the
 * node there; then there is none, and true is returned. Heap; NULL: it was made. */
bool vz_node_consolidate(vz_node *group, char **blocked, vz_error *err);

/* Removes the copies of the node and of all groups above, once. Before the first change of a document. */
bool vz_consolidated_drop(vz_node *node, vz_error *err);

/* Before a file is closed: writes the root's copy anew if there was one, or if the store is ours, and those of groups
 * below that had one; not if a node is beyond what zarr-python 3 reads, nor, in a store that another program made, if
 * another process changed documents meanwhile. Nothing if no document was written since. */
bool vz_consolidated_write(vz_hierarchy *hierarchy, vz_error *err);

/* A flush is about to write: a copy that another process wrote meanwhile goes as well. */
void vz_consolidated_look_again(vz_hierarchy *hierarchy);

/* drop_in_parents.c: removes the copies at a store's root, of whatever format. */
bool vz_consolidated_drop_in(vz_store *store, vz_error *err);

/* Removes the copies of the groups that the store lies in, where they are ours to change: same
 * owner, and we may write there. */
bool vz_consolidated_drop_above(vz_store *store, vz_error *err);

/* Did one of them hold an array of the same type and codecs? Whoever made it can read such arrays. */
bool vz_consolidated_had(const vz_hierarchy *hierarchy, const vz_json *document);
void vz_consolidated_forget(vz_hierarchy *hierarchy);

/* consolidated_store.c: takes `store` over, also on failure. VZ_NOT_FOUND without consolidated metadata. */
vz_store *vz_consolidated_store(vz_store *store, vz_error *err);

/* The same where there is a copy, else the store itself. NULL for want of memory only. */
vz_store *vz_consolidated_store_if(vz_store *store, vz_error *err);

/* prefetch_tree.c: reads all listings and documents below (and at) a prefix, of one spelling, ahead of who asks for
 * them. `hierarchy`: what its copy told of is asked for at once (cache.h); NULL: nothing was told. */
bool vz_tree_read_ahead(vz_store *store, const vz_spelling *spelling, const char *prefix, const vz_hierarchy *hierarchy,
                        vz_error *err);

/* Before all below it is walked through: where each listing and document would be a round trip, they are read at once.
 */
bool vz_group_read_tree(vz_node *group, vz_error *err);

#endif
