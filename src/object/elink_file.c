/* elink_file.c - the file of an external link: with which access list, which flags, and where it is looked for. */
#include "h5/errors.h"
#include "object/cross.h"
#include "object/info.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct elink {
    const char *name; /* as the link tells it */
    hid_t fapl;       /* a copy, ours */
    unsigned flags;
} elink;

/* ---- how ---- */

/* The list that was asked for, or the parent's; always through this connector, which opens both kinds. */
static bool access_list(elink *e, const vz_file *parent, hid_t lapl, vz_error *err)
{
    const hid_t wanted = H5Pget_elink_fapl(lapl);
    const hid_t own = vz_own_connector();
    hid_t connector = H5I_INVALID_HID;
    if (wanted < 0)
        return vz_fail_hdf5(err);
    e->fapl = wanted == H5P_DEFAULT ? H5Pcopy(parent->fapl) : wanted;
    if (e->fapl < 0 || H5Pget_vol_id(e->fapl, &connector) < 0)
        return vz_fail_hdf5(err);
    const bool is_ours = connector == own;
    vz_h5_close_quietly(connector);
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
        e->flags = parent->intent;
    if (!access_list(e, parent, lapl, err) || !ask_program(e, parent, group, path, lapl, err))
        return false;
    e->flags &= H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE | H5F_ACC_SWMR_READ;
    return true;
}

/* ---- where ---- */

/* Opens `directory`/`name`; negative if that cannot be, whatever the reason: the next place is tried. */
static hid_t try_in(const elink *e, const char *directory, size_t length, const char *name)
{
    char *path = NULL;
    const bool slash = length > 0 && directory[length - 1] != '/';
    if (asprintf(&path, "%.*s%s%s", (int)length, directory, slash ? "/" : "", name) < 0)
        return H5I_INVALID_HID;
    const hid_t file = VZ_H5_QUIETLY(H5Fopen(path, e->flags, e->fapl));
    free(path);
    return file;
}

/* HDF5_EXT_PREFIX: directories with ':' between them. */
static hid_t try_environment(const elink *e, const char *name)
{
    const char *list = getenv("HDF5_EXT_PREFIX");
    hid_t file = H5I_INVALID_HID;
    while (list && *list && file < 0) {
        const size_t length = strcspn(list, ":");
        if (length > 0)
            file = try_in(e, list, length, name);
        list += length + (list[length] == ':');
    }
    return file;
}

static hid_t try_prefix(const elink *e, hid_t lapl, const char *name)
{
    char prefix[PATH_MAX] = "";
    const ssize_t length = VZ_H5_QUIETLY(H5Pget_elink_prefix(lapl, prefix, sizeof prefix));
    return length > 0 && (size_t)length < sizeof prefix ? try_in(e, prefix, (size_t)length, name) : H5I_INVALID_HID;
}

/* Length of the directory part of a path, its last slash included; trailing slashes are no part. */
static size_t directory_length(const char *path)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    while (end > 0 && path[end - 1] != '/')
        end--;
    return end;
}

static hid_t try_beside(const elink *e, const char *path, const char *name)
{
    return try_in(e, path, directory_length(path), name);
}

/* Beside what a symbolic link to the parent leads to. */
static hid_t try_beside_resolved(const elink *e, const char *path, const char *name)
{
    char *resolved = realpath(path, NULL);
    const hid_t file = resolved ? try_beside(e, resolved, name) : H5I_INVALID_HID;
    free(resolved);
    return file;
}

/* The order is native's. An absolute name that leads nowhere is looked for by its last part. */
static hid_t search(const elink *e, const vz_file *parent, hid_t lapl)
{
    const char *name = e->name;
    hid_t file = H5I_INVALID_HID;
    if (*name == '/') {
        file = try_in(e, "", 0, name);
        name = strrchr(name, '/') + 1;
    }
    if (file < 0)
        file = try_environment(e, name);
    if (file < 0)
        file = try_prefix(e, lapl, name);
    if (file < 0)
        file = try_beside(e, parent->name, name);
    if (file < 0)
        file = try_in(e, "", 0, name);
    return file >= 0 ? file : try_beside_resolved(e, parent->name, name);
}

hid_t vz_elink_file_open(const vz_file *parent, vz_node *group, const char *name, const char *path, hid_t lapl,
                         vz_error *err)
{
    elink e = {.name = name, .fapl = H5I_INVALID_HID};
    const hid_t list = lapl == H5P_DEFAULT ? H5P_LINK_ACCESS_DEFAULT : lapl;
    hid_t file = H5I_INVALID_HID;
    if (prepare(&e, parent, group, path, list, err)) {
        file = search(&e, parent, list);
        if (file < 0)
            vz_fail(err, VZ_NOT_FOUND, "unable to open external file, external link file name = '%.200s'", name);
    }
    if (e.fapl >= 0)
        vz_h5_close_quietly(e.fapl);
    return file;
}
