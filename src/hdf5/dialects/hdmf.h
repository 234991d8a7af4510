/* hdmf.h - the dialect that HDMF (pynwb, hdmf-zarr) reads, and the stores that are in it. Their
 * types are in hdmf_internal.h; src/hdf5/datasets converts arrays that exist already. */
#ifndef VZ_DIALECTS_HDMF_H
#define VZ_DIALECTS_HDMF_H

#include "hdf5/h5/h5.h"
#include "hierarchy/nodes/node.h"

/* Finds the dialect of a store that was opened or made: by its root's mark, by options, by the
 * root's attributes, by its name. */
void vz_hdmf_recognise(vz_hierarchy *hierarchy);

/* An attribute was set: it may show that the store is HDMF's, or complete references. */
void vz_hdmf_attribute_set(vz_node *node, const char *name);

/* Must all references be checked before documents are written? */
bool vz_hdmf_references_are_due(vz_hierarchy *hierarchy);

/* Every node is in the dialect's form. From now on the store is known by its mark and is not
 * searched again. */
bool vz_hdmf_forms_done(vz_hierarchy *hierarchy, vz_error *err);

/* -- HDMF attributes --
 * Attributes that the hdmf dialect stores otherwise. */
/* Updates the references in a node's attributes to the current paths and ids of their targets,
 * in either dialect. */
bool vz_hdmf_update_references(vz_node *node, vz_error *err);

/* ---- rows of convention_writer.c ---- */

/* The type by the node's attributes: a new id. H5I_INVALID_HID without an error if they add
 * nothing to the dtype. */
hid_t vz_hdmf_type(const vz_node *node);

/* Is the array's one element that of a scalar dataset? `rank`: its dimensions that are no part
 * of its type. "s" of the annotation, {"d": []} or {"d": [1]}, has precedence over attributes. */
bool vz_hdmf_is_scalar(const vz_node *node, unsigned rank);

/* Did hdmf-zarr up to 0.11.1 store each row of a compound as often as it has members, along a
 * second dimension? */
bool vz_hdmf_repeats_rows(const vz_node *node);

/* The value as which an attribute is shown, new; NULL: its own value. The root's .specloc is a
 * path in Zarr, a reference in HDF5. */
vz_json *vz_hdmf_attribute(const vz_node *node, const char *name, const vz_json *value);

#endif
