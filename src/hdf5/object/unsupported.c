/* unsupported.c - what stores do not have: blobs. */
#include "hdf5/object/object_internal.h"

/* Variable-length data never takes HDF5's on-disk form here: the types that stores hand out are
 * memory types. */
static bool no_blobs(vz_error *err)
{
    return vz_fail(err, VZ_UNSUPPORTED, "HDF5's own blobs in a Zarr store");
}

herr_t vz_blob_put(vz_object *obj, const void *buf, size_t size, void *blob_id, vz_error *err)
{
    (void)obj, (void)buf, (void)size, (void)blob_id;
    return vz_handle_status(no_blobs(err));
}

herr_t vz_blob_get(vz_object *obj, const void *blob_id, void *buf, size_t size, vz_error *err)
{
    (void)obj, (void)blob_id, (void)buf, (void)size;
    return vz_handle_status(no_blobs(err));
}

herr_t vz_blob_specific(vz_object *obj, void *blob_id, H5VL_blob_specific_args_t *args, vz_error *err)
{
    (void)obj, (void)blob_id, (void)args;
    return vz_handle_status(no_blobs(err));
}
