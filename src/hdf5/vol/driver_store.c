/* driver_store.c - see vol_internal.h. */
#include "hdf5/object/object.h"
#include "hierarchy/resolve/path.h"
#include "hdf5/vol/vol_internal.h"
#include "hdf5/h5/h5.h"
#include "hdf5/native/native.h"
#include "store/store/kind.h"

/* Result of the last probe, for the open that follows in the same call of the program. */
static struct {
    vz_path_result *found;
    hid_t fapl;
} kept;

void vz_vol_driver_store_forget(hid_t fapl)
{
    if (!kept.found || kept.fapl == fapl)
        return;
    vz_path_result_free(kept.found);
    kept.found = NULL;
}

/* An image is looked at in the list: a driver may take it once, and who writes it needs that
 * once. */
static vz_path_result *look_at_image(const char *name, hid_t fapl, vz_error *err)
{
    vz_byte_source *image = vz_image_open(fapl, err);
    return image ? vz_path_find_byte_source(image, name, false, err) : NULL;
}

static vz_path_result *look(const char *name, bool writable, hid_t fapl, vz_error *err)
{
    if (vz_image_is_there(fapl)) {
        vz_path_result *found = look_at_image(name, fapl, err);
        if (found && (!writable || !vz_path_result_is_recognised(found)))
            return found;
        vz_path_result_free(found);
        if (!found)
            *err = VZ_ERROR_NONE; /* another HDF5 keeps images otherwise: its driver is asked */
    }
    vz_byte_source *source = vz_driver_open(name, writable ? H5F_ACC_RDWR : H5F_ACC_RDONLY, fapl, err);
    if (!source && writable && err && vz_image_is_there(fapl)) {
        *err = VZ_ERROR_NONE;
        vz_fail(err, VZ_UNSUPPORTED,
                "writing to an image that is given to one opening, which HDF5 itself has had: set "
                "HDF5_VOL_CONNECTOR=zarr, or have the image copied");
    }
    return source ? vz_path_find_byte_source(source, name, writable, err) : NULL;
}

bool vz_vol_driver_store_is_there(const char *name, hid_t fapl, bool follows)
{
    vz_error unused = VZ_ERROR_NONE;
    vz_path_result *found = look(name, false, fapl, &unused);
    /* A damaged store is opened, too, since only that reports what is wrong with it. */
    const bool is_store =
        found && (vz_path_result_kind(found) == VZ_PATH_ZARR || (follows && vz_path_result_has_header(found)));
    vz_vol_driver_store_forget(H5I_INVALID_HID);
    if (is_store && follows) {
        kept.found = found;
        kept.fapl = fapl;
    } else {
        vz_path_result_free(found);
    }
    return is_store;
}

static vz_path_result *take_kept(bool writable, hid_t fapl)
{
    vz_path_result *found = kept.fapl == fapl ? kept.found : NULL;
    if (!found)
        return NULL;
    kept.found = NULL;
    if (!writable)
        return found;
    vz_path_result_free(found); /* it was opened for reading */
    return NULL;
}

static vz_object *open_found(const char *name, vz_path_result *found, unsigned flags, hid_t fapl,
                             const vz_options *options, vz_error *err)
{
    vz_object *file =
        vz_native_start(options->gateway, err) ? vz_obj_file_open(name, found, flags, fapl, options, err) : NULL;
    vz_path_result_free(found);
    return file;
}

/* Native is not asked first: its attempt would take an image that can be had once. */
static vz_object *open_image(const char *name, unsigned flags, hid_t fapl, hid_t dxpl, const vz_options *options,
                             vz_error *err)
{
    vz_error unused = VZ_ERROR_NONE;
    vz_path_result *found = look_at_image(name, fapl, &unused);
    const bool is_store = found && vz_path_result_is_recognised(found), writable = flags & H5F_ACC_RDWR;
    if (is_store && !writable)
        return open_found(name, found, flags, fapl, options, err);
    vz_path_result_free(found);
    if (!is_store)
        return vz_native_file_open(name, flags, fapl, dxpl, err);
    found = look(name, writable, fapl, err);
    return found ? open_found(name, found, flags, fapl, options, err) : NULL;
}

vz_object *vz_vol_driver_store_open(const char *name, unsigned flags, hid_t fapl, hid_t dxpl, bool is_store,
                                    const vz_options *options, vz_error *err)
{
    const bool writable = flags & H5F_ACC_RDWR;
    if (is_store) {
        vz_path_result *found = take_kept(writable, fapl);
        found = found ? found : look(name, writable, fapl, err);
        return found ? open_found(name, found, flags, fapl, options, err) : NULL;
    }
    if (vz_image_is_there(fapl))
        return open_image(name, flags, fapl, dxpl, options, err);
    vz_object *file = vz_native_file_open(name, flags, fapl, dxpl, err);
    if (file)
        return file;
    const hid_t records = vz_h5_errors_keep(err);
    vz_error unused = VZ_ERROR_NONE;
    vz_path_result *found = look(name, writable, fapl, &unused);
    if (found && vz_path_result_is_recognised(found)) {
        vz_h5_errors_drop(records);
        *err = VZ_ERROR_NONE;
        return open_found(name, found, flags, fapl, options, err);
    }
    vz_path_result_free(found);
    vz_h5_errors_restore(records);
    return NULL;
}

vz_object *vz_vol_driver_store_create(const char *name, unsigned flags, hid_t fcpl, hid_t fapl,
                                      const vz_options *options, vz_error *err)
{
    if (!vz_native_start(options->gateway, err))
        return NULL;
    vz_byte_source *source = vz_driver_open(name, flags | H5F_ACC_RDWR | H5F_ACC_CREAT, fapl, err);
    if (!source)
        return NULL;
    if (!vz_store_make_over(source, options->container == VZ_CONTAINER_FILE, options->user_block, err)) {
        vz_byte_source_close(source, NULL);
        return NULL;
    }
    vz_path_result *found = vz_path_find_byte_source(source, name, true, err);
    vz_object *file = found ? vz_obj_file_create(name, found, flags, fcpl, fapl, options, err) : NULL;
    vz_path_result_free(found);
    return file;
}
