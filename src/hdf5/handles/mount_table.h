/* mount_table.h - which file is mounted where. State of the module instance. */
#ifndef VZ_HANDLES_MOUNT_TABLE_H
#define VZ_HANDLES_MOUNT_TABLE_H

#include "hdf5/handles/handle.h"

/* How many ids of files and objects are open in the tree that a file is in. */
typedef struct vz_mount_count {
    size_t files, objects;
} vz_mount_count;
vz_mount_count vz_mount_count_open(vz_file *file);

/* Calls it for all files of the tree, the topmost first; the calls must leave the tree as it is. */
bool vz_mount_each(vz_file *top, bool (*call)(vz_file *file, vz_error *err), vz_error *err);

/* What a path goes on with at this node: itself, or the root mounted there. Borrowed. */
vz_node *vz_mount_cross(vz_node *node);
bool vz_is_mount_point(const vz_node *node);

/* The file where the paths of this one begin: the topmost it is mounted in, or itself. */
vz_file *vz_mount_top(vz_file *file);

#endif
