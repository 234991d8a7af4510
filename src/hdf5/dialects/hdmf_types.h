/* hdmf_types.h - what the hdmf dialect makes of HDF5 types that the plain one stores otherwise. */
#ifndef VZ_DIALECTS_HDMF_TYPES_H
#define VZ_DIALECTS_HDMF_TYPES_H

#include "hdf5/dialects/storage_type.h"
#include "hdf5/types/type_tree.h"

/* Rows of convention_writer.c. */
bool vz_hdmf_plan(vz_type_plan *plan, const vz_type_tree *layout, bool scalar, bool *special, vz_error *err);
bool vz_hdmf_plan_v3(vz_type_plan *plan, const vz_type_tree *layout, bool scalar, bool *special, vz_error *err);

#endif
