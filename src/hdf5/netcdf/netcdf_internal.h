/* netcdf_internal.h - the part of the headers here that only this module uses. */
#ifndef VZ_NETCDF_NETCDF_INTERNAL_H
#define VZ_NETCDF_NETCDF_INTERNAL_H

#include "hdf5/netcdf/stored_form.h"

#define VZ_FILL_ATTRIBUTE "_FillValue"

/* stored_fill.c: the number in the attribute, which may be a list of one; NULL: there is none, or
 * the array holds no numbers. */
const vz_json *vz_netcdf_missing_value(const vz_node *array);
/* Decides what the document has as fill value, and stores chunks that this asks for. */
bool vz_netcdf_finish_fill(vz_node *array, vz_error *err);

#endif
