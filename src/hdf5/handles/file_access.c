/* file_access.c - how a store is open: one answer for all handles on it, as for the handles of
 * one HDF5 file. */
#include "hierarchy/edit/ranks.h"
#include "base/os/process.h"
#include "hierarchy/writeback/writeback.h"
#include "hdf5/handles/file_internal.h"
#include <stdlib.h>

static vz_file *other_on(const vz_file *file)
{
    vz_file *other = vz_file_next_on(file->hierarchy, NULL);
    return other == file ? vz_file_next_on(file->hierarchy, other) : other;
}

/* Reading, writing and SWMR are those of the first handle. That a writer may not join readers is
 * known in src/hierarchy. */
static bool join_intent(vz_file *file, unsigned flags, const vz_file *other, vz_error *err)
{
    if ((flags & H5F_ACC_SWMR_WRITE) && !(other->intent & H5F_ACC_SWMR_WRITE))
        return vz_fail(err, VZ_BUSY, "SWMR write access flag not the same for file that is already open");
    if ((flags & H5F_ACC_SWMR_READ) && !(other->intent & (H5F_ACC_RDWR | H5F_ACC_SWMR_READ)))
        return vz_fail(err, VZ_BUSY, "SWMR read access flag not the same for file that is already open");
    file->intent = other->intent;
    return true;
}

static bool same_degree(const vz_file *file, vz_error *err)
{
    /* this one has no id yet */
    const H5F_close_degree_t others = vz_file_close_degree_of_others(file->hierarchy);
    return others == H5F_CLOSE_DEFAULT || others == file->degree ||
           vz_fail(err, VZ_BUSY, "file close degree doesn't match that of the file's other handle");
}

/* HDF5_USE_FILE_LOCKING, if set, decides for all lists. */
static bool same_locking(const vz_file *file, const vz_file *other, vz_error *err)
{
    if (vz_os_environment("HDF5_USE_FILE_LOCKING"))
        return true;
    hbool_t use = false, ignore = false, others_use = false, others_ignore = false;
    if (H5Pget_file_locking(file->fapl, &use, &ignore) < 0 ||
        H5Pget_file_locking(other->fapl, &others_use, &others_ignore) < 0)
        return vz_fail_hdf5(err);
    if (use != others_use)
        return vz_fail(err, VZ_BUSY, "file locking flag values don't match");
    return !use || ignore == others_ignore ||
           vz_fail(err, VZ_BUSY, "file locking 'ignore disabled locks' flag values don't match");
}

/* The callback that H5Dflush and related calls run. */
static bool join_flush_call(vz_file *file, const vz_file *other, vz_error *err)
{
    H5F_flush_cb_t call = NULL;
    void *context = NULL;
    return (H5Pget_object_flush_cb(other->fapl, &call, &context) >= 0 &&
            H5Pset_object_flush_cb(file->fapl, call, context) >= 0) ||
           vz_fail_hdf5(err);
}

bool vz_file_join_others(vz_file *file, unsigned flags, vz_error *err)
{
    const vz_file *other = other_on(file);
    return !other || file->is_alone ||
           (join_intent(file, flags, other, err) && same_degree(file, err) && same_locking(file, other, err) &&
            join_flush_call(file, other, err));
}

unsigned vz_file_flags_beside(const vz_file *file)
{
    const unsigned flags = H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE | H5F_ACC_SWMR_READ;
    return vz_ranks_comm(file->hierarchy) ? H5F_ACC_RDONLY : file->intent & flags;
}

/* ---- the page buffer ---- */

/* The size of the page buffer that a file of HDF5 with these creation properties would have.
 * There is no buffer. */
static bool size_of_buffer(vz_file *file, bool creating, size_t *size, vz_error *err)
{
    H5F_fspace_strategy_t strategy = H5F_FSPACE_STRATEGY_FSM_AGGR;
    hbool_t persist = false;
    hsize_t threshold = 0, page = 0;
    const hid_t list = vz_file_creation_list(file, err);
    if (list < 0)
        return false;
    if (H5Pget_file_space_strategy(list, &strategy, &persist, &threshold) < 0 ||
        H5Pget_file_space_page_size(list, &page) < 0)
        return vz_fail_hdf5(err);
    if (strategy != H5F_FSPACE_STRATEGY_PAGE) {
        *size = 0;
        return !creating || vz_fail(err, VZ_INVALID, "page buffering requires the file space strategy PAGE");
    }
    if (*size < page && creating)
        return vz_fail(err, VZ_INVALID, "page buffer size must be at least the page size");
    *size = *size < page ? (size_t)page : (size_t)(*size / page * page);
    return true;
}

bool vz_file_choose_page_buffer(vz_file *file, bool creating, vz_error *err)
{
    size_t size = 0;
    unsigned metadata = 0, raw = 0;
    const vz_file *other = other_on(file);
    if (H5Pget_page_buffer_size(other ? other->fapl : file->fapl, &size, &metadata, &raw) < 0)
        return vz_fail_hdf5(err);
    if (size == 0 && !other)
        return true;
    return (other || size_of_buffer(file, creating, &size, err)) &&
           (H5Pset_page_buffer_size(file->fapl, size, metadata, raw) >= 0 || vz_fail_hdf5(err));
}

/* ---- SWMR ---- */

static bool has_open(const vz_file *file, unsigned types)
{
    size_t count = 0;
    vz_file_ids(file, types, NULL, 0, &count);
    return count > 0;
}

bool vz_file_start_swmr(vz_file *file, vz_error *err)
{
    if (!(file->intent & H5F_ACC_RDWR))
        return vz_fail(err, VZ_READ_ONLY, "no write intent on file");
    if (file->intent & H5F_ACC_SWMR_WRITE)
        return vz_fail(err, VZ_INVALID, "file already in SWMR writing mode");
    if (has_open(file, H5F_OBJ_DATATYPE | H5F_OBJ_ATTR))
        return vz_fail(err, VZ_BUSY, "named datatypes and/or attributes opened in the file");
    if (!vz_flush_store(file->hierarchy, vz_hierarchy_options(file->hierarchy)->sync, err) ||
        !vz_hierarchy_relax_lock(file->hierarchy, err))
        return false;
    vz_hierarchy_mark_swmr(file->hierarchy);
    for (vz_file *each = vz_file_next_on(file->hierarchy, NULL); each; each = vz_file_next_on(file->hierarchy, each))
        each->intent |= H5F_ACC_SWMR_WRITE;
    return true;
}
