/* wrap_group.c - groups of native files. */
#include "hdf5/native/wrap_internal.h"

vz_object *vz_wrapped_group_create(vz_object *object, const vz_loc *loc, const char *name, const vz_creation *with,
                                   vz_error *err)
{
    return vz_native_wrap(object,
                          VZ_NATIVE_CALL(object, with->apl,
                                         H5VLgroup_create(vz_native_under(object), loc, vz_native_connector(), name,
                                                          with->lcpl, with->cpl, with->apl, with->dxpl, NULL)),
                          H5I_GROUP, err);
}

vz_object *vz_wrapped_group_open(vz_object *object, const vz_loc *loc, const char *name, hid_t gapl, hid_t dxpl,
                                 vz_error *err)
{
    return vz_native_wrap(
        object,
        VZ_NATIVE_CALL(object, gapl,
                       H5VLgroup_open(vz_native_under(object), loc, vz_native_connector(), name, gapl, dxpl, NULL)),
        H5I_GROUP, err);
}

herr_t vz_wrapped_group_get(vz_object *group, H5VL_group_get_args_t *args, hid_t dxpl, vz_error *err)
{
    const hid_t list =
        args->op_type == H5VL_GROUP_GET_INFO ? vz_native_list_of(&args->args.get_info.loc_params) : H5I_INVALID_HID;
    return vz_native_result(
        VZ_NATIVE_CALL(group, list, H5VLgroup_get(vz_native_under(group), vz_native_connector(), args, dxpl, NULL)),
        err);
}

static herr_t mount(vz_object *group, const H5VL_group_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    const vz_object *child = args->args.mount.child_file;
    if (!vz_native_is_object(child)) {
        vz_fail(err, VZ_UNSUPPORTED, "mounting a Zarr store in a native HDF5 file is not supported");
        return -1;
    }
    H5VL_group_specific_args_t own = *args;
    own.args.mount.child_file = vz_native_under(child);
    return vz_native_result(
        VZ_H5_QUIETLY(H5VLgroup_specific(vz_native_under(group), vz_native_connector(), &own, dxpl, NULL)), err);
}

/* REFRESH frees the wrapper, as with datasets. */
herr_t vz_wrapped_group_specific(vz_object *group, H5VL_group_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    if (args->op_type == H5VL_GROUP_MOUNT)
        return mount(group, args, dxpl, err);
    return vz_native_result(
        VZ_H5_QUIETLY(H5VLgroup_specific(vz_native_under(group), vz_native_connector(), args, dxpl, NULL)), err);
}

herr_t vz_wrapped_group_optional(vz_object *group, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err)
{
    return vz_native_result(
        VZ_NATIVE_CALL_UNLESS(args->op_type == H5VL_NATIVE_GROUP_ITERATE_OLD, group, H5I_INVALID_HID,
                              H5VLgroup_optional(vz_native_under(group), vz_native_connector(), args, dxpl, NULL)),
        err);
}

herr_t vz_wrapped_group_close(vz_object *group, hid_t dxpl, vz_error *err)
{
    return vz_native_closed(VZ_H5_QUIETLY(H5VLgroup_close(vz_native_under(group), vz_native_connector(), dxpl, NULL)),
                            group, err);
}
