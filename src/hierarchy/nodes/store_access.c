/* store_access.c - who may open a store beside whom. By option: many readers or one writer, between
 * processes that ask for it. The lock is on the root's metadata. In format 3, whose document is
 * replaced at each change, it is on the root's directory. */
#include "store/store/store.h"
#include "base/os/process.h"
#include "hierarchy/nodes/hierarchy.h"
#include <stdlib.h>
#include <strings.h>

bool vz_lock_is_wanted_by_hdf5(void)
{
    const char *value = vz_os_environment("HDF5_USE_FILE_LOCKING");
    return !value || (strcasecmp(value, "FALSE") != 0 && strcmp(value, "0") != 0);
}

/* HDF5's own variable has the last word. */
static vz_store_lock_policy policy_of(const vz_options *options)
{
    const char *value = vz_os_environment("HDF5_USE_FILE_LOCKING");
    if (!vz_lock_is_wanted_by_hdf5())
        return VZ_LOCK_NO;
    if (options->lock_if_possible || (value && strcasecmp(value, "BEST_EFFORT") == 0))
        return options->locking ? VZ_LOCK_IF_POSSIBLE : VZ_LOCK_NO;
    return options->locking ? VZ_LOCK_YES : VZ_LOCK_NO;
}

bool vz_lock_is_wanted(const vz_options *options)
{
    return policy_of(options) != VZ_LOCK_NO;
}

bool vz_lock_acquire(vz_hierarchy *hierarchy, vz_error *err)
{
    const vz_zarr_format *zarr_format = hierarchy->zarr_format;
    const char *document = vz_zarr_format_in_one(zarr_format) ? ""
                           : hierarchy->array_root            ? zarr_format->array
                                                              : zarr_format->group;
    return vz_store_lock_acquire(hierarchy->store, &hierarchy->access.lock, document, hierarchy->writable,
                                 policy_of(&hierarchy->options), err);
}

/* Does the lock of the whole store (locking=1) stand on the root's directory already? Then
 * nobody else has it. */
static bool holds_directory(const vz_hierarchy *hierarchy)
{
    return hierarchy->access.lock.descriptor >= 0 && vz_zarr_format_in_one(hierarchy->zarr_format);
}

/* Other kinds than directories replace nothing in place. */
static bool needs_lock(const vz_hierarchy *hierarchy)
{
    return vz_store_replaces_in_place(hierarchy->store) && !holds_directory(hierarchy);
}

bool vz_documents_lock(vz_hierarchy *hierarchy, vz_error *err)
{
    if (hierarchy->access.document_locks == 0 && !hierarchy->store->repeats && needs_lock(hierarchy) &&
        !vz_store_keep_out(hierarchy->store, err)) {
        vz_error_where(err, hierarchy->path, NULL);
        return false;
    }
    hierarchy->access.document_locks++;
    return true;
}

void vz_documents_unlock(vz_hierarchy *hierarchy)
{
    if (--hierarchy->access.document_locks == 0 && !hierarchy->store->repeats && needs_lock(hierarchy))
        vz_store_let_in(hierarchy->store);
}

bool vz_hierarchy_relax_lock(vz_hierarchy *hierarchy, vz_error *err)
{
    return vz_store_lock_relax(&hierarchy->access.lock, hierarchy->writable, err);
}

/* ---- SWMR ---- */

void vz_hierarchy_mark_swmr(vz_hierarchy *hierarchy)
{
    vz_store_mark_swmr(hierarchy->store);
}

/* The words of native files: programs look for "file is already open for write" and try again as
 * SWMR readers. */
static bool check_swmr(const vz_store *store, vz_error *err)
{
    return !vz_store_has_swmr_mark(store) ||
           vz_fail(err, VZ_BUSY,
                   "file is already open for write/SWMR write: open it as a SWMR reader (swmr=True), or wait until its "
                   "writer has closed it");
}

bool vz_hierarchy_check_swmr(const vz_hierarchy *hierarchy, vz_error *err)
{
    return check_swmr(hierarchy->store, err);
}

/* ---- before a store is emptied ---- */

bool vz_lock_check(vz_store *store, bool is_file, const vz_options *options, vz_error *err)
{
    const char *lockable = NULL;
    if (!check_swmr(store, err))
        return false;
    if (!(store->capabilities & VZ_STORE_CHEAP)) /* there are no locks */
        return true;
    for (size_t i = 0; !lockable && i < VZ_ZARR_FORMATS; i++) {
        bool has = false;
        if (!vz_store_has(store, vz_zarr_formats[i]->group, &has, err))
            return false;
        if (has)
            lockable = vz_zarr_format_in_one(vz_zarr_formats[i]) ? "" : vz_zarr_formats[i]->group;
    }
    if (!lockable && is_file)
        lockable = vz_zarr_format_of(VZ_FORMAT_DEFAULT)->group;
    return !lockable || vz_store_lock_check(store, lockable, policy_of(options), err);
}
