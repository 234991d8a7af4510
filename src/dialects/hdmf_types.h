/* hdmf_types.h - what the hdmf dialect makes of HDF5 types that the plain one stores otherwise. Private to type_plan.c.
 */
#ifndef VZ_DIALECTS_HDMF_TYPES_H
#define VZ_DIALECTS_HDMF_TYPES_H

#include "dialects/type_plan.h"
#include "types/layout.h"

/* Fills in dtype, codec and zarr_dtype of the plan for elements of such a layout, and row and another axis where each
 * member of a compound is an element of the array. *special=false: the dialects agree, and nothing was done. */
bool vz_hdmf_plan(vz_type_plan *plan, const vz_layout *layout, bool scalar, bool *special, vz_error *err);

#endif
