/* rank_files.c - files of several ranks: opened, closed, their elements moved. */
#include "hierarchy/edit/ranks.h"
#include "hdf5/object/object.h"
#include "hdf5/h5/h5.h"
#include "base/mpi/comm.h"
#include "hdf5/native/native.h"
#include "hdf5/datasets/datasets.h"
#include "hdf5/object/object_internal.h"
#include "hdf5/handles/file.h"

/* ---- closing ---- */

/* HDF5 keeps the id of a file whose close fails: so nobody's is closed before everybody has
 * written. The second time what cannot be written is given up. */
static bool finish_together(vz_handle *handle, vz_error *err)
{
    vz_file *file = handle->file;
    vz_hierarchy *hierarchy = file->hierarchy;
    bool ok = vz_ranks_begin(hierarchy, true, err);
    if (ok) {
        if (file->degree == H5F_CLOSE_STRONG)
            vz_ranks_close_objects(hierarchy);
        ok = vz_file_write_before_close(handle, err);
        ok = vz_ranks_end(hierarchy, ok, true, err);
    }
    file->is_written = ok || file->ranks_failed;
    file->ranks_failed = !ok;
    return file->is_written;
}

herr_t vz_obj_ranks_close(vz_object *object, hid_t dxpl, vz_error *err)
{
    vz_handle *handle = vz_handle_of(object);
    vz_file *file = handle->file;
    const bool open_objects = file->refs > 1;
    if (file->is_alone || (file->degree == H5F_CLOSE_SEMI && open_objects))
        return vz_obj_file_close(object, dxpl, err);
    if (!vz_native_is_closing() && vz_ranks_comm(file->hierarchy) && !finish_together(handle, err))
        return -1;
    return vz_obj_file_close(object, dxpl, err);
}

/* ---- elements ---- */

static bool is_collective(hid_t dxpl)
{
    H5FD_mpio_xfer_t mode = H5FD_MPIO_INDEPENDENT;
    return H5Pget_dxpl_mpio && H5Pset_dxpl_mpio && H5Pget_dxpl_mpio(dxpl, &mode) >= 0 && mode == H5FD_MPIO_COLLECTIVE;
}

static vz_handle *handle_at(const vz_h5_datasets_call *call, size_t i)
{
    return vz_handle_of(call->dset[i]);
}

static bool write_through(const vz_h5_datasets_call *call, bool ok, vz_error *err)
{
    for (size_t i = 0; i < call->count; i++)
        ok = vz_ranks_write_through(handle_at(call, i)->node, ok ? err : NULL) && ok;
    return ok;
}

/* Elements that lie in other files than the dataset's. */
static bool has_sources(const vz_h5_datasets_call *call)
{
    for (size_t i = 0; i < call->count; i++)
        if (vz_sources_kind_of(handle_at(call, i)->node) != VZ_SOURCES_NONE)
            return true;
    return false;
}

/* A rank that has nothing to write takes part as well. */
static bool write_together(const vz_h5_datasets_call *call, vz_error *err)
{
    bool ok = true;
    if (has_sources(call)) {
        ok = vz_obj_datasets_move(call, err) >= 0;
        return vz_comm_agree(vz_ranks_comm(handle_at(call, 0)->file->hierarchy), ok, err);
    }
    for (size_t i = 0; i < call->count; i++)
        ok = vz_ranks_share_begin(handle_at(call, i)->node, ok ? err : NULL) && ok;
    ok = ok && vz_obj_datasets_move(call, err) >= 0;
    for (size_t i = 0; i < call->count; i++)
        ok = vz_ranks_share_end(handle_at(call, i)->node, ok, ok ? err : NULL) && ok;
    return ok;
}

/* As in HDF5, what others wrote before this call of theirs is there. */
static herr_t read_together(const vz_h5_datasets_call *call, vz_error *err)
{
    const vz_file *file = handle_at(call, 0)->file;
    if (!file->is_alone && !vz_comm_agree(vz_ranks_comm(file->hierarchy), true, err))
        return -1;
    for (size_t i = 0; i < call->count; i++)
        vz_ranks_drop_cached(handle_at(call, i)->node);
    return vz_obj_datasets_move(call, err);
}

static herr_t move_together(const vz_h5_datasets_call *call, vz_error *err)
{
    return call->reading ? read_together(call, err) : vz_handle_status(write_together(call, err));
}

/* HDF5 refuses lists that say "collective" where a file has no ranks; such files are what data
 * transforms go through, and sources of elements. So from here on the list is one of a rank
 * alone. */
static herr_t move_with_own_list(const vz_h5_datasets_call *call, vz_error *err)
{
    vz_h5_datasets_call own = *call;
    own.dxpl = H5Pcopy(call->dxpl);
    /* Without a list the others are not left waiting: the call goes on with the one that was
     * given. */
    if (own.dxpl < 0 || H5Pset_dxpl_mpio(own.dxpl, H5FD_MPIO_INDEPENDENT) < 0) {
        if (own.dxpl >= 0)
            vz_h5_close_quietly(own.dxpl);
        return move_together(call, err);
    }
    const herr_t status = move_together(&own, err);
    vz_h5_close_quietly(own.dxpl);
    return status;
}

herr_t vz_obj_ranks_move(const vz_h5_datasets_call *call, vz_error *err)
{
    if (call->count == 0)
        return vz_obj_datasets_move(call, err);
    vz_comm *comm = vz_ranks_comm(handle_at(call, 0)->file->hierarchy);
    for (size_t i = 0; i < call->count; i++)
        vz_ranks_drop_cached(handle_at(call, i)->node);
    if (!comm)
        return vz_obj_datasets_move(call, err);
    if (is_collective(call->dxpl))
        return move_with_own_list(call, err);
    if (call->reading)
        return vz_obj_datasets_move(call, err);
    const bool ok = vz_obj_datasets_move(call, err) >= 0;
    return vz_handle_status(write_through(call, ok, ok ? err : NULL));
}
