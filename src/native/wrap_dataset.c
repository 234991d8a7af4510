/* wrap_dataset.c - datasets of native files. */
#include "native/wrap_ops.h"
#include <stdlib.h>

vz_object *vz_wrapped_dataset_create(vz_object *object, const vz_loc *loc, const char *name, hid_t lcpl, hid_t type,
                                     hid_t space, hid_t dcpl, hid_t dapl, hid_t dxpl, vz_error *err)
{
    return vz_native_wrap(object->ops,
                          VZ_H5_QUIETLY(H5VLdataset_create(vz_native_under(object), loc, vz_native_connector(), name,
                                                           lcpl, type, space, dcpl, dapl, dxpl, NULL)),
                          H5I_DATASET, err);
}

vz_object *vz_wrapped_dataset_open(vz_object *object, const vz_loc *loc, const char *name, hid_t dapl, hid_t dxpl,
                                   vz_error *err)
{
    return vz_native_wrap(
        object->ops,
        VZ_H5_QUIETLY(H5VLdataset_open(vz_native_under(object), loc, vz_native_connector(), name, dapl, dxpl, NULL)),
        H5I_DATASET, err);
}

/* The native datasets of a multi-dataset call: in `one` when it is one, else on the heap (NULL: out of memory). */
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

herr_t vz_wrapped_dataset_read(size_t count, vz_object *dset[], hid_t mem_type[], hid_t mem_space[], hid_t file_space[],
                               hid_t dxpl, void *buf[], vz_error *err)
{
    void *one;
    void **native = native_datasets(count, dset, &one, err);
    if (!native)
        return -1;
    const herr_t status = VZ_H5_QUIETLY(
        H5VLdataset_read(count, native, vz_native_connector(), mem_type, mem_space, file_space, dxpl, buf, NULL));
    if (native != &one)
        free(native);
    return vz_native_result(status, err);
}

herr_t vz_wrapped_dataset_write(size_t count, vz_object *dset[], hid_t mem_type[], hid_t mem_space[],
                                hid_t file_space[], hid_t dxpl, const void *buf[], vz_error *err)
{
    void *one;
    void **native = native_datasets(count, dset, &one, err);
    if (!native)
        return -1;
    const herr_t status = VZ_H5_QUIETLY(
        H5VLdataset_write(count, native, vz_native_connector(), mem_type, mem_space, file_space, dxpl, buf, NULL));
    if (native != &one)
        free(native);
    return vz_native_result(status, err);
}

herr_t vz_wrapped_dataset_get(vz_object *dset, H5VL_dataset_get_args_t *args, hid_t dxpl, vz_error *err)
{
    return vz_native_result(
        VZ_H5_QUIETLY(H5VLdataset_get(vz_native_under(dset), vz_native_connector(), args, dxpl, NULL)), err);
}

/* REFRESH closes the object behind the id and so frees this wrapper: it is not touched after the call. */
herr_t vz_wrapped_dataset_specific(vz_object *dset, H5VL_dataset_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    return vz_native_result(
        VZ_H5_QUIETLY(H5VLdataset_specific(vz_native_under(dset), vz_native_connector(), args, dxpl, NULL)), err);
}

herr_t vz_wrapped_dataset_optional(vz_object *dset, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err)
{
    return vz_native_result(
        VZ_H5_QUIETLY_UNLESS(args->op_type == H5VL_NATIVE_DATASET_CHUNK_ITER,
                             H5VLdataset_optional(vz_native_under(dset), vz_native_connector(), args, dxpl, NULL)),
        err);
}

herr_t vz_wrapped_dataset_close(vz_object *dset, hid_t dxpl, vz_error *err)
{
    return vz_native_closed(VZ_H5_QUIETLY(H5VLdataset_close(vz_native_under(dset), vz_native_connector(), dxpl, NULL)),
                            dset, err);
}
