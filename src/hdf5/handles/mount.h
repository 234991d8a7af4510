/* mount.h - files mounted on groups of other files (H5Fmount): where a path steps on such a group, it goes on at the
 * root of the file mounted there. All files of a tree stay open, whoever closes them, as long as one of them is in use:
 * it has an id, or an object that is open. */
#ifndef VZ_HANDLES_MOUNT_H
#define VZ_HANDLES_MOUNT_H

#include "hdf5/handles/mount_table.h"

/* On the group found at `node`; `path`: its full one (hdf5/handles/opened_path.h), may be NULL. `child`: a handle on the root of
 * the file to mount, which is the mount's from then on. Refused: a file that is mounted already, a group in use, a file
 * below itself, files of different close degrees. */
bool vz_mount(vz_file *parent, vz_node *node, const char *path, vz_handle *child, vz_error *err);
/* Takes a mount off, which becomes the caller's, with its node and both handles. `node`: the mount point or, as a path
 * finds it, the root of the file mounted there; NULL + VZ_INVALID where nothing is mounted. */
vz_mount_entry *vz_mount_take(const vz_node *node, vz_error *err);
/* The same with all that were made in a file and below: a list. */
vz_mount_entry *vz_mount_take_all(const vz_file *top);
/* Is any file of the tree in use, or another one of the same store? */
bool vz_mount_is_used(vz_file *top);

#endif
