/* zarr_dtype.h - what the plain dialect adds for other tools, which is the attribute zarr_dtype, and what HDF5 must not
 * see of any dialect. */
#ifndef VZ_DIALECTS_ZARR_DTYPE_H
#define VZ_DIALECTS_ZARR_DTYPE_H

#include "hdf5/types/type_tree.h"
#include "hierarchy/nodes/node.h"

/* The value of the zarr_dtype attribute of an array (hdmf-zarr's name of the element type). */
vz_json *vz_zarr_dtype_new(const vz_dtype *dtype, const vz_type_tree *layout, bool scalar, vz_error *err);
/* hdmf-zarr's name of an element; inside: of a member of a compound. */
vz_json *vz_zarr_dtype_of_element(const vz_dtype *dtype, const vz_type_tree *layout, bool inside, vz_error *err);
bool vz_zarr_dtype_is_scalar(const vz_json *zarr_dtype); /* does it tell that there is a scalar? */
/* The same for a null dataspace. */
vz_json *vz_zarr_dtype_of_null(vz_error *err);

/* ---- rows of convention_writer.c ---- */

/* As the attribute zarr_dtype, which belongs to the conventions of format 2. */
bool vz_zarr_dtype_set(vz_node *node, vz_json *take, vz_error *err);
bool vz_zarr_dtype_not_set(vz_node *node, vz_json *take, vz_error *err);
/* A text that the user calls as HDMF calls a reference has an entry, by which it is shown as a text. */
bool vz_zarr_dtype_store_attribute(const vz_node *node, const char *name, vz_json **json, vz_json **entry,
                                   vz_error *err);

/* Names of attributes that belong to a convention rather than to the user; the list ends with NULL. */
extern const char *const vz_hidden_attributes[];

#endif
