/* hidden_attributes.h - attributes that HDF5 must not see: the annotation, zarr_dtype, zarr_link ... */
#ifndef VZ_ATTRIBUTES_HIDDEN_ATTRIBUTES_H
#define VZ_ATTRIBUTES_HIDDEN_ATTRIBUTES_H

#include "hierarchy/nodes/node.h"

bool vz_attribute_is_hidden(const vz_node *node, const char *name);
/* The names that are hidden in this node, if it has them, one after another, from *cursor = 0 on; NULL at the end. */
const char *vz_attribute_next_hidden(const vz_node *node, size_t *cursor);

#endif
