/* external_link_file.c - the file of an external link: with which access list, which flags, and
 * where it is looked for. */
#include "hdf5/h5/h5.h"
#include "hdf5/native/native.h"
#include "hdf5/handles/handle.h"
#include "hdf5/handles/locate_internal.h"
#include "hdf5/handles/file.h"
#include <limits.h>
#include <stdlib.h>

typedef struct elink {
    const char *name; /* as the link has it */
    hid_t fapl;       /* a copy, ours */
    unsigned flags;
} elink;

/* ---- how ---- */

/* The list that was asked for, or the parent's; always through this connector, which opens both
 * kinds. */
static bool access_list(elink *e, const vz_file *parent, hid_t lapl, vz_error *err)
{
    const hid_t wanted = H5Pget_elink_fapl(lapl);
    const hid_t own = vz_native_own_connector();
    hid_t connector = H5I_INVALID_HID;
    if (wanted < 0)
        return vz_fail_hdf5(err);
    e->fapl = wanted == H5P_DEFAULT ? H5Pcopy(parent->fapl) : wanted;
    if (e->fapl < 0 || H5Pget_vol_id(e->fapl, &connector) < 0)
        return vz_fail_hdf5(err);
    const bool is_ours = connector == own;
    vz_h5_close_quietly(connector);
    if (wanted == H5P_DEFAULT && !vz_driver_opens_names(e->fapl) && H5Pset_fapl_sec2(e->fapl) < 0)
        return vz_fail_hdf5(err);
    return ((is_ours || H5Pset_vol(e->fapl, own, NULL) >= 0) && H5Pset_fclose_degree(e->fapl, H5F_CLOSE_WEAK) >= 0) ||
           vz_fail_hdf5(err);
}

/* The program's own function may change flags and list. */
static bool ask_program(elink *e, const vz_file *parent, vz_node *group, const char *path, hid_t lapl, vz_error *err)
{
    H5L_elink_traverse_t function = NULL;
    void *data = NULL;
    if (H5Pget_elink_cb(lapl, &function, &data) < 0)
        return vz_fail_hdf5(err);
    if (!function)
        return true;
    char *group_path = vz_handle_path(parent, group, err);
    if (!group_path)
        return false;
    const herr_t status = function(parent->name, group_path, e->name, path, &e->flags, e->fapl, data);
    free(group_path);
    if (status < 0)
        return vz_fail(err, VZ_HDF5, "the traversal operator failed");
    if (e->flags & (H5F_ACC_TRUNC | H5F_ACC_EXCL))
        return vz_fail(err, VZ_INVALID, "invalid file open flags");
    return true;
}

static bool prepare(elink *e, const vz_file *parent, vz_node *group, const char *path, hid_t lapl, vz_error *err)
{
    if (H5Pget_elink_acc_flags(lapl, &e->flags) < 0)
        return vz_fail_hdf5(err);
    if (e->flags == H5F_ACC_DEFAULT)
        e->flags = vz_file_flags_beside(parent);
    if (!access_list(e, parent, lapl, err) || !ask_program(e, parent, group, path, lapl, err))
        return false;
    e->flags &= H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE | H5F_ACC_SWMR_READ;
    return true;
}

/* ---- where ---- */

static hid_t search(const elink *e, const vz_file *parent, hid_t lapl, vz_error *err)
{
    const vz_named named = vz_file_named(parent, e->name);
    char prefix[PATH_MAX] = "";
    const ssize_t length = VZ_H5_QUIETLY(H5Pget_elink_prefix(lapl, prefix, sizeof prefix));
    const vz_file_search where = {.environment = "HDF5_EXT_PREFIX",
                                  .prefix = length > 0 && (size_t)length < sizeof prefix ? prefix : "",
                                  .beside = parent->whole_name,
                                  .named = &named,
                                  .flags = e->flags,
                                  .fapl = e->fapl};
    return vz_file_search_open(&where, e->name, err);
}

hid_t vz_file_elink_open(const vz_file *parent, vz_node *group, const char *name, const char *path, hid_t lapl,
                         vz_error *err)
{
    elink e = {.name = name, .fapl = H5I_INVALID_HID};
    const hid_t list = lapl == H5P_DEFAULT ? H5P_LINK_ACCESS_DEFAULT : lapl;
    hid_t file = H5I_INVALID_HID;
    if (prepare(&e, parent, group, path, list, err)) {
        file = search(&e, parent, list, err);
        if (file < 0)
            vz_fail(err, VZ_NOT_FOUND, "unable to open external file, external link file name = '%.200s'", name);
    }
    if (e.fapl >= 0)
        vz_h5_close_quietly(e.fapl);
    return file;
}
