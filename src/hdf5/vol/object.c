/* object.c - H5O callbacks. */
#include "hdf5/copy/copy.h"
#include "hdf5/vol/vol_internal.h"

static void *object_open(void *obj, const H5VL_loc_params_t *loc, H5I_type_t *opened_type, hid_t dxpl,
                         VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_object(vz_vol_ops(obj)->object_open(obj, loc, opened_type, dxpl, &call.err), &call, __func__);
}

static herr_t object_copy(void *src, const H5VL_loc_params_t *src_loc, const char *src_name, void *dst,
                          const H5VL_loc_params_t *dst_loc, const char *dst_name, hid_t ocpypl, hid_t lcpl, hid_t dxpl,
                          VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    const vz_object_ends ends = {src, dst, src_loc, dst_loc, src_name, dst_name, ocpypl, lcpl, dxpl};
    herr_t status = -1;
    if (vz_vol_ops(src) == vz_vol_ops(dst))
        status = vz_vol_ops(src)->object_copy(&ends, &call.err);
    else if (vz_obj_are_open(src, dst, &call.err))
        status = vz_copy_object(src, src_name, dst, dst_name, ocpypl, lcpl, &call.err);
    return vz_vol_status(status, &call, __func__);
}

static herr_t object_get(void *obj, const H5VL_loc_params_t *loc, H5VL_object_get_args_t *args, hid_t dxpl, void **req)
{
    const bool asks = req && args->op_type == H5VL_OBJECT_GET_INFO;
    const vz_obj_later_query what = {.op = VZ_OBJ_INFO,
                                     .info = asks ? args->args.get_info.oinfo : NULL,
                                     .fields = asks ? args->args.get_info.fields : 0};
    if (asks && vz_vol_ask_later(obj, loc, &what, req, __func__))
        return 0;
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(obj)->object_get(obj, loc, args, dxpl, &call.err), &call, __func__);
}

static herr_t object_specific(void *obj, const H5VL_loc_params_t *loc, H5VL_object_specific_args_t *args, hid_t dxpl,
                              VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(obj)->object_specific(obj, loc, args, dxpl, &call.err), &call, __func__);
}

static herr_t object_optional(void *obj, const H5VL_loc_params_t *loc, H5VL_optional_args_t *args, hid_t dxpl,
                              VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(obj)->object_optional(obj, loc, args, dxpl, &call.err), &call, __func__);
}

const H5VL_object_class_t vz_vol_object_class = {
    .open = object_open,
    .copy = object_copy,
    .get = object_get,
    .specific = object_specific,
    .optional = object_optional,
};
