/* mount_table_internal.h - the part of mount_table.h that only this module uses. */
#ifndef VZ_HANDLES_MOUNT_TABLE_INTERNAL_H
#define VZ_HANDLES_MOUNT_TABLE_INTERNAL_H

#include "hdf5/handles/mount_table.h"

typedef struct vz_mount_entry {
    struct vz_mount_entry *next;
    vz_node *point;   /* one reference */
    vz_file *parent;  /* through which it was mounted */
    vz_handle *child; /* on the root of the mounted file: keeps that open; opened.full: the path of the point */
    vz_handle *above; /* on the root of the parent: keeps that open as long as a file of the tree is in use */
} vz_mount_entry;

/* Takes the entry; it stays in the list until it is taken off again. */
void vz_mount_list(vz_mount_entry *m);
void vz_mount_unlist(const vz_mount_entry *m);

/* The mount on a group, that of a file, that of a file with this root, the last one made in a file; NULL: none. */
vz_mount_entry *vz_mount_at(const vz_node *point);
vz_mount_entry *vz_mount_of(const vz_file *child);
vz_mount_entry *vz_mount_of_root(const vz_node *root);
vz_mount_entry *vz_mount_first_in(const vz_file *parent);

/* The handles of a file but for those that mounts have. */
size_t vz_mount_handles(const vz_file *file);

/* Of a tree that has a file of this store: the topmost file, NULL where there is none. */
vz_file *vz_mount_top_on(const vz_file *file);

/* Where this one is mounted, if it is. Both borrowed. */
bool vz_mount_point_of(const vz_file *file, vz_file **parent, vz_node **point);

/* The file that an object belongs to which was reached from `file`. */
vz_file *vz_mount_file_of(vz_file *file, const vz_node *node);

#endif
