/* group_creation.c - the creation properties of a group in the target. */
#include "command/convert/convert_internal.h"

#define PROPERTY_FILTERS "pline"

static bool copy_orders(hid_t from, hid_t to)
{
    unsigned links, attributes, compact, dense;
    return H5Pget_link_creation_order(from, &links) >= 0 && H5Pset_link_creation_order(to, links) >= 0 &&
           H5Pget_attr_creation_order(from, &attributes) >= 0 && H5Pset_attr_creation_order(to, attributes) >= 0 &&
           H5Pget_attr_phase_change(from, &compact, &dense) >= 0 && H5Pset_attr_phase_change(to, compact, dense) >= 0 &&
           H5Pget_link_phase_change(from, &compact, &dense) >= 0 && H5Pset_link_phase_change(to, compact, dense) >= 0;
}

static bool copy_others(hid_t from, hid_t to)
{
    unsigned entries, length, usual_entries, usual_length;
    hbool_t times;
    if (H5Pget_obj_track_times(from, &times) < 0 || H5Pset_obj_track_times(to, times) < 0 ||
        H5Pget_est_link_info(from, &entries, &length) < 0 ||
        H5Pget_est_link_info(to, &usual_entries, &usual_length) < 0)
        return false;
    const bool is_usual = entries == usual_entries && length == usual_length;
    return (is_usual || H5Pset_est_link_info(to, entries, length) >= 0) &&
           (H5Pget_nfilters(from) <= 0 || H5Pcopy_prop(to, from, PROPERTY_FILTERS) >= 0);
}

/* Property by property. A list that HDF5 2.0 gives for an old group makes groups whose heap it
 * cannot find again ("address of object past end of allocation"). */
hid_t vz_convert_copy_group_list(hid_t group, vz_error *err)
{
    const hid_t from = H5Gget_create_plist(group), to = H5Pcreate(H5P_GROUP_CREATE);
    const bool ok = from >= 0 && to >= 0 && copy_orders(from, to) && copy_others(from, to);
    if (!ok)
        vz_convert_h5_fail(err, "the group's creation properties cannot be taken over");
    vz_convert_id_close(from);
    if (ok)
        return to;
    vz_convert_id_close(to);
    return H5I_INVALID_HID;
}
