/* timestamps.c - the time of a dataset's last change. */
#include "hdf5/annotation/annotation.h"

#define TIMES "tm"

bool vz_times_wanted(hid_t dcpl, bool *wanted, vz_error *err)
{
    *wanted = false;
    if (dcpl == H5P_DEFAULT || dcpl == H5P_DATASET_CREATE_DEFAULT)
        return true;
    return H5Pget_obj_track_times(dcpl, wanted) >= 0 || vz_fail(err, VZ_HDF5, "cannot read the creation property list");
}

vz_json *vz_times_now(vz_error *err)
{
    return vz_json_int64((int64_t)time(NULL), err);
}

bool vz_times_kept(const vz_node *node, time_t *changed)
{
    int64_t seconds = 0;
    const bool kept = vz_json_get_int64(vz_annotation_get(node, TIMES), &seconds) && seconds > 0;
    *changed = kept ? (time_t)seconds : 0;
    return kept;
}

bool vz_times_touch(vz_node *node, vz_error *err)
{
    time_t changed;
    if (!vz_times_kept(node, &changed) || changed == time(NULL))
        return true;
    vz_json *now = vz_times_now(err);
    return now && vz_annotation_set(node, TIMES, now, err);
}
