/* absent.h - operations that a store answers with "unsupported". */
#ifndef VZ_OBJECT_ABSENT_H
#define VZ_OBJECT_ABSENT_H

#include "object/locate.h"

vz_object *vz_datatype_commit(vz_object *obj, const vz_loc *loc, const char *name, hid_t type, hid_t lcpl, hid_t tcpl,
                              hid_t tapl, hid_t dxpl, vz_error *err);
vz_object *vz_datatype_open(vz_object *obj, const vz_loc *loc, const char *name, hid_t tapl, hid_t dxpl, vz_error *err);
herr_t vz_datatype_get(vz_object *type, H5VL_datatype_get_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_datatype_specific(vz_object *type, H5VL_datatype_specific_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_datatype_optional(vz_object *type, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_blob_put(vz_object *obj, const void *buf, size_t size, void *blob_id, vz_error *err);
herr_t vz_blob_get(vz_object *obj, const void *blob_id, void *buf, size_t size, vz_error *err);
herr_t vz_blob_specific(vz_object *obj, void *blob_id, H5VL_blob_specific_args_t *args, vz_error *err);

#endif
