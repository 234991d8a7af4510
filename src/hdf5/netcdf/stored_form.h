/* stored_form.h - the stored form of netCDF arrays and groups: what xarray would have written.
 *
 * In memory a node is what HDF5 programs see. Before an array's documents are written, the
 * functions here decide four facts. These are what xarray must not see (VZ_ANNOTATION_UNSEEN), what
 * stands in another form (VZ_ANNOTATION_FORMS), the fill value (VZ_ANNOTATION_FILL), and the place
 * of the annotation (vz_node.netcdf). Nodes that are not netCDF stay as they are. */
#ifndef VZ_NETCDF_STORED_FORM_H
#define VZ_NETCDF_STORED_FORM_H

#include "hierarchy/nodes/node.h"

/* Chunks of fill that are stored for an array of format 2 whose program wrote none there, at most.
 * Beyond either the document has HDF5's fill value, and xarray masks it (docs/limits.md). */
#define VZ_NETCDF_FILL_CHUNKS_MAX 16384
#define VZ_NETCDF_FILL_BYTES_MAX  ((uint64_t)4 << 30)

/* Arrays of a group whose annotation stands in its own, which is written whole at each flush. */
#define VZ_NETCDF_NOTES_MAX ((size_t)256)

/* Before the documents of a changed store are written: arrays become as long as their unlimited
 * dimensions. */
bool vz_netcdf_finish_lengths(vz_hierarchy *hierarchy, vz_error *err);
/* Before one array is written by itself, with the length that it has. */
void vz_netcdf_forget_lengths(vz_node *array);

/* A changed array that is a dimension without a variable goes to its group's annotation
 * (*is_one). */
bool vz_netcdf_finish_dimension(vz_node *array, bool *is_one, vz_error *err);

/* For vz_conventions. names.c: the name without VZ_NETCDF_NON_COORD: a part of `name`. */
const char *vz_netcdf_stored_name(const char *name);
bool vz_netcdf_gives_way(const vz_node *node);

/* Before the documents of a changed node are written. It changes the node, and may store chunks. */
bool vz_netcdf_finish_array(vz_node *array, vz_error *err);
bool vz_netcdf_finish_group(vz_node *group, vz_error *err);

/* The members of vz_conventions that do not depend on the program that writes: all but
 * before_writing. */
#define VZ_NETCDF_CONVENTIONS                                                                                          \
    .read_links = vz_dialect_links_read, .complete = vz_netcdf_complete, .loaded = vz_netcdf_loaded,                   \
    .links_attribute = vz_dialect_links_attribute, .stored_name = vz_netcdf_stored_name,                               \
    .gives_way = vz_netcdf_gives_way

#endif
