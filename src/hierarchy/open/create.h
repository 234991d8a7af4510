/* create.h - making a store at a path, and removing what is there. */
#ifndef VZ_OPEN_CREATE_H
#define VZ_OPEN_CREATE_H

#include "hierarchy/resolve/path_found.h"

/* create.c */
/* What a path leads to once a store was made there, to be able to remove it again. */
typedef struct vz_made {
    const vz_store_kind *kind;
    char *root;
} vz_made;
/* Makes the root of a new store ready and returns it opened for writing: nothing is in it (but perhaps an old
 * .zgroup, so that a store half removed is still one). mode: one of those that create. *made: the caller's to clear. */
vz_store *vz_create_store(vz_found *found, vz_open_mode mode, const vz_wish *wish, vz_made *made, vz_error *err);
/* After vz_create_store, when the store did not become one, and is closed: removes what was made. */
void vz_create_undo(const vz_made *made);
void vz_made_clear(vz_made *made);

/* create_remote.c: of a location that is not in the file system. */
/* Can what the options and the program ask for be made there? */
bool vz_far_check_wish(const vz_found *found, const vz_options *options, vz_error *err);
/* As vz_create_store, but for what that checks beforehand. */
vz_store *vz_far_create(vz_found *found, vz_open_mode mode, vz_made *made, vz_error *err);
/* Removes all of the store, documents first, if all of it is Zarr's. The location's store is used up. */
bool vz_far_remove(vz_found *found, vz_error *err);

/* foreign_files.c */
/* Is everything in the store's directory a store's, or nobody's? VZ_EXISTS (EEXIST) with the name of what is not. */
bool vz_check_all_is_zarr(vz_store *store, vz_error *err);

#endif
