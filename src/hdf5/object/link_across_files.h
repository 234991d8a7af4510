/* link_across_files.h - H5Lcopy and H5Lmove whose two ends may be in different files, of either kind. */
#ifndef VZ_OBJECT_LINK_ACROSS_FILES_H
#define VZ_OBJECT_LINK_ACROSS_FILES_H

#include "hdf5/h5/object.h"

/* As link_copy and link_move of vz_ops, for objects of any kinds. Each end is looked for over external links first. In
 * one store, or between HDF5 files, it is done there; from file to file links with a value go, hard ones are refused as
 * native refuses them. */
herr_t vz_link_copy_across(const vz_link_ends *ends, vz_error *err);
herr_t vz_link_move_across(const vz_link_ends *ends, vz_error *err);

#endif
