/* handle_internal.h - the path by which an object was opened: what H5Iget_name tells.
 *
 * It is kept as text, as HDF5 keeps it, because the way is part of it: through a second name, a soft link, a mount. It
 * follows moves of links along that way, and is lost when one of them is deleted; then, and for what was opened without
 * a path, the name is looked for. */
#ifndef VZ_HANDLES_HANDLE_INTERNAL_H
#define VZ_HANDLES_HANDLE_INTERNAL_H

#include "base/util/error.h"

typedef struct vz_handle vz_handle;
typedef struct vz_file vz_file;

/* Zero-initialised: no path. */
typedef struct vz_opened {
    char *user;      /* as the program knows it; NULL: it must be looked for */
    char *full;      /* the same from the topmost file that it is mounted in; NULL: not followed any more. Where no
                        mount is in it, it is the very text of `user` */
    unsigned hidden; /* mounts that lie over it: it has no name then */
} vz_opened;

void vz_opened_clear(vz_opened *opened);
bool vz_opened_copy(vz_opened *to, const vz_opened *from, vz_error *err);
bool vz_opened_root(vz_opened *opened, vz_error *err); /* becomes "/" */
/* One link further. A path that is not known stays so. */
bool vz_opened_enter(vz_opened *opened, const char *name, vz_error *err);
/* Before one of the two texts changes: they have memory each. Without memory the user's is lost. */
void vz_opened_part(vz_opened *opened);
/* Gives the path to a handle just opened (takes it, also where there is no handle), and returns that. */
vz_handle *vz_opened_give(vz_handle *handle, vz_opened *opened);

/* ---- what happened to links, for all open objects reached from the same topmost file ---- */

/* The link at the full path `from` is at `to` now; it is gone. NULL paths: nothing is known, nothing happens. Without
 * memory a name is lost: it will be looked for. */
void vz_opened_moved(vz_file *file, const char *from, const char *to);
void vz_opened_deleted(vz_file *file, const char *path);
/* `child` was mounted at the full path `point` of `parent`; it is about to be unmounted. */
void vz_opened_mounted(vz_file *parent, const char *point, vz_file *child);
void vz_opened_unmounted(vz_file *parent, const char *point, vz_file *child);

#endif
