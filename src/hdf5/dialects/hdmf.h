/* hdmf.h - the dialect that HDMF (pynwb, hdmf-zarr) reads: which stores are in it, and so have its
 * writer. What it makes of types is in hdmf_internal.h, of attributes in hdmf.h, of arrays that are there
 * already in src/hdf5/datasets. */
#ifndef VZ_DIALECTS_HDMF_H
#define VZ_DIALECTS_HDMF_H

#include "hdf5/h5/h5.h"
#include "hierarchy/nodes/node.h"

/* A store was opened or made: its dialect by its root's mark, by options, by what stands on its root, by its name. */
void vz_hdmf_recognise(vz_hierarchy *hierarchy);
/* What the root's mark says of the dialect of a store that we have just made, if anything must be said. */
bool vz_hdmf_mark(vz_hierarchy *hierarchy, vz_error *err);
/* An attribute was set: it may tell that the store is HDMF's, or complete what references say. */
void vz_hdmf_attribute_set(vz_node *node, const char *name);
/* Must references be looked through before documents are written? */
bool vz_hdmf_references_are_due(vz_hierarchy *hierarchy);
/* Every node is in the dialect's form: from here on the store is known by its mark, and need not be looked through
 * again. */
bool vz_hdmf_forms_done(vz_hierarchy *hierarchy, vz_error *err);

/* -- Hdmf attributes --
 * what the hdmf dialect makes of attributes. */
/* References in the node's attributes get the paths and ids that their targets have by now, in either dialect. */
bool vz_hdmf_update_references(vz_node *node, vz_error *err);

/* ---- rows of convention_writer.c ---- */

/* The root's `.specloc` is an object reference in HDF5 and the text of a path in Zarr. */
bool vz_hdmf_store_attribute(const vz_node *node, const char *name, vz_json **json, vz_json **entry, vz_error *err);
/* References that say no more than a path have a form of their own. */
bool vz_hdmf_store_attribute_v3(const vz_node *node, const char *name, vz_json **json, vz_json **entry, vz_error *err);
/* `.specloc`, and values at which hdmf-zarr would give up the file, which it must not meet (VZ_ANNOTATION_UNSEEN). */
bool vz_hdmf_finish_attributes(vz_node *node, vz_error *err);
bool vz_hdmf_finish_attributes_v3(vz_node *node, vz_error *err);
/* As _DTYPE, of a compound as _REFERENCE_FIELDS. */
bool vz_hdmf_set_dtype_v3(vz_node *node, vz_json *take, vz_error *err);

/* -- Hdmf read --
 * what hdmf-zarr's attributes tell of an array beyond its dtype: the type names in zarr_dtype
 * (v2) or _DTYPE and _REFERENCE_FIELDS (v3), and that it is a scalar. They are hints: a type that elements of the dtype
 * cannot be shown as counts for nothing, and the annotation's "t" goes before. */
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
