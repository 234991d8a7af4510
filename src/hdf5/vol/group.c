/* group.c - H5G callbacks. */
#include "hdf5/vol/vol_internal.h"

static void *group_create(void *obj, const H5VL_loc_params_t *loc, const char *name, hid_t lcpl, hid_t gcpl, hid_t gapl,
                          hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    const vz_creation with = {.lcpl = lcpl, .cpl = gcpl, .apl = gapl, .dxpl = dxpl};
    vz_object *group = vz_vol_ops(obj)->group_create(obj, loc, name, &with, &call.err);
    return vz_vol_object(group, &call, __func__);
}

static void *group_open(void *obj, const H5VL_loc_params_t *loc, const char *name, hid_t gapl, hid_t dxpl, void **req)
{
    const bool is_usual = gapl == H5P_DEFAULT || gapl == H5P_GROUP_ACCESS_DEFAULT;
    const vz_obj_later_open what = {obj, H5I_GROUP, name, NULL};
    void *later = is_usual && loc->type == H5VL_OBJECT_BY_SELF ? vz_vol_open_later(&what, req, __func__) : NULL;
    if (later)
        return later;
    const bool may_be = vz_async_unsettled && vz_vol_may_ask(req) && !vz_obj_is_pending(obj);
    vz_vol_call call = vz_vol_begin_beside(may_be);
    return vz_vol_object(vz_vol_ops(obj)->group_open(obj, loc, name, gapl, dxpl, &call.err), &call, __func__);
}

static herr_t group_get(void *obj, H5VL_group_get_args_t *args, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(obj)->group_get(obj, args, dxpl, &call.err), &call, __func__);
}

static herr_t group_specific(void *obj, H5VL_group_specific_args_t *args, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    const void *child = args->op_type == H5VL_GROUP_MOUNT ? args->args.mount.child_file : NULL;
    herr_t status = -1;
    if (vz_vol_same_kind(obj, child, "mounting", &call.err))
        status = vz_vol_ops(obj)->group_specific(obj, args, dxpl, &call.err);
    return vz_vol_status(status, &call, __func__);
}

static herr_t group_optional(void *obj, H5VL_optional_args_t *args, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(obj)->group_optional(obj, args, dxpl, &call.err), &call, __func__);
}

static herr_t group_close(void *group, hid_t dxpl, void **req)
{
    if (vz_vol_close_later(group, req, __func__))
        return 0;
    vz_vol_call call = vz_vol_begin_beside(vz_vol_may_ask(req) && vz_vol_may_be_beside(group, true));
    return vz_vol_status(vz_vol_ops(group)->group_close(group, dxpl, &call.err), &call, __func__);
}

const H5VL_group_class_t vz_vol_group_class = {
    .create = group_create,
    .open = group_open,
    .get = group_get,
    .specific = group_specific,
    .optional = group_optional,
    .close = group_close,
};
