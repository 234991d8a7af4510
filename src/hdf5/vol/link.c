/* link.c - H5L callbacks. Of the two objects of a call one may be NULL (H5L_SAME_LOC). */
#include "hdf5/vol/vol_internal.h"

static const vz_ops *ops_of_either(const void *a, const void *b)
{
    return vz_vol_ops(a ? a : b);
}

static bool of_one_kind(const void *a, const void *b)
{
    return !a || !b || vz_vol_ops(a) == vz_vol_ops(b);
}

static herr_t link_create(H5VL_link_create_args_t *args, void *obj, const H5VL_loc_params_t *loc, hid_t lcpl,
                          hid_t lapl, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    const void *target = args->op_type == H5VL_LINK_CREATE_HARD ? args->args.hard.curr_obj : NULL;
    herr_t status = -1;
    if (vz_vol_same_kind(obj, target, "a hard link", &call.err))
        status = ops_of_either(obj, target)->link_create(args, obj, loc, lcpl, lapl, dxpl, &call.err);
    return vz_vol_status(status, &call, __func__);
}

static herr_t link_copy(void *src, const H5VL_loc_params_t *src_loc, void *dst, const H5VL_loc_params_t *dst_loc,
                        hid_t lcpl, hid_t lapl, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    const vz_h5_link_ends ends = {src, dst, src_loc, dst_loc, lcpl, lapl, dxpl};
    herr_t status = -1;
    if (of_one_kind(src, dst))
        status = ops_of_either(src, dst)->link_copy(&ends, &call.err);
    else if (vz_obj_are_open(src, dst, &call.err))
        status = vz_obj_link_copy_across(&ends, &call.err);
    return vz_vol_status(status, &call, __func__);
}

static herr_t link_move(void *src, const H5VL_loc_params_t *src_loc, void *dst, const H5VL_loc_params_t *dst_loc,
                        hid_t lcpl, hid_t lapl, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    const vz_h5_link_ends ends = {src, dst, src_loc, dst_loc, lcpl, lapl, dxpl};
    herr_t status = -1;
    if (of_one_kind(src, dst))
        status = ops_of_either(src, dst)->link_move(&ends, &call.err);
    else if (vz_obj_are_open(src, dst, &call.err))
        status = vz_obj_link_move_across(&ends, &call.err);
    return vz_vol_status(status, &call, __func__);
}

static herr_t link_get(void *obj, const H5VL_loc_params_t *loc, H5VL_link_get_args_t *args, hid_t dxpl,
                       VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(obj)->link_get(obj, loc, args, dxpl, &call.err), &call, __func__);
}

static herr_t link_specific(void *obj, const H5VL_loc_params_t *loc, H5VL_link_specific_args_t *args, hid_t dxpl,
                            void **req)
{
    const bool asks = req && args->op_type == H5VL_LINK_EXISTS;
    const vz_obj_later_query what = {.op = VZ_OBJ_LINK_EXISTS, .exists = asks ? args->args.exists.exists : NULL};
    if (asks && vz_vol_ask_later(obj, loc, &what, req, __func__))
        return 0;
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(obj)->link_specific(obj, loc, args, dxpl, &call.err), &call, __func__);
}

static herr_t link_optional(void *obj, const H5VL_loc_params_t *loc, H5VL_optional_args_t *args, hid_t dxpl,
                            VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(obj)->link_optional(obj, loc, args, dxpl, &call.err), &call, __func__);
}

const H5VL_link_class_t vz_vol_link_class = {
    .create = link_create,
    .copy = link_copy,
    .move = link_move,
    .get = link_get,
    .specific = link_specific,
    .optional = link_optional,
};
