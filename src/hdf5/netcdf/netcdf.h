/* netcdf.h - a group of Zarr arrays with named dimensions as a group of a netCDF-4 file.
 *
 * The documents of arrays name their dimensions. HDF5 programs see dimension scales: attributes
 * (CLASS, DIMENSION_LIST ...) that follow from the names, and datasets without data for dimensions
 * that have no variable. Both are in memory only. The reader shows what is derived here, and the
 * writer leaves it out of documents. */
#ifndef VZ_NETCDF_NETCDF_H
#define VZ_NETCDF_NETCDF_H

#include "hierarchy/nodes/node.h"

/* For vz_conventions: what a listed group shows beside its members; what an array that was loaded
 * shows, together with all others of its group. */
bool vz_netcdf_complete(vz_node *group, vz_error *err);
bool vz_netcdf_loaded(vz_node *array, vz_error *err);

/* A program asks for an attribute of the node, or, with NULL, for all of them. Attributes that are
 * derived only then become a part of them. */
bool vz_netcdf_attributes_wanted(vz_node *node, const char *name, vz_error *err);

/* Labels that a program changed become names of dimensions, before the array is written. */
bool vz_netcdf_finish_labels(vz_node *array, vz_error *err);

/* Is the node one that was found to be netCDF's? */
static inline bool vz_netcdf_is_shown(const vz_node *node)
{
    return node->derived != NULL && !node->labelled;
}

/* Do its links have an order for HDF5, as far as it was listed? netCDF-C changes no file
 * without. */
static inline bool vz_netcdf_shows_order(const vz_node *group)
{
    return group->track_order || group->derived;
}

/* The group is listed, if it may be netCDF's: does HDF5 see an order of its links? */
bool vz_netcdf_orders_links(vz_node *group);

#endif
