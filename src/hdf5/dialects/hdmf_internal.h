/* hdmf_internal.h - types and attributes that the hdmf dialect stores otherwise than the plain
 * one. */
#ifndef VZ_DIALECTS_HDMF_INTERNAL_H
#define VZ_DIALECTS_HDMF_INTERNAL_H

#include "hdf5/dialects/dialects.h"
#include "hdf5/types/types.h"
#include "hdf5/dialects/hdmf.h"

/* Marks the root of a store that we have just made with its dialect, if the name does not show
 * it. */
bool vz_hdmf_mark(vz_hierarchy *hierarchy, vz_error *err);

/* The root's `.specloc` is an object reference in HDF5 and the text of a path in Zarr. */
bool vz_hdmf_store_attribute(const vz_node *node, const char *name, vz_json **json, vz_json **entry, vz_error *err);

/* References with a path alone have a form of their own in format 3. */
bool vz_hdmf_store_attribute_v3(const vz_node *node, const char *name, vz_json **json, vz_json **entry, vz_error *err);

/* `.specloc`, and values at which hdmf-zarr would give up the file, which it must not meet
 * (VZ_ANNOTATION_UNSEEN). */
bool vz_hdmf_finish_attributes(vz_node *node, vz_error *err);
bool vz_hdmf_finish_attributes_v3(vz_node *node, vz_error *err);

/* As _DTYPE, of a compound as _REFERENCE_FIELDS. */
bool vz_hdmf_set_dtype_v3(vz_node *node, vz_json *take, vz_error *err);

/* -- HDMF read --
 * Facts about an array in hdmf-zarr's attributes. They are the type names in zarr_dtype (v2) or in
 * _DTYPE and _REFERENCE_FIELDS (v3), and that it is a scalar. They are hints. A type that elements
 * cannot be shown as is ignored, and the annotation's "t" has precedence. */
#define VZ_HDMF_SPECLOC ".specloc"
bool vz_hdmf_is_specloc(const vz_node *node, const char *name); /* is it that attribute of the
                                                                 * root? */

/* The type by a dtype and zarr_dtype alone: a new id. */
hid_t vz_hdmf_type_named(const vz_dtype *dtype, const vz_json *zarr_dtype);

/* Rows of convention_writer.c. */
bool vz_hdmf_plan(vz_dialect_plan *plan, const vz_type_tree *layout, bool scalar, bool *special, vz_error *err);
bool vz_hdmf_plan_v3(vz_dialect_plan *plan, const vz_type_tree *layout, bool scalar, bool *special, vz_error *err);

#endif
