/* attribute.c - H5A callbacks. */
#include "hdf5/vol/vol_internal.h"

static void *attr_create(void *obj, const H5VL_loc_params_t *loc, const char *name, hid_t type, hid_t space, hid_t acpl,
                         hid_t aapl, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    const vz_creation with = {.type = type, .space = space, .cpl = acpl, .apl = aapl, .dxpl = dxpl};
    vz_object *attr = vz_vol_ops(obj)->attr_create(obj, loc, name, &with, &call.err);
    return vz_vol_object(attr, &call, __func__);
}

static void *attr_open(void *obj, const H5VL_loc_params_t *loc, const char *name, hid_t aapl, hid_t dxpl,
                       VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_object(vz_vol_ops(obj)->attr_open(obj, loc, name, aapl, dxpl, &call.err), &call, __func__);
}

static herr_t attr_read(void *attr, hid_t mem_type, void *buf, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(attr)->attr_read(attr, mem_type, buf, dxpl, &call.err), &call, __func__);
}

static herr_t attr_write(void *attr, hid_t mem_type, const void *buf, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(attr)->attr_write(attr, mem_type, buf, dxpl, &call.err), &call, __func__);
}

static herr_t attr_get(void *obj, H5VL_attr_get_args_t *args, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(obj)->attr_get(obj, args, dxpl, &call.err), &call, __func__);
}

static herr_t attr_specific(void *obj, const H5VL_loc_params_t *loc, H5VL_attr_specific_args_t *args, hid_t dxpl,
                            VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(obj)->attr_specific(obj, loc, args, dxpl, &call.err), &call, __func__);
}

static herr_t attr_optional(void *obj, H5VL_optional_args_t *args, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(obj)->attr_optional(obj, args, dxpl, &call.err), &call, __func__);
}

static herr_t attr_close(void *attr, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(attr)->attr_close(attr, dxpl, &call.err), &call, __func__);
}

const H5VL_attr_class_t vz_vol_attr_class = {
    .create = attr_create,
    .open = attr_open,
    .read = attr_read,
    .write = attr_write,
    .get = attr_get,
    .specific = attr_specific,
    .optional = attr_optional,
    .close = attr_close,
};
