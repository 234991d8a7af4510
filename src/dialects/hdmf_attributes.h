/* hdmf_attributes.h - what the hdmf dialect makes of attributes. */
#ifndef VZ_DIALECTS_HDMF_ATTRIBUTES_H
#define VZ_DIALECTS_HDMF_ATTRIBUTES_H

#include "hierarchy/node.h"

/* Replaces *json and *entry (NULL: none) of an attribute that is about to be set, where the dialect, or what reading
 * would make of it (hdmf_read.h), asks for it: the root's `.specloc` is an object reference in HDF5 and the
 * text of a path in Zarr. They stay the caller's. */
bool vz_hdmf_store_attribute(const vz_node *node, const char *name, vz_json **json, vz_json **entry, vz_error *err);

/* What stands in the place of zarr_dtype in format 3: _DTYPE, of a compound _REFERENCE_FIELDS. Takes the value. */
bool vz_hdmf_set_dtype(vz_node *node, vz_json *take, vz_error *err);

/* References in the node's attributes get the paths and ids that their targets have by now, in either dialect. */
bool vz_hdmf_settle_references(vz_node *node, vz_error *err);
/* Before the node's documents are written, all its attributes: forms of Zarr v3, `.specloc`, and values at which
 * hdmf-zarr would give up the file, which it must not meet (VZ_ANNOTATION_UNSEEN). */
bool vz_hdmf_settle_attributes(vz_node *node, vz_error *err);

#endif
