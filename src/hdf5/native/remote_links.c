/* remote_links.c - calls in which HDF5 may follow an external link of a file on a server: it gets
 * the driver of that file. */
#include "hdf5/native/remote_internal.h"

/* Runs in HDF5's traversal of a link, after the program's own function. The list may be one of the
 * program's, for files of this machine: h5py sets one. */
static herr_t lead(const char *parent, const char *group, const char *child, const char *object, unsigned *flags,
                   hid_t fapl, void *context)
{
    const vz_native_guard *guard = context;
    vz_native_remote *from = vz_native_remote_called(parent);
    if (guard->function && guard->function(parent, group, child, object, flags, fapl, guard->context) < 0)
        return -1;
    if (!from)
        return 0; /* a file of this machine */
    *flags &= ~(unsigned)(H5F_ACC_RDWR | H5F_ACC_SWMR_READ | H5F_ACC_SWMR_WRITE);
    return vz_native_remote_use(fapl, from, true) && H5Pset_vol(fapl, vz_native_own_connector(), NULL) >= 0 ? 0 : -1;
}

/* Nobody can change the usual lists. With them HDF5 takes that of the file that has the link. */
static bool is_usual(hid_t list)
{
    return list <= 0 || list == H5P_LINK_ACCESS_DEFAULT || list == H5P_DATASET_ACCESS_DEFAULT ||
           list == H5P_GROUP_ACCESS_DEFAULT || list == H5P_DATATYPE_ACCESS_DEFAULT ||
           list == H5P_ATTRIBUTE_ACCESS_DEFAULT;
}

static bool watch(vz_native_guard *guard, hid_t list)
{
    return H5Pget_elink_cb(list, &guard->function, &guard->context) >= 0 && H5Pset_elink_cb(list, lead, guard) >= 0;
}

static unsigned depth; /* of calls in each other; HDF5 makes one at a time */

void vz_native_guard_begin(vz_native_guard *guard, const vz_object *object, hid_t list)
{
    guard->is_on = vz_native_is_remote(object);
    guard->list = H5I_INVALID_HID;
    if (!guard->is_on)
        return;
    if (depth++ == 0)
        vz_native_is_noted = false;
    if (is_usual(list))
        return;
    if (VZ_H5_QUIETLY(watch(guard, list)))
        guard->list = list;
    else
        H5Eclear2(H5E_DEFAULT); /* a list without links */
}

void vz_native_guard_end(const vz_native_guard *guard)
{
    if (!guard->is_on)
        return;
    depth--;
    if (guard->list < 0)
        return;
    const hid_t records = H5Eget_num(H5E_DEFAULT) > 0 ? H5Eget_current_stack() : H5I_INVALID_HID;
    H5Pset_elink_cb(guard->list, guard->function, guard->context);
    vz_h5_errors_restore(records);
}
