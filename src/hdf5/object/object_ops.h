/* object_ops.h - objects of any type, tokens, and what stores do not have yet. */
#ifndef VZ_OBJECT_OBJECT_OPS_H
#define VZ_OBJECT_OBJECT_OPS_H

#include "hdf5/handles/locate.h"

vz_object *vz_object_open(vz_object *obj, const vz_loc *loc, H5I_type_t *opened_type, hid_t dxpl, vz_error *err);
herr_t vz_object_copy(const vz_object_ends *ends, vz_error *err);
herr_t vz_object_get(vz_object *obj, const vz_loc *loc, H5VL_object_get_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_object_specific(vz_object *obj, const vz_loc *loc, H5VL_object_specific_args_t *args, hid_t dxpl,
                          vz_error *err);
herr_t vz_object_optional(vz_object *obj, const vz_loc *loc, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err);

#endif
