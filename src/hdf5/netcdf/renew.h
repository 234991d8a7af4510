/* renew.h - netCDF nodes in the form of an earlier version get the form of today, without HDF5: for
 * h5zarr repair. */
#ifndef VZ_NETCDF_RENEW_H
#define VZ_NETCDF_RENEW_H

#include "hierarchy/nodes/node.h"
#include "hierarchy/nodes/conventions.h"

/* In the annotation of an array between the two steps: should the second one not come, the array is
 * renewed once more. */
#define VZ_ANNOTATION_RENEWED "rn"

/* Given to a hierarchy before its nodes are renewed. */
extern const vz_conventions vz_netcdf_renew_conventions;

/* A node gets the form of today in two steps. Each ends with a flush of all that is dirty, so that
 * a reader always finds what the annotation says.
 *
 * 1. Its documents are written anew. *leaves: it is a dimension without a variable, which then
 * stands in its group's annotation. The documents at its prefix are to be deleted at the end, and
 * the node is to be held until then. *can=false: it is no netCDF node. */
bool vz_netcdf_renew(vz_node *node, bool *can, bool *leaves, vz_error *err);
/* 2. The annotation of an array goes to its group's, which is to be flushed before all else is. */
bool vz_netcdf_renew_note(vz_node *node, vz_error *err);

#endif
