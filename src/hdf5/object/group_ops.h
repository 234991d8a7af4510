/* group_ops.h - groups, and what all named objects share. */
#ifndef VZ_OBJECT_GROUP_OPS_H
#define VZ_OBJECT_GROUP_OPS_H

#include "hdf5/handles/creation_order.h"
#include "hdf5/handles/locate.h"

vz_object *vz_group_create(vz_object *obj, const vz_loc *loc, const char *name, const vz_creation *with, vz_error *err);
vz_object *vz_group_open(vz_object *obj, const vz_loc *loc, const char *name, hid_t gapl, hid_t dxpl, vz_error *err);
herr_t vz_group_get(vz_object *obj, H5VL_group_get_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_group_specific(vz_object *obj, H5VL_group_specific_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_group_optional(vz_object *obj, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err);

/* Groups, datasets, attributes. */
herr_t vz_object_close(vz_object *obj, hid_t dxpl, vz_error *err);
/* H5Dflush and its like: the node is written, then the program's H5Pset_object_flush_cb is called with `id`. */
bool vz_handle_flush(const vz_handle *handle, hid_t id, vz_error *err);

/* The place for a new object: none (zero) when name is NULL, which is an anonymous object. VZ_EXISTS if taken. */
bool vz_place_of_new(vz_link_location *place, vz_handle *from, const char *name, const vz_creation *with, vz_error *err);

#endif
