/* hdmf_attributes.h - what the hdmf dialect makes of attributes. */
#ifndef VZ_DIALECTS_HDMF_ATTRIBUTES_H
#define VZ_DIALECTS_HDMF_ATTRIBUTES_H

#include "hierarchy/nodes/node.h"

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

#endif
