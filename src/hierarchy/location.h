/* location.h - what is at a path (path.c, path_root.c, path_zip.c), and making a store there (create.c, belongs.c). */
#ifndef VZ_ZARR_LOCATION_H
#define VZ_ZARR_LOCATION_H

#include "hierarchy/hierarchy.h"

typedef struct vz_location {
    vz_path_kind kind;
    char *real; /* resolved path; NULL when missing */
    char *top;  /* of a Zarr node: the topmost group above it, or itself */
    bool is_array;
    bool is_implicit;       /* a directory without documents inside a store */
    bool is_zip;            /* `top` is a zip file, `real` goes on inside of it */
    uint64_t device, inode; /* of `top`, or of the path */
} vz_location;
/* Fills `location` (vz_location_clear it); *sys_errno as vz_path_look. */
bool vz_path_locate(const char *path, vz_location *location, int *sys_errno, vz_error *err);
void vz_location_clear(vz_location *location);
/* Is there such a document, a file? 1: yes, 0: no, -1: errno. */
int vz_path_has_document(const char *directory, const char *document);
/* What its zarr.json says a directory is, a vz_v3_kind; -1: errno. */
int vz_path_look_at_v3(const char *directory);

/* path_root.c */
/* Sets `top` from `real`. Fails where it cannot be found out. */
bool vz_location_find_top(vz_location *location, vz_error *err);
/* Does the group at that prefix say that it is the root of a store, by our mark, by what only a root's annotation has,
 * or as HDMF's stores do? */
bool vz_group_says_root(vz_store *store, const char *prefix, bool *says, vz_error *err);
/* The group that the directory `path` lies in, if what is in that group may be one store with it: NULL without an error
 * where it is none, or belongs to somebody else, or others may write to it, or we may not while we may write to `path`.
 * Caller frees. */
char *vz_path_group_above(const char *path, vz_error *err);
/* path_zip.c: a zip file that holds a store, or a node in one: fills `real`, `top` and the kind. What is none, or
 * damaged, leaves the location as it is. */
bool vz_location_find_zip(vz_location *location, const char *path, vz_error *err);
bool vz_path_names_zip(const char *path);    /* by its name it is to be a zip file */
bool vz_path_is_empty_zip(const char *path); /* one without entries, as a killed writer may leave it */

/* create.c */
/* Makes the root directory of a new store ready and returns it opened for writing: nothing is in it (but perhaps an old
 * .zgroup, so that a store half removed is still one). mode: one of those that create. */
vz_store *vz_create_store(const char *path, vz_open_mode mode, vz_error *err);
/* After vz_create_store, when the store did not become one: removes what was made. */
void vz_create_undo(const char *path);

/* belongs.c */
/* Is everything below the directory a store's, or nobody's? VZ_EXISTS (EEXIST) with the name of what is not. */
bool vz_check_all_is_zarr(const char *path, vz_error *err);

#endif
