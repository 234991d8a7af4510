/* file.c - H5F callbacks. */
#include "hdf5/h5/h5.h"
#include "hierarchy/open/open.h"
#include "hdf5/native/native.h"
#include "hdf5/handles/file.h"
#include "hdf5/handles/handle.h"
#include "hdf5/object/object.h"
#include "base/os/thread.h"
#include "hdf5/vol/vol_internal.h"
#include <errno.h>

/* The settings of a create or open, and the native side made ready; the gateway waits for the
 * first store. */
static bool begin(hid_t fapl, vz_options *options, vz_error *err)
{
    if (!vz_vol_options(fapl, options, err) || !vz_native_start(false, err))
        return false;
    vz_pool_set_threads((unsigned)options->threads);
    vz_path_allow(options);
    return true;
}

static void *file_create(const char *name, unsigned flags, hid_t fcpl, hid_t fapl, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    vz_options options;
    vz_path_result *found = NULL;
    vz_object *file = NULL;
    vz_comm *comm = NULL;
    if (begin(fapl, &options, &call.err) && vz_vol_ranks_of(fapl, &comm, &call.err)) {
        vz_file_retry_left(flags & H5F_ACC_TRUNC ? name : NULL);
        if (comm) {
            const vz_vol_ranks_call together = {true, name, flags, fcpl, fapl, dxpl, &options};
            return vz_vol_object(vz_vol_ranks_open(&together, comm, &call.err), &call, __func__);
        }
        switch (vz_vol_kind_to_create(name, flags, fcpl, fapl, &options, &found, &call.err)) {
        case VZ_KIND_NATIVE:
            vz_path_result_free(found);
            found = NULL;
            file = vz_native_file_create(name, flags, fcpl, fapl, dxpl, &call.err);
            break;
        case VZ_KIND_ZARR:
            if (vz_native_start(options.gateway, &call.err))
                file = vz_obj_file_create(name, found, flags, fcpl, fapl, &options, &call.err);
            break;
        case VZ_KIND_DRIVER:
            file = vz_vol_driver_store_create(name, flags, fcpl, fapl, &options, &call.err);
            break;
        case VZ_KIND_REMOTE:
        case VZ_KIND_EMPTY:
        case VZ_KIND_NONE:
            break;
        }
    }
    vz_path_result_free(found);
    return vz_vol_object(file, &call, __func__);
}

/* Of two processes that meet an empty file or directory one makes the store, and the other opens
 * it. */
static vz_object *open_empty(const char *name, vz_path_result *found, unsigned flags, hid_t fapl,
                             const vz_options *options, vz_error *err)
{
    vz_object *file = vz_obj_file_create(name, found, flags, H5P_FILE_CREATE_DEFAULT, fapl, options, err);
    if (file || err->sys_errno != EEXIST)
        return file;
    *err = VZ_ERROR_NONE;
    vz_path_result *theirs = vz_path_find(name, err);
    file = theirs ? vz_obj_file_open(name, theirs, flags, fapl, options, err) : NULL;
    vz_path_result_free(theirs);
    return file;
}

/* Of a server that did not answer, or refused, nobody knows whether something is there. */
static void note_failure(hid_t fapl, const vz_path_result *found, const vz_error *err)
{
    vz_named named;
    if (found && vz_path_result_is_elsewhere(found) && err->class != VZ_NOT_FOUND && err->class != VZ_HDF5 &&
        vz_file_mark_get(fapl, &named))
        vz_named_note(&named, err);
}

static vz_object *open_alone(const char *name, unsigned flags, hid_t fapl, hid_t dxpl, vz_options *options,
                             bool discovered, vz_error *err)
{
    vz_path_result *found = NULL;
    vz_object *file = NULL;
    if (vz_native_remote_is_listed(fapl))
        return vz_native_remote_open_listed(name, flags, fapl, dxpl, err);
    switch (vz_vol_kind_to_open(name, flags, fapl, options, &found, err)) {
    case VZ_KIND_NATIVE:
        vz_path_result_free(found); /* native locks the file: what was looked at is closed before */
        found = NULL;
        file = vz_native_file_open(name, flags, fapl, dxpl, err);
        break;
    case VZ_KIND_REMOTE:
        file = vz_native_remote_open(name, found, flags, fapl, dxpl, options, discovered, err);
        break;
    case VZ_KIND_ZARR:
        if (vz_native_start(options->gateway, err))
            file = vz_obj_file_open(name, found, flags, fapl, options, err);
        break;
    case VZ_KIND_EMPTY:
        if (vz_native_start(options->gateway, err))
            file = open_empty(name, found, flags, fapl, options, err);
        break;
    case VZ_KIND_DRIVER:
        file = vz_vol_driver_store_open(name, flags, fapl, dxpl, discovered, options, err);
        break;
    case VZ_KIND_NONE:
        break;
    }
    if (!file)
        note_failure(fapl, found, err);
    vz_path_result_free(found);
    return file;
}

static void *file_open(const char *name, unsigned flags, hid_t fapl, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    vz_options options;
    vz_object *file = NULL;
    vz_comm *comm = NULL;
    const bool discovered = vz_discovery_follows(name);
    vz_vol_driver_store_forget(fapl);
    if (begin(fapl, &options, &call.err) && vz_vol_ranks_of(fapl, &comm, &call.err)) {
        const vz_vol_ranks_call together = {false, name, flags, H5P_DEFAULT, fapl, dxpl, &options};
        vz_file_retry_left(NULL);
        file = comm ? vz_vol_ranks_open(&together, comm, &call.err)
                    : open_alone(name, flags, fapl, dxpl, &options, discovered, &call.err);
    }
    vz_vol_driver_store_forget(H5I_INVALID_HID);
    if (!file && discovered)
        vz_discovery_failed(fapl);
    if (file && discovered && !vz_discovery_opened(file, fapl, &call.err)) {
        vz_error closing = VZ_ERROR_NONE;
        vz_vol_ops(file)->file_close(file, dxpl, &closing);
        file = NULL;
    }
    return vz_vol_object(file, &call, __func__);
}

/* No pointer of a native object, which begins with one of the library's own, is one to our
 * tables. */
static bool is_ours(const void *obj)
{
    const vz_ops *ops = vz_vol_ops(obj);
    return ops == &vz_obj_zarr_ops || ops == vz_native_ops() || ops == vz_obj_ranks_ops() ||
           ops == vz_obj_pending_ops();
}

/* Programs may hand over what H5VLobject answered them, as HDF5's tools do from 2.2 on: that is
 * what get_object answered, a native file. */
static herr_t get_of_native(void *native, H5VL_file_get_args_t *args, hid_t dxpl, vz_error *err)
{
    vz_file *file = vz_twin_file_owner(native);
    return file ? vz_obj_file_query(file, args, err) : vz_native_file_get(native, args, dxpl, err);
}

static herr_t file_get(void *obj, H5VL_file_get_args_t *args, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    const herr_t status = is_ours(obj) ? vz_vol_ops(obj)->file_get(obj, args, dxpl, &call.err)
                                       : get_of_native(obj, args, dxpl, &call.err);
    return vz_vol_status(status, &call, __func__);
}

static bool delete_file(H5VL_file_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    vz_options options;
    const char *name = args->args.del.filename;
    vz_comm *comm = NULL;
    if (!begin(args->args.del.fapl_id, &options, err) || !vz_vol_ranks_of(args->args.del.fapl_id, &comm, err))
        return false;
    vz_path_result *found = NULL;
    bool ok = false, native = false;
    if (comm) {
        ok = vz_vol_ranks_delete(name, args->args.del.fapl_id, &options, comm, &native, err);
        return native ? vz_native_file_specific(args, dxpl, err) >= 0 : ok;
    }
    switch (vz_vol_kind_to_open(name, H5F_ACC_RDONLY, args->args.del.fapl_id, &options, &found, err)) {
    case VZ_KIND_NATIVE:
    case VZ_KIND_DRIVER:
        ok = vz_native_file_specific(args, dxpl, err) >= 0;
        break;
    case VZ_KIND_REMOTE:
        ok = vz_fail(err, VZ_READ_ONLY, "an HDF5 file on a server can only be read");
        break;
    case VZ_KIND_ZARR:
        ok = vz_delete_found(found, err);
        break;
    case VZ_KIND_EMPTY:
    case VZ_KIND_NONE:
        break;
    }
    vz_path_result_free(found);
    return ok;
}

/* HDF5 asks in the middle of a failing open, whose records must survive: they are put aside
 * meanwhile. */
static bool is_accessible(H5VL_file_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    vz_vol_kind_answer answer;
    const bool searches = vz_discovery_searches();
    const hid_t records = searches ? H5Eget_current_stack() : H5I_INVALID_HID;
    const bool ok = vz_vol_kind_is_accessible(args, searches, dxpl, &answer, err);
    vz_h5_errors_restore(records);
    if (!ok)
        return false;
    if (answer == VZ_ANSWER_STORE)
        vz_discovery_answered(args->args.is_accessible.filename, searches);
    *args->args.is_accessible.accessible = answer != VZ_ANSWER_NO;
    return true;
}

static herr_t file_specific(void *obj, H5VL_file_specific_args_t *args, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    herr_t status = 0;
    if (args->op_type == H5VL_FILE_IS_ACCESSIBLE)
        status = is_accessible(args, dxpl, &call.err) ? 0 : -1;
    else if (args->op_type == H5VL_FILE_DELETE)
        status = delete_file(args, dxpl, &call.err) ? 0 : -1;
    else
        status = vz_vol_ops(obj)->file_specific(obj, args, dxpl, &call.err);
    return vz_vol_status(status, &call, __func__);
}

static herr_t file_optional(void *obj, H5VL_optional_args_t *args, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(obj)->file_optional(obj, args, dxpl, &call.err), &call, __func__);
}

static herr_t file_close(void *file, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(file)->file_close(file, dxpl, &call.err), &call, __func__);
}

const H5VL_file_class_t vz_vol_file_class = {
    .create = file_create,
    .open = file_open,
    .get = file_get,
    .specific = file_specific,
    .optional = file_optional,
    .close = file_close,
};
