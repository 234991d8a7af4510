/* wrap_file.c - native files: opened and created with the caller's access list changed to the native connector. */
#include "native/wrap_ops.h"

/* A copy of the access list for the native connector; negative on failure. */
static hid_t native_access_list(hid_t fapl, vz_error *err)
{
    const hid_t copy = H5Pcopy(fapl);
    if (copy < 0)
        return vz_native_result(-1, err);
    if (H5Pset_vol(copy, vz_native_connector(), NULL) >= 0)
        return copy;
    vz_h5_close_quietly(copy);
    return vz_native_result(-1, err);
}

static vz_object *opened(void *file, hid_t fapl, vz_error *err)
{
    vz_h5_close_quietly(fapl);
    if (file)
        vz_native_learn_class(file);
    return vz_native_wrap(file, H5I_FILE, err);
}

vz_object *vz_native_file_create(const char *name, unsigned flags, hid_t fcpl, hid_t fapl, hid_t dxpl, vz_error *err)
{
    const hid_t access = native_access_list(fapl, err);
    if (access < 0)
        return NULL;
    return opened(VZ_H5_QUIETLY(H5VLfile_create(name, flags, fcpl, access, dxpl, NULL)), access, err);
}

vz_object *vz_native_file_open(const char *name, unsigned flags, hid_t fapl, hid_t dxpl, vz_error *err)
{
    const hid_t access = native_access_list(fapl, err);
    if (access < 0)
        return NULL;
    return opened(VZ_H5_QUIETLY(H5VLfile_open(name, flags, access, dxpl, NULL)), access, err);
}

herr_t vz_native_file_specific(H5VL_file_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    const bool accessible = args->op_type == H5VL_FILE_IS_ACCESSIBLE;
    H5VL_file_specific_args_t own = *args;
    const hid_t access =
        native_access_list(accessible ? args->args.is_accessible.fapl_id : args->args.del.fapl_id, err);
    if (access < 0)
        return -1;
    if (accessible)
        own.args.is_accessible.fapl_id = access;
    else
        own.args.del.fapl_id = access;
    const herr_t status = VZ_H5_QUIETLY(H5VLfile_specific(NULL, vz_native_connector(), &own, dxpl, NULL));
    vz_h5_close_quietly(access);
    return vz_native_result(status, err);
}

herr_t vz_wrapped_file_get(vz_object *object, H5VL_file_get_args_t *args, hid_t dxpl, vz_error *err)
{
    return vz_native_result(
        VZ_H5_QUIETLY(H5VLfile_get(vz_native_under(object), vz_native_connector(), args, dxpl, NULL)), err);
}

static herr_t reopen(vz_object *object, H5VL_file_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    void **result = args->args.reopen.file;
    void *file = NULL;
    H5VL_file_specific_args_t own = {.op_type = H5VL_FILE_REOPEN, .args.reopen.file = &file};
    if (VZ_H5_QUIETLY(H5VLfile_specific(vz_native_under(object), vz_native_connector(), &own, dxpl, NULL)) < 0)
        return vz_native_result(-1, err);
    *result = vz_native_wrap(file, H5I_FILE, err);
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
