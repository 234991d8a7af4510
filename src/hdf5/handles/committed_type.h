/* committed_type.h - committed datatypes. */
#ifndef VZ_HANDLES_COMMITTED_TYPE_H
#define VZ_HANDLES_COMMITTED_TYPE_H

#include "hdf5/handles/locate.h"

/* A compound or an enumeration without members describes nothing yet: false. */
bool vz_datatype_is_complete(hid_t type, vz_error *err);

/* A handle, with its twin, on a node that is a committed type. Takes no reference to the node. */
vz_handle *vz_datatype_handle(vz_file *file, vz_node *node, vz_error *err);

/* Like vz_datatype_handle, for a type that is known already. */
vz_handle *vz_datatype_handle_of(vz_file *file, vz_node *node, hid_t type, vz_error *err);

/* Types given to us, for what is created with them. */
typedef struct vz_datatype_given {
    hid_t plain; /* never committed: `type` itself, or a copy that vz_datatype_given_clear closes */
    bool copied;
    char *path;    /* of the committed type, if it is one of this store that has a name; heap */
    vz_node *node; /* the committed type, if it is one of this store; one reference */
} vz_datatype_given;

/* `file`: the one by which the new object is made in the hierarchy, NULL: any. A type that was
 * opened by another open of the store is a transient one there, as in HDF5. */
bool vz_datatype_given_read(vz_datatype_given *given, hid_t type, const vz_file *file, const vz_hierarchy *hierarchy,
                            vz_error *err);
void vz_datatype_given_clear(vz_datatype_given *given);

/* `node`, or its attribute (NULL: a dataset itself), was created with the type. This is noted now,
 * or when the type gets a name (h5repack names types last). */
bool vz_datatype_given_store(const vz_datatype_given *given, vz_node *node, const char *attribute, vz_error *err);

/* The answer of H5Dget_type and H5Aget_type; `attribute` is its name, NULL for a dataset. It is the
 * committed type recorded for `type` if that still exists and is equal, else `type`. Takes
 * `type`. */
hid_t vz_datatype_named(const vz_handle *handle, const char *attribute, hid_t type, vz_error *err);

/* ---- types without a name (committed_pending.c) ---- */

/* Objects that were created with the nameless type count as created with `by`. Does nothing if
 * `by` has no name either. */
bool vz_datatype_replace(const vz_node *nameless, const vz_node *by, vz_error *err);

#endif
