/* dataset.c - H5D callbacks. Only read and write know that a call may name several datasets, of
 * both kinds. */
#include "hdf5/vol/vol_internal.h"

static void *dataset_create(void *obj, const H5VL_loc_params_t *loc, const char *name, hid_t lcpl, hid_t type,
                            hid_t space, hid_t dcpl, hid_t dapl, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    const vz_creation with = {.lcpl = lcpl, .type = type, .space = space, .cpl = dcpl, .apl = dapl, .dxpl = dxpl};
    vz_object *dset = vz_vol_ops(obj)->dataset_create(obj, loc, name, &with, &call.err);
    return vz_vol_object(dset, &call, __func__);
}

static void *dataset_open(void *obj, const H5VL_loc_params_t *loc, const char *name, hid_t dapl, hid_t dxpl,
                          VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_object(vz_vol_ops(obj)->dataset_open(obj, loc, name, dapl, dxpl, &call.err), &call, __func__);
}

/* How many datasets from `first` on are of one kind: such a stretch is handed over as it is. */
static size_t stretch(size_t first, size_t count, void *dset[])
{
    size_t end = first + 1;
    while (end < count && vz_vol_ops(dset[end]) == vz_vol_ops(dset[first]))
        end++;
    return end - first;
}

static herr_t move(vz_h5_datasets_call all, const char *caller)
{
    vz_vol_call call = vz_vol_begin();
    herr_t status = 0;
    for (size_t i = 0, n; status >= 0 && i < all.count; i += n) {
        n = stretch(i, all.count, (void **)all.dset);
        const vz_h5_datasets_call part = {
            n,        all.dset + i, all.mem_type + i, all.mem_space + i, all.file_space + i,
            all.dxpl, all.buf + i,  all.reading};
        status = vz_vol_ops(all.dset[i])->datasets_move(&part, &call.err);
    }
    return vz_vol_status(status, &call, caller);
}

static herr_t dataset_read(size_t count, void *dset[], hid_t mem_type[], hid_t mem_space[], hid_t file_space[],
                           hid_t dxpl, void *buf[], VOL_UNUSED void **req)
{
    return move((vz_h5_datasets_call){count, (vz_object **)dset, mem_type, mem_space, file_space, dxpl, buf, true},
                __func__);
}

static herr_t dataset_write(size_t count, void *dset[], hid_t mem_type[], hid_t mem_space[], hid_t file_space[],
                            hid_t dxpl, const void *buf[], VOL_UNUSED void **req)
{
    void **const values = (void **)(uintptr_t)buf;
    return move((vz_h5_datasets_call){count, (vz_object **)dset, mem_type, mem_space, file_space, dxpl, values, false},
                __func__);
}

static herr_t dataset_get(void *dset, H5VL_dataset_get_args_t *args, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(dset)->dataset_get(dset, args, dxpl, &call.err), &call, __func__);
}

static herr_t dataset_specific(void *dset, H5VL_dataset_specific_args_t *args, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(dset)->dataset_specific(dset, args, dxpl, &call.err), &call, __func__);
}

static herr_t dataset_optional(void *dset, H5VL_optional_args_t *args, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(dset)->dataset_optional(dset, args, dxpl, &call.err), &call, __func__);
}

static herr_t dataset_close(void *dset, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(dset)->dataset_close(dset, dxpl, &call.err), &call, __func__);
}

const H5VL_dataset_class_t vz_vol_dataset_class = {
    .create = dataset_create,
    .open = dataset_open,
    .read = dataset_read,
    .write = dataset_write,
    .get = dataset_get,
    .specific = dataset_specific,
    .optional = dataset_optional,
    .close = dataset_close,
};
