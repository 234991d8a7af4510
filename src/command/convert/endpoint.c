/* endpoint.c - the two ends of a conversion: opened or created, by our connector or by HDF5's
 * own. */
#include "command/convert/convert_internal.h"
#include "command/convert/copy_internal.h"
#include "H5VLzarr.h"
#include <stdlib.h>
#include <string.h>

/* Not closed before the process ends. The native one is named, so that no plugin is asked where it
 * fails. */
static hid_t connector = H5I_INVALID_HID, native = H5I_INVALID_HID;

bool vz_convert_register(const char *plugin, vz_error *err)
{
    if (H5PLprepend(plugin) < 0)
        return vz_convert_h5_fail(err, "HDF5 takes no directory of plugins");
    connector = H5VLregister_connector_by_name(H5VL_ZARR_NAME, H5P_DEFAULT);
    if (connector < 0)
        return vz_convert_h5_fail(err, "this HDF5 does not load the plugin in %.300s", plugin);
    native = H5VLget_connector_id_by_name("native");
    return native >= 0 ? vz_convert_filters_add(err) : vz_convert_h5_fail(err, "HDF5 has no native connector");
}

static hid_t access_list(const vz_convert_side *side, vz_error *err)
{
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    bool ok;
    if (side->is_store || side->is_elsewhere)
        ok = H5Pset_fapl_zarr(fapl, side->options) >= 0;
    else
        ok = H5Pset_vol(fapl, native, NULL) >= 0;
    if (fapl >= 0 && ok)
        return fapl;
    vz_convert_h5_fail(err, "%s",
                       side->is_store ? "the connector takes no such options" : "HDF5 has no native connector");
    vz_convert_id_close(fapl);
    return H5I_INVALID_HID;
}

hid_t vz_side_open(const vz_convert_side *side, vz_error *err)
{
    const hid_t fapl = access_list(side, err);
    const hid_t file = fapl < 0 ? fapl : H5Fopen(side->path, H5F_ACC_RDONLY, fapl);
    if (fapl >= 0 && file < 0)
        vz_convert_h5_fail(err, "cannot be opened");
    vz_convert_id_close(fapl);
    return file;
}

/* The properties of a file's root group stand in the list of the file. */
static bool set_root(hid_t fcpl, hid_t source, vz_error *err)
{
    const hid_t root = H5Gopen2(source, "/", H5P_DEFAULT);
    const hid_t gcpl = root < 0 ? root : H5Gget_create_plist(root);
    unsigned links = 0, attributes = 0, compact = 0, dense = 0;
    const bool ok =
        gcpl >= 0 && H5Pget_link_creation_order(gcpl, &links) >= 0 && H5Pset_link_creation_order(fcpl, links) >= 0 &&
        H5Pget_attr_creation_order(gcpl, &attributes) >= 0 && H5Pset_attr_creation_order(fcpl, attributes) >= 0 &&
        H5Pget_attr_phase_change(gcpl, &compact, &dense) >= 0 && H5Pset_attr_phase_change(fcpl, compact, dense) >= 0 &&
        H5Pget_link_phase_change(gcpl, &compact, &dense) >= 0 && H5Pset_link_phase_change(fcpl, compact, dense) >= 0;
    vz_convert_id_close(gcpl);
    vz_convert_id_close(root);
    return ok || vz_convert_h5_fail(err, "the root group's properties cannot be taken over");
}

/* A store that is one file has one where it is asked for one. */
bool vz_side_has_user_block(const vz_convert_side *side)
{
    return !side->is_store || (side->options && strstr(side->options, "container=file"));
}

/* The root group is made with the file. */
static bool expect_large(const vz_convert_side *side, hid_t source, hid_t fapl, vz_error *err)
{
    bool has = false;
    return side->is_store || (vz_convert_has_large_attribute(source, &has, err) &&
                              (!has || H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_LATEST) >= 0 ||
                               vz_convert_h5_fail(err, "the file takes no attributes of more than 64 KiB")));
}

hid_t vz_side_create(const vz_convert_side *side, hid_t source, vz_error *err)
{
    const hid_t fapl = access_list(side, err);
    const hid_t fcpl =
        fapl < 0 || !expect_large(side, source, fapl, err) ? H5I_INVALID_HID : H5Fget_create_plist(source);
    hid_t file = H5I_INVALID_HID;
    if (fapl >= 0 && fcpl < 0) /* unless something else failed before and was reported */
        vz_convert_h5_fail(err, "the source tells no creation properties");
    else if (fcpl >= 0 && !vz_side_has_user_block(side) && H5Pset_userblock(fcpl, 0) < 0)
        vz_convert_h5_fail(err, "the creation properties cannot be changed");
    else if (fcpl >= 0 && set_root(fcpl, source, err)) {
        file = H5Fcreate(side->path, H5F_ACC_EXCL, fcpl, fapl);
        if (file < 0)
            vz_convert_h5_fail(err, "cannot be created");
    }
    vz_convert_id_close(fcpl);
    vz_convert_id_close(fapl);
    return file;
}

/* An id that is still open keeps a file open, and what is not written stays so: that is our fault,
 * and an error. */
bool vz_side_close(hid_t file, vz_error *err)
{
    const ssize_t ids = H5Fget_obj_count(file, H5F_OBJ_ALL | H5F_OBJ_LOCAL);
    if (H5Fclose(file) < 0)
        return vz_convert_h5_fail(err, "cannot be finished");
    return ids == 1 || vz_fail(err, VZ_IO, "%zd objects were still open when it was closed", ids - 1);
}

char *vz_side_name(hid_t file)
{
    const ssize_t length = H5Fget_name(file, NULL, 0);
    char *name = length < 0 ? NULL : malloc((size_t)length + 1);
    if (name && H5Fget_name(file, name, (size_t)length + 1) >= 0)
        return name;
    free(name);
    return NULL;
}
