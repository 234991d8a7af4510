/* datatype.c - H5T callbacks (committed datatypes). */
#include "hdf5/vol/vol_internal.h"

static void *datatype_commit(void *obj, const H5VL_loc_params_t *loc, const char *name, hid_t type, hid_t lcpl,
                             hid_t tcpl, hid_t tapl, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    const vz_creation with = {.type = type, .lcpl = lcpl, .cpl = tcpl, .apl = tapl, .dxpl = dxpl};
    vz_object *named = vz_vol_ops(obj)->datatype_commit(obj, loc, name, &with, &call.err);
    return vz_vol_object(named, &call, __func__);
}

static void *datatype_open(void *obj, const H5VL_loc_params_t *loc, const char *name, hid_t tapl, hid_t dxpl,
                           VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_object(vz_vol_ops(obj)->datatype_open(obj, loc, name, tapl, dxpl, &call.err), &call, __func__);
}

static herr_t datatype_get(void *type, H5VL_datatype_get_args_t *args, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(type)->datatype_get(type, args, dxpl, &call.err), &call, __func__);
}

static herr_t datatype_specific(void *type, H5VL_datatype_specific_args_t *args, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(type)->datatype_specific(type, args, dxpl, &call.err), &call, __func__);
}

static herr_t datatype_optional(void *type, H5VL_optional_args_t *args, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(type)->datatype_optional(type, args, dxpl, &call.err), &call, __func__);
}

static herr_t datatype_close(void *type, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(type)->datatype_close(type, dxpl, &call.err), &call, __func__);
}

const H5VL_datatype_class_t vz_vol_datatype_class = {
    .commit = datatype_commit,
    .open = datatype_open,
    .get = datatype_get,
    .specific = datatype_specific,
    .optional = datatype_optional,
    .close = datatype_close,
};
