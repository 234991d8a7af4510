/* data_transform.c - applies data transforms. HDF5 has no public call for memory, but it
 * transforms what it writes: the elements go through a native file in memory. */
#include "hdf5/datasets/datasets_internal.h"
#include "hdf5/h5/h5.h"

bool vz_transform_is_set(hid_t dxpl)
{
    if (dxpl == H5P_DEFAULT || dxpl == H5P_DATASET_XFER_DEFAULT)
        return false;
    if (VZ_H5_QUIETLY(H5Pget_data_transform(dxpl, NULL, 0)) > 0)
        return true;
    H5Eclear2(H5E_DEFAULT); /* HDF5 reports a missing transform as a failure */
    return false;
}

static bool run(hid_t file, hid_t dxpl, hid_t type, hid_t space, void *elements)
{
    const hid_t dataset = H5Dcreate_anon(file, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (dataset < 0)
        return false;
    const bool ok = H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, dxpl, elements) >= 0 &&
                    H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements) >= 0;
    vz_h5_close_quietly(dataset);
    return ok;
}

bool vz_transform_apply(hid_t dxpl, hid_t type, void *elements, size_t count, vz_error *err)
{
    const hsize_t size = count;
    const hid_t space = H5Screate_simple(1, &size, NULL);
    const hid_t file = space < 0 ? H5I_INVALID_HID : vz_dataset_native_memory_file(NULL);
    const bool ok = file >= 0 && run(file, dxpl, type, space, elements);
    if (file >= 0)
        vz_h5_close_quietly(file);
    if (space >= 0)
        vz_h5_close_quietly(space);
    return ok || vz_fail(err, VZ_HDF5, "HDF5 cannot transform the data");
}
