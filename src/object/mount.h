/* mount.h - files mounted on groups of other files (H5Fmount): where a path steps on such a group, it goes on at the
 * root of the file mounted there. A mounted file stays open, whoever closes it, until it is unmounted or the file that
 * it was mounted in goes. */
#ifndef VZ_OBJECT_MOUNT_H
#define VZ_OBJECT_MOUNT_H

#include "object/mount_table.h"

/* On the group found at `node`; `path`: its full one (object/opened.h), may be NULL. `child`: a handle on the root of
 * the file to mount, which is the mount's from then on. Refused: a file that is mounted already, a group in use, a file
 * below itself, files of different close degrees. */
bool vz_mount(vz_file *parent, vz_node *node, const char *path, vz_handle *child, vz_error *err);
/* Ends a mount and gives its handle back to be closed. `node`: the mount point or, as a path finds it, the root of the
 * file mounted there; NULL + VZ_INVALID where nothing is mounted. */
vz_handle *vz_mount_take(const vz_node *node, vz_error *err);
/* The same for one that was made in this file; NULL: there is none. */
vz_handle *vz_mount_take_first(const vz_file *parent);

#endif
