/* hdmf_read.h - what hdmf-zarr's attributes tell of an array beyond its dtype: the type names in zarr_dtype
 * (v2) or _DTYPE and _REFERENCE_FIELDS (v3), and that it is a scalar. They are hints: a type that elements of the dtype
 * cannot be shown as counts for nothing, and the annotation's "t" goes before. */
#ifndef VZ_DIALECTS_HDMF_READ_H
#define VZ_DIALECTS_HDMF_READ_H

#include "hdf5/h5/h5.h"
#include "hierarchy/nodes/node.h"

#define VZ_HDMF_SPECLOC ".specloc"
bool vz_hdmf_is_specloc(const vz_node *node, const char *name); /* is it that attribute of the root? */

/* A new type, or H5I_INVALID_HID without an error where the attributes tell nothing that the dtype does not. */
hid_t vz_hdmf_type(const vz_node *node);
/* The same by its dtype and zarr_dtype alone. */
hid_t vz_hdmf_type_named(const vz_dtype *dtype, const vz_json *zarr_dtype);
/* Is the array's one element, in `rank` dimensions that do not belong to its type, that of a scalar dataset? "s" of the
 * annotation, {"d": []} or {"d": [1]}, goes before the attributes. */
bool vz_hdmf_is_scalar(const vz_node *node, unsigned rank);
/* Did hdmf-zarr up to 0.11.1 store each row of a compound as often as it has members, along a second dimension? */
bool vz_hdmf_repeats_rows(const vz_node *node);
/* The value that an attribute is shown as, where that is another than the one it has, else NULL: the root's .specloc is
 * a path in Zarr, a reference in HDF5. */
vz_json *vz_hdmf_attribute(const vz_node *node, const char *name, const vz_json *value);

#endif
