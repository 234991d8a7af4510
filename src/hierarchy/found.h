/* found.h - what is at a path (path.c, path_root.c), and making a store there (create.c, belongs.c). */
#ifndef VZ_HIERARCHY_FOUND_H
#define VZ_HIERARCHY_FOUND_H

#include "hierarchy/hierarchy.h"
#include "store/location.h"
#include "store/named.h"
#include <time.h>

struct vz_found {
    vz_location
        at; /* of the directory or file that the path leads to; after vz_found_climb of the root it belongs to */
    vz_path_kind kind;
    int sys_errno;
    bool is_implicit; /* a directory without documents inside a store */
    bool climbed;
    bool flushes;          /* see vz_found_flushes */
    bool to_create;        /* far away all documents are asked for at once: most likely none is there */
    struct vz_comm *comm;  /* see vz_found_share; NULL: this process is alone */
    struct timespec since; /* when what was found far away was asked for, if that is not now */
};
/* Looks at the path; vz_found_clear it in any case. False for want of memory only. */
bool vz_found_look(const char *path, vz_found *found, vz_error *err);
bool vz_found_look_named(const char *path, const vz_named *named, vz_found *found, vz_error *err);
void vz_found_clear(vz_found *found);
/* For who opens what is there: which of the groups above is the root? Fails where it cannot be found out. */
bool vz_found_climb(vz_found *found, vz_error *err);

/* named.c */
/* Where the store is, and how it is asked there: for the names in it. */
void vz_hierarchy_take_place(vz_hierarchy *hierarchy, const vz_location *at);

/* path_far.c */
/* What is at a location that is not in the file system. */
void vz_found_look_far(vz_found *found);

/* path_root.c */
/* The group that the root of `store` lies in, if what is in that group may be one store with it, opened to look into
 * it: NULL without an error where it is none, or belongs to somebody else, or others may write to it, or we may not
 * while we may write to `store`. */
vz_store *vz_group_above(vz_store *store, vz_error *err);
/* Does the group at that prefix say that it is the root of a store, by our mark, by what only a root's annotation has,
 * or as HDMF's stores do? */
bool vz_group_says_root(vz_store *store, const char *prefix, bool *says, vz_error *err);

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

/* create_far.c: of a location that is not in the file system. */
/* Can what the options and the program ask for be made there? */
bool vz_far_check_wish(const vz_found *found, const vz_options *options, vz_error *err);
/* As vz_create_store, but for what that checks beforehand. */
vz_store *vz_far_create(vz_found *found, vz_open_mode mode, vz_made *made, vz_error *err);
/* Removes all of the store, documents first, if all of it is Zarr's. The location's store is used up. */
bool vz_far_remove(vz_found *found, vz_error *err);

/* belongs.c */
/* Is everything in the store's directory a store's, or nobody's? VZ_EXISTS (EEXIST) with the name of what is not. */
bool vz_check_all_is_zarr(vz_store *store, vz_error *err);

#endif
