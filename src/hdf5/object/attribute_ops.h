/* attribute_ops.h - attributes. */
#ifndef VZ_OBJECT_ATTRIBUTE_OPS_H
#define VZ_OBJECT_ATTRIBUTE_OPS_H

#include "hdf5/handles/locate.h"

vz_object *vz_attr_create(vz_object *obj, const vz_loc *loc, const char *name, const vz_creation *with, vz_error *err);
vz_object *vz_attr_open(vz_object *obj, const vz_loc *loc, const char *name, hid_t aapl, hid_t dxpl, vz_error *err);
herr_t vz_attr_read(vz_object *attr, hid_t mem_type, void *buf, hid_t dxpl, vz_error *err);
herr_t vz_attr_write(vz_object *attr, hid_t mem_type, const void *buf, hid_t dxpl, vz_error *err);
herr_t vz_attr_get(vz_object *obj, H5VL_attr_get_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_attr_specific(vz_object *obj, const vz_loc *loc, H5VL_attr_specific_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_attr_optional(vz_object *obj, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err);

/* The name at a position of an index among the visible attributes. Heap; NULL + VZ_NOT_FOUND beyond the end. */
char *vz_attr_name_at(vz_node *node, H5_index_t index, H5_iter_order_t order, hsize_t n, vz_error *err);
/* What H5Aget_info tells of an attribute that nobody needs to have open. */
bool vz_attr_info(vz_node *node, const char *name, H5A_info_t *info, vz_error *err);
/* The object whose attributes a location by index means. */
vz_node *vz_attr_owner(const vz_handle *from, const vz_loc *loc, vz_reached *reached, vz_error *err);

#endif
