/* reference.h - references that only HDF5 makes and reads: H5R_ref_t, and old region references. */
#ifndef VZ_HANDLES_REFERENCE_H
#define VZ_HANDLES_REFERENCE_H

#include "hdf5/handles/handle.h"
#include "hdf5/references/references.h"

/* For elements on their way through a file: references made keep that file open until they are
 * destroyed, as native ones do. The maker lives as long as the file. */
vz_reference_maker vz_handle_reference_maker(vz_file *file);

/* Gives H5Rcreate* the token of an object. A dataset has a native twin at that address from now
 * on. */
bool vz_handle_reference_lookup(vz_node *node, H5O_token_t *token, vz_error *err);

/* The twin of a dataset that was asked for follows its extent. */
void vz_handle_resized(vz_node *node);

/* Calls vz_handle_resized if the refresh of a node succeeded. Returns `succeeded`. */
bool vz_handle_refreshed(vz_node *node, bool succeeded);

#endif
