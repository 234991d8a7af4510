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

/* collect_documents.c */
/* The copy of one group; nothing where it is no group of that format any more. *blocked: the prefix of what keeps it
 * from being made, heap; NULL: nothing does. `blocked` may be NULL: nobody asks. */
bool vz_consolidated_put(vz_hierarchy *hierarchy, const char *base, const vz_spelling *spelling, char **blocked,
                         vz_error *err);

/* metadata_location.c */
/* Where the copy of one group stands, and what is expected there when it is put. */
typedef struct vz_consolidated_location {
    vz_hierarchy *hierarchy;
    const char *base; /* prefix of the group */
    const vz_spelling *spelling;
    vz_version version; /* of a copy in a document of its own; size 0: there is none */
    uint64_t hash;      /* of the group's document, where the copy stands in that; 0: there is none */
} vz_consolidated_location;
/* What this process last read or wrote there; a copy of its own was dropped. Asks the store only where nothing is
 * known. */
bool vz_copy_expect(vz_consolidated_location *place, vz_error *err);
bool vz_copy_look(vz_consolidated_location *place, vz_error *err); /* what is there now */
/* Takes `metadata`, also on failure. VZ_CHANGED: something else is there. */
bool vz_copy_put(vz_consolidated_location *place, vz_json *metadata, vz_error *err);
/* Deletes one that stands in a document of its own, where it is there. Whoever puts one holds the lock of the one that
 * it replaces: without it, what is put would take the place of a newer one that is put behind this deletion. */
bool vz_copy_delete(const vz_hierarchy *hierarchy, const char *key, vz_error *err);
bool vz_copy_remove(vz_consolidated_location *place, vz_error *err);
/* {"kind": "inline", "must_understand": false, "metadata": take}; NULL on failure. */
vz_json *vz_copy_inline(vz_json *take, vz_error *err);

/* drop_in_parents.c: removes the copies at a store's root, of whatever format. */
bool vz_consolidated_drop_in(vz_store *store, vz_error *err);
/* Removes the copies of the groups that the store lies in, where they are ours to change: same
 * owner, and we may write there. */
bool vz_consolidated_drop_above(vz_store *store, vz_error *err);

/* dropped_metadata.c: copies that were dropped. Takes `copy`, also on failure. */
bool vz_consolidated_remember(vz_hierarchy *hierarchy, const char *prefix, vz_json *copy, vz_error *err);
/* Did one of them hold an array of the same type and codecs? Whoever made it can read such arrays. */
bool vz_consolidated_had(const vz_hierarchy *hierarchy, const vz_json *document);
void vz_consolidated_forget(vz_hierarchy *hierarchy);

/* consolidated_store.c: takes `store` over, also on failure. VZ_NOT_FOUND without consolidated metadata. */
vz_store *vz_consolidated_store(vz_store *store, vz_error *err);
/* The same where there is a copy, else the store itself. NULL for want of memory only. */
vz_store *vz_consolidated_store_if(vz_store *store, vz_error *err);

/* split_documents.c */
/* A store in memory with the documents that the root's copy has, under their keys, and nothing else. NULL +
 * VZ_NOT_FOUND: there is no copy; VZ_CORRUPT, VZ_UNSUPPORTED: it cannot be used. What is wrong in a document is told by
 * who parses it. */
vz_store *vz_consolidated_documents(vz_store *store, vz_error *err);
bool vz_consolidated_has(const char *key); /* is it the key of a document that copies have? */

/* prefetch_tree.c: reads all listings and documents below (and at) a prefix, of one spelling, ahead of who asks for them.
 * `hierarchy`: what its copy told of is asked for at once (cache.h); NULL: nothing was told. */
bool vz_tree_read_ahead(vz_store *store, const vz_spelling *spelling, const char *prefix, const vz_hierarchy *hierarchy,
                        vz_error *err);
/* Before all below it is walked through: where each listing and document would be a round trip, they are read at once.
 */
bool vz_group_read_tree(vz_node *group, vz_error *err);

#endif
