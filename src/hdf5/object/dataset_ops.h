/* dataset_ops.h - datasets. */
#ifndef VZ_OBJECT_DATASET_OPS_H
#define VZ_OBJECT_DATASET_OPS_H

#include "hdf5/object/group_ops.h"

vz_object *vz_dataset_new(vz_object *obj, const vz_loc *loc, const char *name, const vz_creation *with, vz_error *err);
vz_object *vz_dataset_open(vz_object *obj, const vz_loc *loc, const char *name, hid_t dapl, hid_t dxpl, vz_error *err);
herr_t vz_datasets_move(const vz_datasets_call *call, vz_error *err);
herr_t vz_dataset_get(vz_object *dset, H5VL_dataset_get_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_dataset_specific(vz_object *dset, H5VL_dataset_specific_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_dataset_optional(vz_object *dset, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err);
herr_t vz_dataset_close(vz_object *dset, hid_t dxpl, vz_error *err);

/* A handle on a node that is an array which could be understood. Takes no reference. dapl may be H5P_DEFAULT. */
vz_handle *vz_dataset_handle(vz_file *file, vz_node *node, hid_t dapl, vz_error *err);

#endif
