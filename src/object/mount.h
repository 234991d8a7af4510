/* mount.h - files mounted on groups of other files (H5Fmount): where a path steps on such a group, it goes on at the
 * root of the file mounted there.
 *
 * The table of mounts is state of the module instance. A mounted file stays open, whoever closes it, until it is
 * unmounted or the file that it was mounted in goes. */
#ifndef VZ_OBJECT_MOUNT_H
#define VZ_OBJECT_MOUNT_H

#include "object/handle.h"

/* On the group found at `node`; `path`: its full one (object/opened.h), may be NULL. Refused: a file that is mounted
 * already, a group in use, a file below itself, files of different close degrees. */
bool vz_mount(vz_file *parent, vz_node *node, const char *path, vz_file *child, vz_error *err);
/* `node`: the mount point or, as a path finds it, the root of the file mounted there. */
bool vz_unmount(const vz_node *node, vz_error *err);
/* Before the file goes: what was mounted in it is let go. */
void vz_mounts_drop(const vz_file *parent);

/* What a path goes on with at this node: itself, or the root mounted there. Borrowed. */
vz_node *vz_mount_cross(vz_node *node);
bool vz_is_mount_point(const vz_node *node);
/* The file where the paths of this one begin: the topmost it is mounted in, or itself. */
vz_file *vz_mount_top(vz_file *file);
/* Where this one is mounted, if it is. Both borrowed. */
bool vz_mount_point_of(const vz_file *file, vz_file **parent, vz_node **point);
/* The file that an object belongs to which was reached from `file`. */
vz_file *vz_mount_file_of(vz_file *file, const vz_node *node);

#endif
