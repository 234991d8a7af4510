/* file_open.c - H5Fcreate and H5Fopen on stores. */
#include "hdf5/dialects/hdmf.h"
#include "base/os/process.h"
#include "hdf5/annotation/annotation.h"
#include "hierarchy/edit/edit.h"
#include "hierarchy/open/open.h"
#include "hierarchy/edit/ranks.h"
#include "hdf5/datasets/datasets.h"
#include "hdf5/dialects/default_compressor.h"
#include "hdf5/native/native.h"
#include "hdf5/handles/file.h"
#include "hdf5/handles/handle.h"
#include "hdf5/h5/h5.h"
#include "hdf5/handles/locate.h"
#include "hdf5/object/object.h"
#include <stdlib.h>

typedef struct locking {
    hbool_t use, ignore_disabled;
} locking;

static bool locking_of(hid_t fapl, locking *out, vz_error *err)
{
    return H5Pget_file_locking(fapl, &out->use, &out->ignore_disabled) >= 0 || vz_fail_hdf5(err);
}

/* The environment is looked at when HDF5 starts. */
static bool default_locking(locking *out, vz_error *err)
{
    static locking usual;
    static unsigned start;
    if (!start || start != vz_native_starts()) {
        const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
        if (list < 0)
            return vz_fail_hdf5(err);
        const bool ok = locking_of(list, &usual, err);
        vz_h5_close_quietly(list);
        if (!ok)
            return false;
        start = vz_native_starts();
    }
    *out = usual;
    return true;
}

/* H5Pset_file_locking of a program counts before the option `locking`. HDF5's lists ask for locks
 * by themselves, and a store is often written by several processes. So only a list that differs
 * from a new one counts. In the environment HDF5_USE_FILE_LOCKING overrides all lists. It turns
 * locking off, but not on. */
static bool options_of(const vz_options *given, hid_t fapl, vz_options *options, vz_error *err)
{
    locking asked, usual;
    *options = *given;
    if (!locking_of(fapl, &asked, err) || !default_locking(&usual, err))
        return false;
    if (asked.use == usual.use && asked.ignore_disabled == usual.ignore_disabled)
        return true;
    options->locking = asked.use || (given->locking && vz_os_environment("HDF5_USE_FILE_LOCKING"));
    options->lock_if_possible = asked.use && asked.ignore_disabled;
    options->without_locks = !asked.use && !vz_os_environment("HDF5_USE_FILE_LOCKING");
    return true;
}

/* Opening a hierarchy and making a file of it. */
static vz_handle *open_store(const char *name, vz_path_result *found, vz_path_open_mode mode, unsigned intent,
                             hid_t fcpl, hid_t fapl, const vz_options *given, vz_error *err)
{
    vz_options options;

    vz_hierarchy *hierarchy = NULL;
    vz_node *start = NULL;
    vz_native_when_closed(vz_file_close_at_exit);
    if (!options_of(given, fapl, &options, err) || !vz_filters_register(err) ||
        !vz_open_found(found, mode, &options, &hierarchy, &start, err)) {
        vz_error_where(err, name, NULL);
        return NULL;
    }
    bool ok = vz_hierarchy_set_conventions(hierarchy, &vz_finalize_conventions, err);
    if (ok) {
        vz_hdmf_recognise(hierarchy);
        ok = vz_edit_recover(hierarchy, err);
    }
    if (!ok) {
        vz_error_where(err, name, NULL);
        vz_node_unref(start);
        vz_close_hierarchy(hierarchy, NULL);
        return NULL;
    }
    const vz_file_open_request how = {.ops = vz_ranks_comm(hierarchy) ? vz_obj_ranks_ops() : &vz_obj_zarr_ops,
                                      .name = name,
                                      .place = vz_path_result_path(found),
                                      .intent = intent,
                                      .fcpl = fcpl,
                                      .fapl = fapl};
    vz_handle *file = vz_file_new(hierarchy, start, &how, err);
    if (file)
        file->file->is_alone = vz_ranks_comm(hierarchy) && !vz_ranks_found_is_shared(found);
    return file;
}

/* Under SWMR others may open the store whatever `locking` says, but know what they do. */
static bool relax_lock(const vz_file *file, vz_error *err)
{
    if (file->intent & H5F_ACC_SWMR_WRITE)
        vz_hierarchy_mark_swmr(file->hierarchy);
    return !(file->intent & (H5F_ACC_SWMR_WRITE | H5F_ACC_SWMR_READ)) || vz_hierarchy_relax_lock(file->hierarchy, err);
}

vz_object *vz_obj_file_create(const char *name, vz_path_result *found, unsigned flags, hid_t fcpl, hid_t fapl,
                              const vz_options *options, vz_error *err)
{
    const vz_path_open_mode mode = flags & H5F_ACC_TRUNC  ? VZ_CREATE_TRUNCATE
                                   : flags & H5F_ACC_EXCL ? VZ_CREATE_EXCLUSIVE
                                                          : VZ_CREATE_OVER_EMPTY;
    const unsigned intent = H5F_ACC_RDWR | (flags & H5F_ACC_SWMR_WRITE);
    vz_open_flushes(found); /* when the store is marked */
    vz_handle *file = open_store(name, found, mode, intent, fcpl, fapl, options, err);
    if (!file)
        return NULL;
    const hid_t shown = file->file->usual_fcpl ? fcpl : vz_file_creation_list(file->file, err);
    if (shown >= 0 && vz_file_choose_page_buffer(file->file, true, err) && relax_lock(file->file, err) &&
        vz_handle_take_orders(file->node, fcpl, err) &&
        /* "L" says so, even without links */
        (!file->node->track_order || vz_group_links_changed(file->node, err)) &&
        vz_annotation_file_store(file->node, shown, err) && vz_dialect_mark_store(file->file->hierarchy, err))
        return &file->object;
    vz_handle_drop(file, err);
    return NULL;
}

vz_object *vz_obj_file_open(const char *name, vz_path_result *found, unsigned flags, hid_t fapl,
                            const vz_options *options, vz_error *err)
{
    const vz_path_open_mode mode = flags & H5F_ACC_RDWR ? VZ_OPEN_WRITE : VZ_OPEN_READ;
    const unsigned intent = flags & (H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE | H5F_ACC_SWMR_READ);
    vz_handle *file = open_store(name, found, mode, intent, H5P_DEFAULT, fapl, options, err);
    if (!file)
        return NULL;
    if (((flags & H5F_ACC_SWMR_READ) || vz_hierarchy_check_swmr(file->file->hierarchy, err)) &&
        vz_file_join_others(file->file, flags, err) && vz_file_choose_page_buffer(file->file, false, err) &&
        relax_lock(file->file, err))
        return &file->object;
    vz_error_where(err, name, NULL);
    vz_handle_drop(file, err);
    return NULL;
}
