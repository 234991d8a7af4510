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

static void *dataset_open(void *obj, const H5VL_loc_params_t *loc, const char *name, hid_t dapl, hid_t dxpl, void **req)
{
    const bool is_usual = dapl == H5P_DEFAULT || dapl == H5P_DATASET_ACCESS_DEFAULT;
    const bool may_be = is_usual && loc->type == H5VL_OBJECT_BY_SELF && vz_vol_may_ask(req);
    const vz_obj_later_open what = {obj, H5I_DATASET, name, NULL};
    void *later = may_be ? vz_vol_open_later(&what, req, __func__) : NULL;
    if (later)
        return later;
    vz_vol_call call = vz_vol_begin_beside(may_be && vz_async_unsettled && !vz_obj_is_pending(obj));
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

static herr_t move(const vz_h5_datasets_call *all, const char *caller)
{
    vz_vol_call call = vz_vol_begin();
    herr_t status = 0;
    for (size_t i = 0, n; status >= 0 && i < all->count; i += n) {
        n = stretch(i, all->count, (void **)all->dset);
        const vz_h5_datasets_call part = {
            n,         all->dset + i, all->mem_type + i, all->mem_space + i, all->file_space + i,
            all->dxpl, all->buf + i,  all->reading};
        status = vz_vol_ops(all->dset[i])->datasets_move(&part, &call.err);
    }
    return vz_vol_status(status, &call, caller);
}

/* After a failure HDF5 refuses what is new, though it is started already, and frees no request. So
 * it is done at once, and the request says so. */
static herr_t move_now(const vz_h5_datasets_call *all, void **req, const char *caller)
{
    const herr_t status = move(all, caller);
    void *request = status >= 0 && vz_vol_request_has_failed() ? vz_vol_request_new() : NULL;
    if (request)
        *req = vz_vol_request_of(request, vz_async_new_done());
    return status;
}

static bool may_start(const vz_h5_datasets_call *all)
{
    return all->count > 0 && stretch(0, all->count, (void **)all->dset) == all->count &&
           vz_vol_ops(all->dset[0])->datasets_start && vz_vol_may_go_on();
}

static bool has_pending(const vz_h5_datasets_call *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (vz_obj_is_pending(all->dset[i]))
            return true;
    return false;
}

/* A read of a dataset that is not open yet waits, too. False: the call is made at once. */
static bool read_later(const vz_h5_datasets_call *all, void **req, const char *caller)
{
    vz_vol_later l;
    if (!all->reading || !vz_vol_later_begin(&l))
        return false;
    vz_obj_datasets_read_later(all, &l.work);
    return vz_vol_later_end(&l, req, caller);
}

/* It goes on after the call if it can; else it is done when the call returns. */
static herr_t start(const vz_h5_datasets_call *all, void **req, const char *caller)
{
    if (has_pending(all) && read_later(all, req, caller))
        return 0;
    if (has_pending(all)) /* else it was opened just now */
        return move_now(all, req, caller);
    void *request = may_start(all) ? vz_vol_request_new() : NULL;
    if (!request)
        return move_now(all, req, caller);
    vz_vol_call call = vz_vol_begin_beside(all->reading || !vz_async_has_deferred());
    vz_async_request *work = NULL;
    const herr_t status = vz_vol_ops(all->dset[0])->datasets_start(all, &work, &call.err);
    *req = vz_vol_request_of(request, work);
    if (vz_vol_status(status, &call, caller) < 0)
        return -1;
    return *req ? 0 : move_now(all, req, caller);
}

static herr_t dataset_read(size_t count, void *dset[], hid_t mem_type[], hid_t mem_space[], hid_t file_space[],
                           hid_t dxpl, void *buf[], void **req)
{
    const vz_h5_datasets_call all = {count, (vz_object **)dset, mem_type, mem_space, file_space, dxpl, buf, true};
    return req ? start(&all, req, __func__) : move(&all, __func__);
}

static herr_t dataset_write(size_t count, void *dset[], hid_t mem_type[], hid_t mem_space[], hid_t file_space[],
                            hid_t dxpl, const void *buf[], void **req)
{
    void **const values = (void **)(uintptr_t)buf;
    const vz_h5_datasets_call all = {count, (vz_object **)dset, mem_type, mem_space, file_space, dxpl, values, false};
    return req ? start(&all, req, __func__) : move(&all, __func__);
}

static bool asks_for_elements(const H5VL_dataset_get_args_t *args)
{
    return args->op_type == H5VL_DATASET_GET_SPACE_STATUS || args->op_type == H5VL_DATASET_GET_STORAGE_SIZE;
}

static herr_t dataset_get(void *dset, H5VL_dataset_get_args_t *args, hid_t dxpl, VOL_UNUSED void **req)
{
    vz_vol_call call = vz_vol_begin_beside(!asks_for_elements(args) && vz_vol_may_be_beside(dset, false));
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

/* H5Dclose waits for what is under way, H5Dclose_async does not: a request holds what it needs. */
static herr_t dataset_close(void *dset, hid_t dxpl, void **req)
{
    if (vz_vol_close_later(dset, req, __func__))
        return 0;
    vz_vol_call call = vz_vol_begin_beside(req && vz_vol_may_be_beside(dset, true));
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
