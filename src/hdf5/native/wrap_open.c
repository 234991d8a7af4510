/* wrap_open.c - native files: opened and created with the caller's access list changed to the
 * native connector; the table of operations that they and all objects in them have. */
#include "hdf5/native/native_internal.h"
#include "hdf5/native/wrap_internal.h"

#define VZ_TABLE_ENTRY(operation) .operation = vz_wrapped_##operation,
static const vz_ops native_ops = {.kind = VZ_OPS_NATIVE, VZ_NATIVE_OPERATIONS(VZ_TABLE_ENTRY)};

const vz_ops *vz_native_ops(void)
{
    return &native_ops;
}
#undef VZ_TABLE_ENTRY

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

/* Beside files of its own HDF5 looks into every object: better at something that is there
 * already. */
static vz_object *opened(void *file, hid_t fapl, vz_error *err)
{
    vz_h5_close_quietly(fapl);
    if (file)
        vz_native_learn_class(file);
    vz_native.wraps |= file != NULL;
    if (file && vz_native.gateway)
        vz_gateway_need(NULL);
    return vz_native_wrap(&native_ops, file, H5I_FILE, err);
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
