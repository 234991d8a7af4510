/* wrap_file.c - native files. */
#include "hdf5/native/wrap_internal.h"

herr_t vz_native_file_get(void *native, H5VL_file_get_args_t *args, hid_t dxpl, vz_error *err)
{
    return vz_native_result(VZ_H5_QUIETLY(H5VLfile_get(native, vz_native_connector(), args, dxpl, NULL)), err);
}

/* The list that a program gets is one for names, not for this file. */
herr_t vz_wrapped_file_get(vz_object *object, H5VL_file_get_args_t *args, hid_t dxpl, vz_error *err)
{
    const herr_t status = vz_native_file_get(vz_native_under(object), args, dxpl, err);
    if (status >= 0 && args->op_type == H5VL_FILE_GET_FAPL && vz_native_is_remote(object))
        return vz_native_result(H5Pset_fapl_sec2(args->args.get_fapl.fapl_id), err);
    return status;
}

static herr_t reopen(vz_object *object, H5VL_file_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    void **result = args->args.reopen.file;
    void *file = NULL;
    H5VL_file_specific_args_t own = {.op_type = H5VL_FILE_REOPEN, .args.reopen.file = &file};
    if (VZ_H5_QUIETLY(H5VLfile_specific(vz_native_under(object), vz_native_connector(), &own, dxpl, NULL)) < 0)
        return vz_native_result(-1, err);
    *result = vz_native_wrap(object, file, H5I_FILE, err);
    return *result ? 0 : -1;
}

/* IS_EQUAL: the second object is native already, the library took it from get_object. */
herr_t vz_wrapped_file_specific(vz_object *object, H5VL_file_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    if (args->op_type == H5VL_FILE_REOPEN)
        return reopen(object, args, dxpl, err);
    return vz_native_result(
        VZ_H5_QUIETLY(H5VLfile_specific(vz_native_under(object), vz_native_connector(), args, dxpl, NULL)), err);
}

herr_t vz_wrapped_file_optional(vz_object *object, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err)
{
    return vz_native_result(
        VZ_H5_QUIETLY(H5VLfile_optional(vz_native_under(object), vz_native_connector(), args, dxpl, NULL)), err);
}

herr_t vz_wrapped_file_close(vz_object *file, hid_t dxpl, vz_error *err)
{
    return vz_native_closed(VZ_H5_QUIETLY(H5VLfile_close(vz_native_under(file), vz_native_connector(), dxpl, NULL)),
                            file, err);
}
