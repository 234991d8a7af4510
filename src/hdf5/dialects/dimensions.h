/* dimensions.h - names of dimensions for readers that want them (xarray): HDF5's dimension scales and labels told as
 * "_ARRAY_DIMENSIONS" (v2) and "dimension_names" (v3). */
#ifndef VZ_DIALECTS_DIMENSIONS_H
#define VZ_DIALECTS_DIMENSIONS_H

#include "hierarchy/nodes/node.h"

#define VZ_ARRAY_DIMENSIONS "_ARRAY_DIMENSIONS"

/* Renews the names of a changed array that has scales or labels; those that another program wrote stay. */
bool vz_dimensions_update(vz_node *node, vz_error *err);
/* Would that say anything? */
bool vz_dimensions_are_wanted(const vz_node *node);
/* Is the attribute VZ_ARRAY_DIMENSIONS of this node ours, and so hidden from HDF5? */
bool vz_dimensions_are_ours(const vz_node *node);
/* The user is about to make an attribute: if it has the name of ours, ours goes. */
bool vz_dimensions_give_way(vz_node *node, const char *name, vz_error *err);

#endif
