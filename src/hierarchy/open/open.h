/* open.h - stores that are opened, made, closed and deleted. */
#ifndef VZ_OPEN_OPEN_H
#define VZ_OPEN_OPEN_H

#include "hierarchy/nodes/node.h"
#include "hierarchy/resolve/path.h"

/* The caller flushes a new store before it reports it. So the first flush writes the documents
 * of a root whose directory was not there before. */
void vz_open_flushes(vz_path_result *found);

/* Opens a root, or a node inside a store. The hierarchy's root is then the topmost group above it,
 * and *start is the node that was asked for. *start carries a reference. Rules of sharing are
 * native's: read-write after read-only in one process is refused, truncation of an open store too.
 * A root that is an array shows a group with one array named after the store. Missing: VZ_NOT_FOUND
 * with ENOENT; exclusive: VZ_EXISTS with EEXIST. Creating writes the root's documents at once. In a
 * remote store of format 3, and after vz_open_flushes, the first flush does so, before anything
 * else is made. */
bool vz_open_hierarchy(const char *path, vz_path_open_mode mode, const vz_options *options, vz_hierarchy **hierarchy,
                       vz_node **start, vz_error *err);
bool vz_open_found(vz_path_result *found, vz_path_open_mode mode, const vz_options *options, vz_hierarchy **hierarchy,
                   vz_node **start, vz_error *err);

/* The counterpart of each open, and of each vz_hierarchy_ref. The last close finishes, unless it
 * was given up just before, and frees. On failure the state is dropped all the same, and the
 * error reported. */
bool vz_close_hierarchy(vz_hierarchy *hierarchy, vz_error *err);

/* Removes a store from the file system (only what vz_path_look calls Zarr); refused while open.
 * Of a redirect file only that file is removed. */
bool vz_delete_hierarchy(const char *path, vz_error *err);
bool vz_delete_found(vz_path_result *found, vz_error *err);

/* Has this process no store open that would go with it? VZ_BUSY; `what` is the verb of the
 * sentence. */
bool vz_open_is_free(vz_path_result *found, const char *what, vz_error *err);

/* HDF5 is about to truncate what is at the path: a store that is a directory goes. Refused while
 * a store is open. */
bool vz_delete_to_make_way(vz_path_result *found, vz_error *err);

/* The node whose key prefix that is ("a/b"; "": the root); borrowed. NULL + VZ_NOT_FOUND. */
vz_node *vz_open_at_prefix(vz_hierarchy *hierarchy, const char *prefix, vz_error *err);

/* foreign_files.c */
/* Is everything in the store's directory a store's, or nobody's? VZ_EXISTS (EEXIST) with the
 * name of what is not. */
bool vz_delete_check_all_is_zarr(vz_store *store, vz_error *err);

#endif
