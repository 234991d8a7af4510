/* handle_internal.h - handles made and freed, opened paths, committed types that have no name
 * yet. */
#ifndef VZ_HANDLES_HANDLE_INTERNAL_H
#define VZ_HANDLES_HANDLE_INTERNAL_H

#include "hdf5/handles/committed_type.h"
#include "hdf5/handles/handle.h"

/* -- Handle -- */
/* Frees what the handle holds, and takes it off the list. */
void vz_handle_free(vz_handle *handle);
/* An intermediate group tracks the order of links as the group above it does. */
bool vz_handle_group_inherit_order(vz_node *group, const vz_node *parent, unsigned attributes, vz_error *err);
bool vz_handle_token_of(vz_node *node, H5O_token_t *token, vz_error *err);
/* Marks a list of ours, for as long as `named` lives. False with the record of a failed HDF5
 * call. */
bool vz_names_list_put(hid_t fapl, const vz_named *named);

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

#endif
