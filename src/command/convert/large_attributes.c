/* large_attributes.c - the first form of objects in HDF5 files keeps an attribute in a message of
 * less than 64 KiB. The form of HDF5 1.8 keeps large ones elsewhere. */
#include "command/convert/convert_internal.h"

#define LARGE 60000 /* bytes of an attribute's value; its name and type come on top */

static herr_t stop_at_large(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    (void)object, (void)name, (void)context;
    return info->data_size > LARGE;
}

bool vz_convert_has_large_attribute(hid_t object, bool *has, vz_error *err)
{
    hsize_t at = 0;
    const herr_t status = H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &at, stop_at_large, NULL);
    *has = status > 0;
    return status >= 0 || vz_convert_h5_fail(err, "its attributes cannot be listed");
}

/* Objects that were made before stay as they are. */
bool vz_convert_expect_large_attributes(const vz_convert_job *c, hid_t from, vz_error *err)
{
    bool has = false;
    if (c->request->target.is_store)
        return true;
    if (!vz_convert_has_large_attribute(from, &has, err))
        return vz_convert_copy_source_failed(c, err);
    return !has || H5Fset_libver_bounds(c->to, H5F_LIBVER_V18, H5F_LIBVER_LATEST) >= 0 ||
           vz_convert_h5_fail(err, "the file takes no attributes of more than 64 KiB");
}
