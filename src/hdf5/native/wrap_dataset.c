/* wrap_dataset.c - datasets of native files. */
#include "hdf5/native/remote_internal.h"
#include <stdlib.h>

vz_object *vz_wrapped_dataset_create(vz_object *object, const vz_loc *loc, const char *name, const vz_creation *with,
                                     vz_error *err)
{
    return vz_native_wrap(
        object,
        VZ_NATIVE_CALL(object, with->apl,
                       H5VLdataset_create(vz_native_under(object), loc, vz_native_connector(), name, with->lcpl,
                                          with->type, with->space, with->cpl, with->apl, with->dxpl, NULL)),
        H5I_DATASET, err);
}

vz_object *vz_wrapped_dataset_open(vz_object *object, const vz_loc *loc, const char *name, hid_t dapl, hid_t dxpl,
                                   vz_error *err)
{
    return vz_native_wrap(
        object,
        VZ_NATIVE_CALL(object, dapl,
                       H5VLdataset_open(vz_native_under(object), loc, vz_native_connector(), name, dapl, dxpl, NULL)),
        H5I_DATASET, err);
}

/* The native datasets of a multi-dataset call: in `one` when it is one, else on the heap (NULL:
 * out of memory). */
static void **native_datasets(size_t count, vz_object *dset[], void **one, vz_error *err)
{
    void **native = count == 1 ? one : calloc(count, sizeof *native);
    if (!native) {
        vz_fail_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        native[i] = vz_native_under(dset[i]);
    return native;
}

herr_t vz_wrapped_datasets_move(const vz_h5_datasets_call *c, vz_error *err)
{
    void *one;
    for (size_t i = 0; c->reading && i < c->count; i++) {
        if (!vz_native_remote_check(c->dset[i], err))
            return -1;
        if (c->count == 1 && vz_native_remote_read(c->dset[0], c))
            return 0;
        vz_native_remote_expect(c->dset[i], c->file_space[i]);
    }
    void **native = native_datasets(c->count, c->dset, &one, err);
    if (!native)
        return -1;
    herr_t status;
    if (c->reading)
        status = VZ_NATIVE_CALL(c->dset[0], H5I_INVALID_HID,
                                H5VLdataset_read(c->count, native, vz_native_connector(), c->mem_type, c->mem_space,
                                                 c->file_space, c->dxpl, c->buf, NULL));
    else
        status = VZ_H5_QUIETLY(H5VLdataset_write(c->count, native, vz_native_connector(), c->mem_type, c->mem_space,
                                                 c->file_space, c->dxpl, (const void **)(uintptr_t)c->buf, NULL));
    if (native != &one)
        free(native);
    return vz_native_whole_result(status, err);
}

herr_t vz_wrapped_dataset_get(vz_object *dset, H5VL_dataset_get_args_t *args, hid_t dxpl, vz_error *err)
{
    return vz_native_whole_result(
        VZ_NATIVE_CALL(dset, H5I_INVALID_HID,
                       H5VLdataset_get(vz_native_under(dset), vz_native_connector(), args, dxpl, NULL)),
        err);
}

/* REFRESH closes the object behind the id and so frees this wrapper: it is not touched after the
 * call. */
herr_t vz_wrapped_dataset_specific(vz_object *dset, H5VL_dataset_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    return vz_native_result(
        VZ_NATIVE_CALL(dset, H5I_INVALID_HID,
                       H5VLdataset_specific(vz_native_under(dset), vz_native_connector(), args, dxpl, NULL)),
        err);
}

herr_t vz_wrapped_dataset_optional(vz_object *dset, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err)
{
    if (!vz_native_remote_check(dset, err))
        return -1;
    return vz_native_whole_result(
        VZ_NATIVE_CALL_UNLESS(args->op_type == H5VL_NATIVE_DATASET_CHUNK_ITER, dset, H5I_INVALID_HID,
                              H5VLdataset_optional(vz_native_under(dset), vz_native_connector(), args, dxpl, NULL)),
        err);
}

herr_t vz_wrapped_dataset_close(vz_object *dset, hid_t dxpl, vz_error *err)
{
    return vz_native_closed(VZ_H5_QUIETLY(H5VLdataset_close(vz_native_under(dset), vz_native_connector(), dxpl, NULL)),
                            dset, err);
}
