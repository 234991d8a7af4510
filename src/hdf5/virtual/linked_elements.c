/* linked_elements.c - datasets of LINDI's whose elements are those of a dataset in an HDF5 file.
 * That file is opened as any program opens it, here or at a server. */
#include "hdf5/virtual/virtual_internal.h"
#include "hdf5/dialects/dialects.h"
#include "hdf5/datasets/datasets.h"
#include "hdf5/h5/h5.h"
#include "base/os/file.h"

bool vz_virtual_is_linked(const vz_handle *handle)
{
    const char *file, *path;
    return vz_dialect_lindi_elsewhere(handle->node, &file, &path);
}

/* The name obeys the policy of reference files, in which it stands. */
static vz_named named_in(const vz_handle *handle, const char *file)
{
    vz_named named = vz_file_named(handle->file, file);
    const bool is_remote = named.by == VZ_NAMER_REMOTE_STORE;
    struct stat status;
    named.by = is_remote ? VZ_NAMER_REMOTE_REFERENCES : VZ_NAMER_REFERENCE_FILE;
    named.targets = vz_hierarchy_options(handle->file->hierarchy)->targets;
    named.trusted = !is_remote && vz_os_stat(named.store, &status) == 0 && vz_os_is_own(&status);
    return named;
}

static bool has_extent(const vz_node *node, hid_t dataset)
{
    const vz_meta *meta = node->meta;
    hsize_t dims[H5S_MAX_RANK];
    const hid_t space = H5Dget_space(dataset);
    bool same = space >= 0 && H5Sget_simple_extent_dims(space, dims, NULL) == (int)meta->rank;
    for (unsigned d = 0; same && d < meta->rank; d++)
        same = dims[d] == meta->shape[d];
    if (space >= 0)
        vz_h5_close_quietly(space);
    return same;
}

static bool take_dataset(vz_handle *handle, hid_t from, const char *file, const char *path, vz_error *err)
{
    const hid_t dataset = VZ_H5_QUIETLY(H5Dopen2(from, path, H5P_DEFAULT));
    if (dataset < 0)
        H5Eclear2(H5E_DEFAULT); /* programs show the innermost record */
    if (dataset < 0)
        return vz_fail(err, VZ_NOT_FOUND,
                       "its elements are said to be \"%.200s\" in \"%.200s\", which has no such dataset", path, file);
    if (has_extent(handle->node, dataset)) {
        handle->linked = dataset;
        return true;
    }
    vz_h5_close_quietly(dataset);
    return vz_fail(err, VZ_CORRUPT, "its elements are said to be \"%.200s\" in \"%.200s\", which has another extent",
                   path, file);
}

/* It stays open until the handle is closed. */
static bool open_linked(vz_handle *handle, vz_error *err)
{
    const char *file, *path;
    if (handle->linked > 0 || !vz_dialect_lindi_elsewhere(handle->node, &file, &path))
        return true;
    const vz_named named = named_in(handle, file);
    const hid_t from = vz_virtual_file_open(handle, &named, file, err);
    if (from < 0)
        return vz_fail(err, VZ_NOT_FOUND, "its elements are said to be in \"%.200s\", which cannot be opened", file);
    const bool ok = take_dataset(handle, from, file, path, err);
    vz_h5_close_quietly(from);
    return ok;
}

bool vz_virtual_read_linked(vz_handle *handle, hid_t mem_type, hid_t mem_space, hid_t file_space, hid_t dxpl, void *buf,
                            vz_error *err)
{
    return open_linked(handle, err) &&
           (H5Dread(handle->linked, mem_type, mem_space, file_space, dxpl, buf) >= 0 ||
            vz_fail(err, VZ_HDF5, "cannot read the elements out of the HDF5 file that has them"));
}
