/* hdmf_internal.h - what the hdmf dialect makes of HDF5 types that the plain one stores otherwise. */
#ifndef VZ_DIALECTS_HDMF_INTERNAL_H
#define VZ_DIALECTS_HDMF_INTERNAL_H

#include "hdf5/dialects/dialects.h"
#include "hdf5/types/types.h"

/* Rows of convention_writer.c. */
bool vz_hdmf_plan(vz_type_plan *plan, const vz_type_tree *layout, bool scalar, bool *special, vz_error *err);
bool vz_hdmf_plan_v3(vz_type_plan *plan, const vz_type_tree *layout, bool scalar, bool *special, vz_error *err);

#endif
