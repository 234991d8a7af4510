/* wrap_open.c - native files are opened and created with the caller's access list changed to the
 * native connector. Their table of operations serves all objects in them, too. */
#include "hdf5/native/native_internal.h"
#include "hdf5/native/remote_internal.h"

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
static vz_object *opened(void *file, bool is_remote, hid_t fapl, vz_error *err)
{
    vz_h5_close_quietly(fapl);
    if (file)
        vz_native_learn_class(file);
    vz_native.wraps |= file != NULL;
    if (file && vz_native.gateway)
        vz_gateway_ensure(NULL);
    return vz_native_wrap_file(&native_ops, file, is_remote, err);
}

vz_object *vz_native_file_create(const char *name, unsigned flags, hid_t fcpl, hid_t fapl, hid_t dxpl, vz_error *err)
{
    const hid_t access = native_access_list(fapl, err);
    if (access < 0)
        return NULL;
    return opened(VZ_H5_QUIETLY(H5VLfile_create(name, flags, fcpl, access, dxpl, NULL)), false, access, err);
}

vz_object *vz_native_file_open(const char *name, unsigned flags, hid_t fapl, hid_t dxpl, vz_error *err)
{
    const hid_t access = native_access_list(fapl, err);
    if (access < 0)
        return NULL;
    return opened(VZ_H5_QUIETLY(H5VLfile_open(name, flags, access, dxpl, NULL)), false, access, err);
}

static bool check_flags(unsigned flags, vz_error *err)
{
    if (flags & H5F_ACC_RDWR)
        return vz_fail(err, VZ_READ_ONLY, "an HDF5 file on a server can only be read");
    return !(flags & H5F_ACC_SWMR_READ) ||
           vz_fail(err, VZ_UNSUPPORTED,
                   "SWMR reading of an HDF5 file on a server, of which one version is read: open it without SWMR");
}

bool vz_native_remote_is_listed(hid_t fapl)
{
    return VZ_H5_QUIETLY(vz_native_remote_is_used(fapl));
}

vz_object *vz_native_remote_open_listed(const char *name, unsigned flags, hid_t fapl, hid_t dxpl, vz_error *err)
{
    const hid_t access = native_access_list(fapl, err);
    if (access < 0)
        return NULL;
    return opened(VZ_H5_QUIETLY(H5VLfile_open(name, flags, access, dxpl, NULL)), true, access, err);
}

/* HDF5 notes in a file which connector it is opened with: the one of the call. In a search for
 * plugins that is not ours, so the file is opened in a call of its own. */
static vz_object *open_in_own_call(const char *name, unsigned flags, hid_t fapl, hid_t dxpl, vz_error *err)
{
    vz_object *file = NULL;
    H5VL_file_specific_args_t args = {.op_type = H5VL_FILE_REOPEN, .args.reopen.file = (void **)&file};
    const hid_t id = VZ_H5_QUIETLY(H5Fopen(name, flags, fapl));
    vz_object *first = id < 0 ? NULL : vz_object_of_id(id);
    const bool ok = first && vz_wrapped_file_specific(first, &args, dxpl, err) >= 0;
    if (!ok && !first)
        vz_native_result(-1, err);
    if (id >= 0)
        vz_h5_close_quietly(id);
    return ok ? file : NULL;
}

/* A copy of the list for the driver. */
static hid_t remote_access_list(vz_path_result *found, hid_t fapl, const vz_options *options, vz_error *err)
{
    vz_native_remote *remote = vz_native_remote_new(found, options, NULL, err);
    const hid_t access = remote ? VZ_H5_QUIETLY(H5Pcopy(fapl)) : H5I_INVALID_HID;
    const bool is_set = access >= 0 && VZ_H5_QUIETLY(vz_native_remote_use(access, remote, false) &&
                                                     H5Pset_vol(access, vz_native_own_connector(), NULL) >= 0);
    vz_native_remote_release(remote); /* the list has it */
    if (is_set)
        return access;
    if (access >= 0)
        vz_h5_close_quietly(access);
    if (remote)
        vz_native_result(-1, err);
    return H5I_INVALID_HID;
}

vz_object *vz_native_remote_open(const char *name, vz_path_result *found, unsigned flags, hid_t fapl, hid_t dxpl,
                                 const vz_options *options, bool searched, vz_error *err)
{
    if (!check_flags(flags, err)) {
        vz_error_where(err, vz_path_result_label(found), NULL);
        return NULL;
    }
    vz_native_is_noted = false;
    const hid_t access = remote_access_list(found, fapl, options, err);
    if (access < 0)
        return NULL;
    vz_object *file = searched ? open_in_own_call(name, flags, access, dxpl, err)
                               : vz_native_remote_open_listed(name, flags, access, dxpl, err);
    vz_h5_close_quietly(access);
    return file;
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
