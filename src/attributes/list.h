/* list.h - which attributes of a node HDF5 sees, and in what order. */
#ifndef VZ_ATTRIBUTES_LIST_H
#define VZ_ATTRIBUTES_LIST_H

#include "hierarchy/node.h"

/* Attributes that HDF5 must not see: the annotation, zarr_dtype, zarr_link ... (per dialect). */
bool vz_attribute_is_hidden(const vz_node *node, const char *name);
/* Names of visible attributes, in creation order (`index` counts visible ones only): NULL beyond the end. Valid until
 * the next call. */
const char *vz_attribute_at(const vz_node *node, size_t index);
/* The same in the order of names, bytewise, if the node has no odd keys (name.h). NULL + err beyond the end.
 */
const char *vz_attribute_by_name(vz_node *node, size_t index, vz_error *err);
size_t vz_attribute_count(const vz_node *node);

#endif
