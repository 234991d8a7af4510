/* hdmf.h - the dialect that HDMF (pynwb, hdmf-zarr) reads: which stores are in it, and so have its
 * writer. What it makes of types is in hdmf_internal.h, of attributes in hdmf.h, of arrays that are there
 * already in src/hdf5/datasets. */
#ifndef VZ_DIALECTS_HDMF_H
#define VZ_DIALECTS_HDMF_H

#include "hdf5/h5/h5.h"
#include "hierarchy/nodes/node.h"

/* A store was opened or made: its dialect by its root's mark, by options, by what stands on its root, by its name. */
void vz_hdmf_recognise(vz_hierarchy *hierarchy);

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

/* A new type, or H5I_INVALID_HID without an error where the attributes tell nothing that the dtype does not. */
hid_t vz_hdmf_type(const vz_node *node);

/* Is the array's one element, in `rank` dimensions that do not belong to its type, that of a scalar dataset? "s" of the
 * annotation, {"d": []} or {"d": [1]}, goes before the attributes. */
bool vz_hdmf_is_scalar(const vz_node *node, unsigned rank);

/* Did hdmf-zarr up to 0.11.1 store each row of a compound as often as it has members, along a second dimension? */
bool vz_hdmf_repeats_rows(const vz_node *node);

/* The value that an attribute is shown as, where that is another than the one it has, else NULL: the root's .specloc is
 * a path in Zarr, a reference in HDF5. */
vz_json *vz_hdmf_attribute(const vz_node *node, const char *name, const vz_json *value);

#endif
