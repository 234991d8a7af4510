/* link_ops.h - links. */
#ifndef VZ_OBJECT_LINK_OPS_H
#define VZ_OBJECT_LINK_OPS_H

#include "hdf5/handles/locate.h"

herr_t vz_link_create(H5VL_link_create_args_t *args, vz_object *obj, const vz_loc *loc, hid_t lcpl, hid_t lapl,
                      hid_t dxpl, vz_error *err);
herr_t vz_obj_link_copy(const vz_link_ends *ends, vz_error *err);
herr_t vz_link_move(const vz_link_ends *ends, vz_error *err);
herr_t vz_link_get(vz_object *obj, const vz_loc *loc, H5VL_link_get_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_link_specific(vz_object *obj, const vz_loc *loc, H5VL_link_specific_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_link_optional(vz_object *obj, const vz_loc *loc, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err);

#endif
