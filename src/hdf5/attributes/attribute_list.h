/* attribute_list.h - which attributes of a node HDF5 sees, and in what order. */
#ifndef VZ_ATTRIBUTES_ATTRIBUTE_LIST_H
#define VZ_ATTRIBUTES_ATTRIBUTE_LIST_H

#include "hdf5/h5/h5.h"
#include "hierarchy/nodes/node.h"

/* Names of visible attributes, in creation order (`index` counts visible ones only): NULL beyond the end. Valid until
 * the next call. */
const char *vz_attribute_at(const vz_node *node, size_t index);
/* The same in the order of names, bytewise, if the node has no odd keys (attribute_name.h). NULL + err beyond the end.
 */
const char *vz_attribute_by_name(vz_node *node, size_t index, vz_error *err);
size_t vz_attribute_count(const vz_node *node);
bool vz_attribute_exists(vz_node *node, const char *name);
/* The creation order: how many visible ones stand before it; -1: there is none of that name. */
int64_t vz_attribute_order(const vz_node *node, const char *name);
/* The character set of its name: what the name looks like, or UTF-8 where it was created so (entry "cs"). */
H5T_cset_t vz_attribute_charset(const vz_node *node, const char *name);

#endif
