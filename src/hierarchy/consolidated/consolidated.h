/* consolidated.h - consolidated metadata: one document at the root that holds the metadata of
 * all nodes. Readers for which a request is expensive need only that one. */
#ifndef VZ_CONSOLIDATED_CONSOLIDATED_H
#define VZ_CONSOLIDATED_CONSOLIDATED_H

#include "hierarchy/nodes/node.h"

/* Writes a group's consolidated metadata anew, whatever the options say, of what is in the
 * store. vz_flush_write before brings all there. *blocked: the prefix of a node that zarr-python
 * could not read, which keeps it from being made. Then there is none, and true is returned. Heap;
 * NULL: it was made. */
bool vz_consolidated_write_node(vz_node *group, char **blocked, vz_error *err);

/* Removes the consolidated metadata of the node and of all groups above, once. To be called
 * before the first change of a document. */
bool vz_consolidated_drop(vz_node *node, vz_error *err);

/* Before a file is closed. Writes the consolidated metadata of the root anew if it had some or the
 * store is ours, and that of groups below that had some. Writes none if zarr-python 3 cannot read a
 * node, or if another process changed documents of a store that another program made. Does nothing
 * if no document was written since. */
bool vz_consolidated_write(vz_hierarchy *hierarchy, vz_error *err);

/* Before a flush writes: consolidated metadata that another process wrote meanwhile is removed
 * as well. */
void vz_consolidated_look_again(vz_hierarchy *hierarchy);

/* drop_in_parents.c: removes the consolidated metadata at the root of a store, of any Zarr
 * format. */
bool vz_consolidated_drop_in(vz_store *store, vz_error *err);

/* Removes the consolidated metadata of the groups that the store lies in. Only groups of the
 * same owner that we may write are changed. */
bool vz_consolidated_drop_above(vz_store *store, vz_error *err);

/* dropped_metadata.c. Forgets what dropped consolidated metadata listed. */
void vz_consolidated_forget(vz_hierarchy *hierarchy);

/* split_documents.c. A store in memory with the documents of the root's consolidated metadata under
 * their keys, and nothing else. NULL with VZ_NOT_FOUND: there is no consolidated metadata;
 * VZ_CORRUPT, VZ_UNSUPPORTED: it cannot be used. Errors inside a document appear when it is
 * parsed. */
vz_store *vz_consolidated_documents(vz_store *store, vz_error *err);

/* consolidated_store.c: takes `store` over, also on failure. VZ_NOT_FOUND without consolidated
 * metadata. */
vz_store *vz_consolidated_store(vz_store *store, vz_error *err);

/* As vz_consolidated_store; without consolidated metadata it returns the store itself. NULL for
 * want of memory only. */
vz_store *vz_consolidated_store_if(vz_store *store, vz_error *err);

/* prefetch_tree.c: prefetches all listings and documents of one Zarr format at and below a
 * prefix. `hierarchy`: the prefixes of its hint (documents/cache.h) are requested first; NULL:
 * there is no hint. */
bool vz_tree_prefetch(vz_store *store, const vz_zarr_format *zarr_format, const char *prefix,
                      const vz_hierarchy *hierarchy, vz_error *err);

/* Before a walk through all nodes below a group of a remote store: prefetches their listings and
 * documents. */
bool vz_tree_read(vz_node *group, vz_error *err);

#endif
