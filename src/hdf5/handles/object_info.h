/* object_info.h - what HDF5 asks about links and objects, from nodes. */
#ifndef VZ_HANDLES_OBJECT_INFO_H
#define VZ_HANDLES_OBJECT_INFO_H

#include "hdf5/handles/handle.h"

bool vz_token_of(vz_node *node, H5O_token_t *token, vz_error *err);
H5O_type_t vz_object_type(const vz_node *node);
/* A node that cannot be loaded does not hide its link: the token is then undefined. */
bool vz_link_info(vz_node *group, vz_link *link, H5L_info2_t *info, vz_error *err);
bool vz_object_info(vz_node *node, unsigned fields, H5O_info2_t *info, vz_error *err);
/* The reference count HDF5 shows: names, what H5Oincr_refcount added (annotation "rc"), and the users of a committed
 * type. */
bool vz_object_count(vz_node *node, unsigned *count, vz_error *err);
bool vz_object_change_count(vz_node *node, int delta, vz_error *err);
/* The node's path as seen from the file's root, "" when it has none (deleted or anonymous). Heap. */
char *vz_handle_path(const vz_file *file, vz_node *node, vz_error *err);

#endif
