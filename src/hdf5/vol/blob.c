/* blob.c - blob callbacks: the bodies of variable-length data in HDF5's on-disk form (wrapped
 * native files). */
#include "hdf5/vol/vol_internal.h"

static herr_t blob_put(void *obj, const void *buf, size_t size, void *blob_id, VOL_UNUSED void *context)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(obj)->blob_put(obj, buf, size, blob_id, &call.err), &call, __func__);
}

static herr_t blob_get(void *obj, const void *blob_id, void *buf, size_t size, VOL_UNUSED void *context)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(obj)->blob_get(obj, blob_id, buf, size, &call.err), &call, __func__);
}

static herr_t blob_specific(void *obj, void *blob_id, H5VL_blob_specific_args_t *args)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(obj)->blob_specific(obj, blob_id, args, &call.err), &call, __func__);
}

const H5VL_blob_class_t vz_vol_blob_class = {
    .put = blob_put,
    .get = blob_get,
    .specific = blob_specific,
};
