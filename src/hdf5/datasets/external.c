/* external.c - elements in external files. A native dataset in memory, made like ours, names the
 * same files; HDF5 reads and writes them byte for byte. */
#include "hdf5/datasets/datasets.h"
#include "hdf5/datasets/view_internal.h"
#include "hdf5/datasets/datasets_internal.h"
#include "hdf5/datasets/space.h"
#include "hdf5/h5/h5.h"

typedef struct stand_in {
    hid_t file, type, space, dcpl, dataset;
} stand_in;

static void stand_in_close(stand_in *s)
{
    const hid_t ids[] = {s->dataset, s->dcpl, s->space, s->type, s->file};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (ids[i] >= 0)
            vz_h5_close_quietly(ids[i]);
}

/* HDF5 creates a dataset whose first dimension alone can grow, and lets the others shrink and grow
 * back afterwards. */
static bool create_at_extent(stand_in *s, hid_t dapl)
{
    hsize_t dims[H5S_MAX_RANK], max[H5S_MAX_RANK], first[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_dims(s->space, dims, max);
    bool has_shrunk = false;
    for (int d = 0; d < rank; d++) {
        first[d] = d > 0 && max[d] != H5S_UNLIMITED ? max[d] : dims[d];
        has_shrunk = has_shrunk || first[d] != dims[d];
    }
    if (has_shrunk && H5Sset_extent_simple(s->space, rank, first, max) < 0)
        return false;
    s->dataset = H5Dcreate_anon(s->file, s->type, s->space, s->dcpl, dapl);
    return s->dataset >= 0 && (!has_shrunk || H5Dset_extent(s->dataset, dims) >= 0);
}

/* Fill time: HDF5 never fills external files when they are made, and must not here. */
static bool stand_in_open(stand_in *s, vz_node *node, const char *beside, hid_t dapl, vz_error *err)
{
    *s = (stand_in){H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID};
    s->type = vz_dataset_type(node, err);
    s->space = s->type < 0 ? H5I_INVALID_HID : vz_dataset_space(node, err);
    s->dcpl = s->space < 0 ? H5I_INVALID_HID : vz_dataset_dcpl(node, err);
    if (s->dcpl < 0)
        return false;
    const bool ready = H5Pset_fill_time(s->dcpl, H5D_FILL_TIME_NEVER) >= 0;
    s->file = ready ? vz_dataset_native_memory_file(beside) : H5I_INVALID_HID;
    return (s->file >= 0 && create_at_extent(s, dapl)) || vz_fail(err, VZ_HDF5, "HDF5 refuses such a dataset");
}

/* HDF5 would read and write whatever the files have behind the dataset. */
static bool check_spaces(const vz_dataset_transfer *what, vz_error *err)
{
    const vz_dataset_view *view = vz_dataset_view_of(what->node, err);
    if (!view)
        return false;
    const vz_extent extent = {view->rank, what->node->meta->shape, view->null, true};
    vz_pair pair;
    const bool ok = vz_pair_open(&pair, &extent, what->mem_space, what->file_space, err);
    if (ok)
        vz_pair_close(&pair);
    return ok;
}

bool vz_external_read(const vz_dataset_transfer *what, const char *beside, hid_t dapl, hid_t dxpl, vz_error *err)
{
    stand_in s;
    if (!check_spaces(what, err))
        return false;
    const bool ok = stand_in_open(&s, what->node, beside, dapl, err) &&
                    (H5Dread(s.dataset, what->mem_type, what->mem_space, what->file_space, dxpl, what->buf) >= 0 ||
                     vz_fail(err, VZ_HDF5, "cannot read the external files"));
    stand_in_close(&s);
    return ok;
}

bool vz_external_write(const vz_dataset_transfer *what, const char *beside, hid_t dapl, hid_t dxpl, vz_error *err)
{
    stand_in s;
    if (!check_spaces(what, err))
        return false;
    const bool ok = stand_in_open(&s, what->node, beside, dapl, err) &&
                    (H5Dwrite(s.dataset, what->mem_type, what->mem_space, what->file_space, dxpl, what->buf) >= 0 ||
                     vz_fail(err, VZ_HDF5, "cannot write the external files"));
    stand_in_close(&s);
    return ok;
}

bool vz_external_check_extent(vz_node *node, const hsize_t *dims, vz_error *err)
{
    stand_in s;
    const bool ok = stand_in_open(&s, node, NULL, H5P_DEFAULT, err) &&
                    (H5Dset_extent(s.dataset, dims) >= 0 || vz_fail(err, VZ_HDF5, "HDF5 refuses such an extent"));
    stand_in_close(&s);
    return ok;
}
