/* handle_internal.h - functions of the families handle, file, locate, committed_type and
 * reference that only this module uses. */
#ifndef VZ_HANDLES_HANDLE_INTERNAL_H
#define VZ_HANDLES_HANDLE_INTERNAL_H

#include "hdf5/handles/committed_type.h"
#include "hdf5/handles/file.h"
#include "hdf5/handles/handle.h"
#include "hdf5/handles/locate.h"
#include "hdf5/handles/reference.h"

/* -- Handle -- */
/* Frees what the handle holds, and takes it off the list. */
void vz_handle_free(vz_handle *handle);
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
/* An intermediate group tracks the order of links as the group above it does. */
bool vz_group_inherit_order(vz_node *group, const vz_node *parent, unsigned attributes, vz_error *err);
bool vz_token_of(vz_node *node, H5O_token_t *token, vz_error *err);
/* Marks a list of ours, for as long as `named` lives. False with the record of a failed HDF5
 * call. */
bool vz_named_list_put(hid_t fapl, const vz_named *named);

/* -- Opened path -- */
bool vz_opened_root(vz_opened *opened, vz_error *err); /* becomes "/" */
/* Appends a link name. A path that is not known stays so. */
bool vz_opened_enter(vz_opened *opened, const char *name, vz_error *err);
/* Gives `user` and `full` memory of their own, before one of them changes. Without memory `user`
 * is lost. */
void vz_opened_part(vz_opened *opened);
/* `child` was mounted at the full path `point` of `parent`; it is about to be unmounted. */
void vz_opened_mounted(vz_file *parent, const char *point, vz_file *child);
void vz_opened_unmounted(vz_file *parent, const char *point, vz_file *child);

/* -- Mount table -- */
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

/* -- File -- */
/* The close degree of other open files on the store; H5F_CLOSE_DEFAULT if there are none. */
H5F_close_degree_t vz_file_degree_of_others(const vz_hierarchy *hierarchy);

/* Takes a mount off, which becomes the caller's, with its node and both handles. `node`: the
 * mount point or, as a path finds it, the root of the file mounted there; NULL + VZ_INVALID
 * where nothing is mounted. */
vz_mount_entry *vz_mount_take(const vz_node *node, vz_error *err);

/* Takes off all mounts made in a file and below it: a list. */
vz_mount_entry *vz_mount_take_all(const vz_file *top);

/* Is any file of the tree in use, or another one of the same store? */
bool vz_mount_is_used(vz_file *top);

/* -- Locate -- */
/* The token number of the last lookup since vz_located_forget, found or not; 0: none. */
uint64_t vz_located_token(void);
void vz_located_forget(void);

/* Follows a path from a group of the file; takes the reference to `node`. reached->opened is how
 * that was reached, and becomes how the result was; on failure it is cleared. */
vz_node *vz_follow(vz_file *file, vz_node *node, const char *path, hid_t lapl, vz_reached *reached, vz_error *err);

/* The link at a position of an index. NULL + VZ_NOT_FOUND beyond the end, VZ_INVALID where
 * creation order is not tracked. */
vz_link *vz_link_by_index(vz_node *group, H5_index_t index, H5_iter_order_t order, hsize_t n, vz_error *err);

/* external_link_file.c: opens the file of an external link as H5Lcreate_external describes it. */
hid_t vz_elink_file_open(const vz_file *parent, vz_node *group, const char *name, const char *path, hid_t lapl,
                         vz_error *err);

/* -- Committed type (committed_pending.c) -- */
/* `user`, or its attribute, was made with a type that has no name yet; a reference to each node
 * is kept until then. */
bool vz_datatype_wait_for_name(vz_node *type, vz_node *user, const char *attribute, vz_error *err);

/* `node`, or its attribute (NULL: itself), was made with the committed type at the path. */
bool vz_datatype_record_use(vz_node *node, const char *attribute, const char *path, vz_error *err);

/* The nameless type that it was made with, with a reference; NULL: none. */
vz_node *vz_datatype_waited_for(const vz_node *user, const char *attribute);

/* `top` got its first name, and what is below it with it: users of types and types themselves
 * learn of each other. */
bool vz_datatypes_named(vz_node *top, vz_error *err);

/* Before the last close of a hierarchy: forgets what waits for a name. */
void vz_datatypes_drop(const vz_hierarchy *hierarchy);

/* -- Reference -- */
/* external_reference.c: to an object of another file, named by "source" and "path". The file is
 * opened when the reference is followed, if it can be. */
bool vz_reference_make_external(vz_file *file, const vz_json *text, H5R_ref_t *out, vz_error *err);

/* Adds these to *text. `token` is the reference's. */
bool vz_reference_describe_external(const vz_file *file, const H5R_ref_t *reference, uint64_t token, vz_json **text,
                                    vz_error *err);

/* region_reference.c: see vz_reference_maker. */
bool vz_reference_make_region(void *file, uint64_t token, const vz_json *text, hdset_reg_ref_t *out, vz_error *err);
uint64_t vz_reference_describe_region(void *file, const hdset_reg_ref_t *reference, vz_json **text, vz_error *err);

#endif
