/* wrap_attribute.c - attributes of native files. */
#include "hdf5/native/wrap_internal.h"

vz_object *vz_wrapped_attr_create(vz_object *object, const vz_loc *loc, const char *name, const vz_creation *with,
                                  vz_error *err)
{
    return vz_native_wrap(
        object,
        VZ_NATIVE_CALL(object, vz_native_list_of(loc),
                       H5VLattr_create(vz_native_under(object), loc, vz_native_connector(), name, with->type,
                                       with->space, with->cpl, with->apl, with->dxpl, NULL)),
        H5I_ATTR, err);
}

vz_object *vz_wrapped_attr_open(vz_object *object, const vz_loc *loc, const char *name, hid_t aapl, hid_t dxpl,
                                vz_error *err)
{
    return vz_native_wrap(
        object,
        VZ_NATIVE_CALL(object, vz_native_list_of(loc),
                       H5VLattr_open(vz_native_under(object), loc, vz_native_connector(), name, aapl, dxpl, NULL)),
        H5I_ATTR, err);
}

herr_t vz_wrapped_attr_read(vz_object *attr, hid_t mem_type, void *buf, hid_t dxpl, vz_error *err)
{
    return vz_native_result(
        VZ_NATIVE_CALL(attr, H5I_INVALID_HID,
                       H5VLattr_read(vz_native_under(attr), vz_native_connector(), mem_type, buf, dxpl, NULL)),
        err);
}

herr_t vz_wrapped_attr_write(vz_object *attr, hid_t mem_type, const void *buf, hid_t dxpl, vz_error *err)
{
    return vz_native_result(
        VZ_H5_QUIETLY(H5VLattr_write(vz_native_under(attr), vz_native_connector(), mem_type, buf, dxpl, NULL)), err);
}

herr_t vz_wrapped_attr_get(vz_object *object, H5VL_attr_get_args_t *args, hid_t dxpl, vz_error *err)
{
    const hid_t list = args->op_type == H5VL_ATTR_GET_INFO   ? vz_native_list_of(&args->args.get_info.loc_params)
                       : args->op_type == H5VL_ATTR_GET_NAME ? vz_native_list_of(&args->args.get_name.loc_params)
                                                             : H5I_INVALID_HID;
    return vz_native_result(
        VZ_NATIVE_CALL(object, list, H5VLattr_get(vz_native_under(object), vz_native_connector(), args, dxpl, NULL)),
        err);
}

herr_t vz_wrapped_attr_specific(vz_object *object, const vz_loc *loc, H5VL_attr_specific_args_t *args, hid_t dxpl,
                                vz_error *err)
{
    return vz_native_result(
        VZ_NATIVE_CALL_UNLESS(args->op_type == H5VL_ATTR_ITER, object, vz_native_list_of(loc),
                              H5VLattr_specific(vz_native_under(object), loc, vz_native_connector(), args, dxpl, NULL)),
        err);
}

herr_t vz_wrapped_attr_optional(vz_object *object, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err)
{
    return vz_native_result(
        VZ_NATIVE_CALL_UNLESS(args->op_type == H5VL_NATIVE_ATTR_ITERATE_OLD, object, H5I_INVALID_HID,
                              H5VLattr_optional(vz_native_under(object), vz_native_connector(), args, dxpl, NULL)),
        err);
}

herr_t vz_wrapped_attr_close(vz_object *attr, hid_t dxpl, vz_error *err)
{
    return vz_native_closed(VZ_H5_QUIETLY(H5VLattr_close(vz_native_under(attr), vz_native_connector(), dxpl, NULL)),
                            attr, err);
}
