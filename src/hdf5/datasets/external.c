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
    s->file = ready ? vz_native_memory_file(beside) : H5I_INVALID_HID;
    if (s->file >= 0)
        s->dataset = H5Dcreate_anon(s->file, s->type, s->space, s->dcpl, dapl);
    return s->dataset >= 0 || vz_fail(err, VZ_HDF5, "HDF5 refuses such a dataset");
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
