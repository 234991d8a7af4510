/* open_internal.h - a hierarchy over a store, made and freed. */
#ifndef VZ_OPEN_OPEN_INTERNAL_H
#define VZ_OPEN_OPEN_INTERNAL_H

#include "hierarchy/nodes/node.h"
#include "hierarchy/open/open.h"

/* -- Create --
 * making a store at a path, and removing what is there. */
/* create.c */
/* A store that was made at a path, to be able to remove it again. */
typedef struct vz_open_made {
    const vz_store_kind *kind;
    char *root;
} vz_open_made;

/* Is it a store that can be made, emptied or removed at all? VZ_READ_ONLY. */
bool vz_open_check_changes(const vz_path_result *found, vz_error *err);

/* Makes the root of a new store ready and returns it opened for writing. Nothing is in it (but
 * perhaps an old .zgroup, so that a store half removed is still one). mode: one of those that
 * create. *made: the caller's to clear. */
vz_store *vz_open_create_store(vz_path_result *found, vz_path_open_mode mode, const vz_store_creation *wanted,
                               vz_open_made *made, vz_error *err);

/* After vz_open_create_store, when the store did not become one, and is closed: removes what was
 * made. */
void vz_open_create_undo(const vz_open_made *made);
void vz_open_made_clear(vz_open_made *made);

/* create_remote.c: of a location that is not in the file system. */
/* Can what the options and the program ask for be made there? */
bool vz_open_create_remote_check(const vz_path_result *found, const vz_options *options, vz_error *err);

/* As vz_open_create_store, but for what that checks beforehand. */
vz_store *vz_open_create_remote(vz_path_result *found, vz_path_open_mode mode, vz_open_made *made, vz_error *err);

/* Removes all of the store, documents first, if all of it is Zarr's. The location's store is
 * used up. */
bool vz_open_remove_remote(vz_path_result *found, vz_error *err);

/* new_hierarchy.c */
void vz_open_hierarchy_free(vz_hierarchy *hierarchy); /* takes the store down with it; unregisters
                                                       * nothing */
/* Over any store, not registered: reads (or with `create` writes) the root. The store is taken,
 * also on failure. Closed by vz_close_hierarchy. */
vz_hierarchy *vz_open_hierarchy_over(vz_store *store, const char *path, const vz_options *options, bool writable,
                                     bool create, vz_error *err);
/* As vz_open_hierarchy_over, for a store that is created. `leaves`: the root's documents are left
 * to the first flush. `claims`: VZ_EXISTS (EEXIST) if another program has put the root's document
 * before; then nothing more is written. */
vz_hierarchy *vz_open_hierarchy_over_new(vz_store *store, const char *path, const vz_options *options, bool leaves,
                                         bool claims, vz_error *err);

/* recover_resize.c: removes chunks that writers which died left outside of arrays, where nobody
 * else writes. Chunks that cannot be removed are left to the next writer. */
void vz_open_shapes_recover(vz_store *store);

#endif
