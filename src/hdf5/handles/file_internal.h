/* file_internal.h - the part of file.h that only this module uses. */
#ifndef VZ_HANDLES_FILE_INTERNAL_H
#define VZ_HANDLES_FILE_INTERNAL_H

#include "hdf5/handles/mount_table_internal.h"
#include "hdf5/handles/file.h"

/* The close degree of other open files on the store; H5F_CLOSE_DEFAULT if there are none. */
H5F_close_degree_t vz_file_degree_of_others(const vz_hierarchy *hierarchy);

/* Takes a mount off, which becomes the caller's, with its node and both handles. `node`: the mount point or, as a path
 * finds it, the root of the file mounted there; NULL + VZ_INVALID where nothing is mounted. */
vz_mount_entry *vz_mount_take(const vz_node *node, vz_error *err);

/* The same with all that were made in a file and below: a list. */
vz_mount_entry *vz_mount_take_all(const vz_file *top);

/* Is any file of the tree in use, or another one of the same store? */
bool vz_mount_is_used(vz_file *top);

#endif
