/* file_internal.h - the list of open files, and the table of mounts. */
#ifndef VZ_HANDLES_FILE_INTERNAL_H
#define VZ_HANDLES_FILE_INTERNAL_H

#include "hdf5/handles/file.h"

/* -- File -- */
/* Gives back what a file without handles held. */
void vz_file_free(vz_file *file);
/* All open files, and those on a store, one after the other: NULL begins, NULL ends. */
vz_file *vz_file_next(const vz_file *after);
vz_file *vz_file_next_on(const vz_hierarchy *hierarchy, const vz_file *after);
/* Into that list, and out of it. */
void vz_file_list(vz_file *file);
void vz_file_unlist(vz_file *file);
/* Has another file on the store an id? Its close is still to come. */
bool vz_file_another_is_open(const vz_file *file);

/* The close degree of other open files on the store; H5F_CLOSE_DEFAULT if there are none. */
H5F_close_degree_t vz_file_close_degree_of_others(const vz_hierarchy *hierarchy);

/* -- Mount table -- */
typedef struct vz_mount_entry {
    struct vz_mount_entry *next;
    vz_node *point;   /* one reference */
    vz_file *parent;  /* through which it was mounted */
    vz_handle *child; /* on the root of the mounted file: keeps that open; opened.full: the path of
                       * the point */
    vz_handle *above; /* on the root of the parent: keeps that open as long as a file of the tree is
                       * in use */
} vz_mount_entry;

/* Takes the entry; it stays in the list until it is taken off again. */
void vz_mount_list(vz_mount_entry *m);
void vz_mount_unlist(const vz_mount_entry *m);

/* The mount on a group, that of a file, that of a file with this root, the last one made in a
 * file; NULL: none. */
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

/* The file of an object that was reached from `file`. */
vz_file *vz_mount_file_of(vz_file *file, const vz_node *node);

/* The node at which a path continues: `node` or the root of the file mounted on it. Borrowed. */
vz_node *vz_mount_cross(vz_node *node);

/* Takes a mount off, which becomes the caller's, with its node and both handles. `node`: the
 * mount point or, as a path finds it, the root of the file mounted there; NULL + VZ_INVALID
 * where nothing is mounted. */
vz_mount_entry *vz_mount_take(const vz_node *node, vz_error *err);

/* Takes off all mounts made in a file and below it: a list. */
vz_mount_entry *vz_mount_take_all(const vz_file *top);

/* Is any file of the tree in use, or another one of the same store? */
bool vz_mount_is_used(vz_file *top);

#endif
