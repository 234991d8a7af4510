/* start.c - the first file create or open, and the first after H5close: see native.h. */
#include "hdf5/native/native_internal.h"

static bool start(vz_error *err)
{
    if (H5get_libversion(&vz_h5.major, &vz_h5.minor, &vz_h5.release) < 0)
        return vz_fail(err, VZ_HDF5, "no library version");
    vz_native.connector = H5VLget_connector_id_by_name(H5VL_NATIVE_NAME);
    if (vz_native.connector < 0)
        return vz_fail(err, VZ_HDF5, "no native connector");
    if (H5atclose(vz_native_shutdown, NULL) < 0) {
        H5VLclose(vz_native.connector);
        return vz_fail(err, VZ_HDF5, "no callback at H5close");
    }
    vz_native.started = true;
    vz_native.starts++;
    return true;
}

unsigned vz_native_starts(void)
{
    return vz_native.started ? vz_native.starts : 0;
}

bool vz_native_start(bool gateway, vz_error *err)
{
    if (!vz_native.started && !start(err))
        return false;
    if (!gateway || vz_native.gateway)
        return true;
    if (!vz_native_learn_class(&vz_native))
        return vz_fail(err, VZ_HDF5, "no class of native objects");
    vz_native.gateway = true;
    return !vz_native.wraps || vz_gateway_ensure(err);
}
