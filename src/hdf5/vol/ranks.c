/* ranks.c - see vol_internal.h. */
#include "hierarchy/open/open.h"
#include "hierarchy/resolve/open_stores.h"
#include "hierarchy/edit/ranks.h"
#include "hierarchy/writeback/writeback.h"
#include "hdf5/vol/vol_internal.h"
#include "hdf5/h5/h5.h"
#include "base/mpi/comm.h"
#include "hdf5/native/native.h"
#include "hdf5/handles/handle.h"
#include "hdf5/object/object.h"

/* Other drivers than mpio that ask several processes are native's. */
static bool has_mpio(hid_t fapl, vz_mpi_handle *handle)
{
    return H5Pget_fapl_mpio && VZ_H5_QUIETLY(H5Pget_fapl_mpio(fapl, handle, NULL)) >= 0;
}

bool vz_vol_ranks_of(hid_t fapl, vz_comm **comm, vz_error *err)
{
    vz_mpi_handle handle = {.pointer = NULL};
    *comm = NULL;
    if (vz_driver_kind_of(fapl) != VZ_DRIVER_RANKS || !has_mpio(fapl, &handle))
        return true;
    *comm = vz_mpi_comm(handle, err);
    if (!*comm || (*comm)->size > 1)
        return *comm != NULL;
    vz_comm_free(*comm);
    *comm = NULL;
    return true;
}

/* ---- opening ---- */

static vz_vol_kind look(const vz_vol_ranks_call *call, vz_path_result **found, vz_error *err)
{
    const vz_vol_kind kind =
        call->creating
            ? vz_vol_kind_to_create(call->name, call->flags, call->fcpl, call->fapl, call->options, found, err)
            : vz_vol_kind_to_open(call->name, call->flags, call->fapl, call->options, found, err);
    if (kind != VZ_KIND_REMOTE)
        return kind;
    vz_fail(err, VZ_UNSUPPORTED, "an HDF5 file on a server, opened by several ranks together");
    return VZ_KIND_NONE;
}

static vz_object *open_native(const vz_vol_ranks_call *call, vz_error *err)
{
    return call->creating ? vz_native_file_create(call->name, call->flags, call->fcpl, call->fapl, call->dxpl, err)
                          : vz_native_file_open(call->name, call->flags, call->fapl, call->dxpl, err);
}

/* The documents of a created store are in the store before the other ranks open it. */
static vz_object *lead(const vz_vol_ranks_call *call, hid_t fapl, vz_vol_kind kind, vz_path_result *found,
                       vz_error *err)
{
    const bool creates = call->creating || kind == VZ_KIND_EMPTY;
    if (!creates)
        return vz_obj_file_open(call->name, found, call->flags, fapl, call->options, err);
    vz_object *file =
        vz_obj_file_create(call->name, found, call->flags, call->creating ? call->fcpl : H5P_FILE_CREATE_DEFAULT, fapl,
                           call->options, err);
    if (!file || vz_flush_store(vz_handle_of(file)->file->hierarchy, false, err))
        return file;
    vz_handle_drop(vz_handle_of(file), err);
    return NULL;
}

static vz_object *follow(const vz_vol_ranks_call *call, hid_t fapl, vz_comm *comm, vz_error *err)
{
    const unsigned flags = call->creating ? H5F_ACC_RDWR : call->flags;
    vz_named named;
    const bool by_file = vz_file_mark_get(call->fapl, &named);
    named.links = call->options->links;
    vz_path_result *found = vz_path_find_named(call->name, by_file ? &named : NULL, err);
    if (!found)
        return NULL;
    vz_path_result_ask_again(found);
    vz_ranks_share_found(found, comm);
    vz_object *file = vz_obj_file_open(call->name, found, flags, fapl, call->options, err);
    vz_path_result_free(found);
    return file;
}

static bool starts(const vz_vol_ranks_call *call, vz_error *err)
{
    return vz_native_start(call->options->gateway, err);
}

static vz_object *open_store(const vz_vol_ranks_call *call, vz_vol_kind kind, vz_path_result *found, vz_comm *comm,
                             vz_error *err)
{
    vz_object *file = NULL;
    const hid_t fapl = vz_obj_ranks_list_alone(call->fapl, err);
    bool ok = fapl >= 0;
    if (found)
        vz_ranks_share_found(found, comm);
    if (ok && vz_comm_leads(comm)) {
        file = kind != VZ_KIND_NONE && starts(call, err) ? lead(call, fapl, kind, found, err) : NULL;
        ok = file != NULL;
    }
    ok = vz_comm_agree(comm, ok, err);
    if (ok && !vz_comm_leads(comm)) {
        file = starts(call, err) ? follow(call, fapl, comm, err) : NULL;
        ok = file != NULL;
        ok = vz_comm_agree(comm, ok, err);
    } else if (ok) {
        ok = vz_comm_agree(comm, true, err);
    }
    const hid_t records = vz_h5_errors_keep(err);
    if (fapl >= 0)
        H5Pclose(fapl);
    vz_h5_errors_restore(records);
    ok = ok && vz_obj_ranks_opened(file, call->fapl, err);
    if (ok || !file)
        return file;
    vz_handle_drop(vz_handle_of(file), err);
    return NULL;
}

/* Where the store was open before, or is only read, nobody needs this copy any more. */
static bool is_taken(const vz_object *file, const vz_comm *comm)
{
    return file && vz_ranks_comm(((const vz_handle *)file)->file->hierarchy) == comm;
}

/* Only a rank itself knows which files it has open alone. The leader checks its own when it
 * removes the store. */
static bool is_free(const char *name, const char *what, vz_comm *comm, vz_error *err)
{
    bool ok = true;
    if (!vz_comm_leads(comm) && vz_registry_any()) {
        vz_path_result *found = vz_path_find(name, err);
        ok = found && vz_open_is_free(found, what, err);
        vz_path_result_free(found);
    }
    return vz_comm_agree(comm, ok, err);
}

vz_object *vz_vol_ranks_open(const vz_vol_ranks_call *call, vz_comm *comm, vz_error *err)
{
    vz_path_result *found = NULL;
    vz_object *file = NULL;
    if (call->creating && (call->flags & H5F_ACC_TRUNC) && !is_free(call->name, "truncate", comm, err)) {
        vz_comm_free(comm);
        return NULL;
    }
    int kind = vz_comm_leads(comm) ? (int)look(call, &found, err) : VZ_KIND_NONE;
    if (!vz_comm_tell(comm, &kind, sizeof kind, err)) {
        vz_path_result_free(found);
        vz_comm_free(comm);
        return NULL;
    }
    if (kind == VZ_KIND_NATIVE) {
        vz_path_result_free(found);
        vz_comm_free(comm);
        return open_native(call, err);
    }
    file = open_store(call, (vz_vol_kind)kind, found, comm, err);
    vz_path_result_free(found);
    if (!is_taken(file, comm))
        vz_comm_free(comm);
    return file;
}

/* ---- deleting ---- */

bool vz_vol_ranks_delete(const char *name, hid_t fapl, vz_options *options, vz_comm *comm, bool *native, vz_error *err)
{
    vz_path_result *found = NULL;
    int kind = VZ_KIND_NONE;
    bool ok = is_free(name, "delete", comm, err);
    if (ok && vz_comm_leads(comm))
        kind = (int)vz_vol_kind_to_open(name, H5F_ACC_RDONLY, fapl, options, &found, err);
    ok = ok && vz_comm_tell(comm, &kind, sizeof kind, err);
    *native = ok && kind == VZ_KIND_NATIVE;
    if (ok && !*native)
        ok = vz_comm_agree(comm, !vz_comm_leads(comm) || (kind == VZ_KIND_ZARR && vz_delete_found(found, err)), err);
    vz_path_result_free(found);
    vz_comm_free(comm);
    return ok;
}
