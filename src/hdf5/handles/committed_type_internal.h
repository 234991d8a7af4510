/* committed_type_internal.h - the part of committed_type.h that only this module uses. */
#ifndef VZ_HANDLES_COMMITTED_TYPE_INTERNAL_H
#define VZ_HANDLES_COMMITTED_TYPE_INTERNAL_H

#include "hdf5/handles/committed_type.h"

/* `user`, or its attribute, was made with a type that has no name yet; a reference to each node is kept until
 * then. */
bool vz_datatype_wait_for_name(vz_node *type, vz_node *user, const char *attribute, vz_error *err);

/* `node`, or its attribute (NULL: itself), was made with the committed type at the path. */
bool vz_datatype_record_use(vz_node *node, const char *attribute, const char *path, vz_error *err);

/* The nameless type that it was made with, with a reference; NULL: none. */
vz_node *vz_datatype_waited_for(const vz_node *user, const char *attribute);

/* `top` got its first name, and what is below it with it: users of types and types themselves learn of each other. */
bool vz_datatypes_named(vz_node *top, vz_error *err);

/* Before the last close of a hierarchy: forgets what waits for a name. */
void vz_datatypes_drop(const vz_hierarchy *hierarchy);

#endif
