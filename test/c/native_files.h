/* native_files.h - native HDF5 files in a process whose default connector is ours. */
#ifndef VZ_TEST_NATIVE_FILES_H
#define VZ_TEST_NATIVE_FILES_H

#include "cases.h"
#include <hdf5.h>
#include <stdbool.h>

/* An access list of the native connector itself, and one of ours. */
static inline hid_t native_list(void)
{
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), native = H5VLget_connector_id_by_name("native");
    CHECK(fapl >= 0 && native >= 0 && H5Pset_vol(fapl, native, NULL) >= 0 && H5VLclose(native) >= 0);
    return fapl;
}

static inline hid_t our_list(void)
{
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), zarr = H5VLregister_connector_by_name("zarr", H5P_DEFAULT);
    CHECK(fapl >= 0 && zarr >= 0 && H5Pset_vol(fapl, zarr, NULL) >= 0 && H5VLclose(zarr) >= 0);
    return fapl;
}

static inline void write_int_dataset(hid_t where, const char *name, int value)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t dset = H5Dcreate2(where, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(dset >= 0 && H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0);
    CHECK(H5Dclose(dset) >= 0 && H5Sclose(space) >= 0);
}

static inline int read_int_dataset(hid_t where, const char *name)
{
    int value = -1;
    const hid_t dset = H5Dopen2(where, name, H5P_DEFAULT);
    CHECK(dset >= 0 && H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0);
    CHECK(H5Dclose(dset) >= 0);
    return value;
}

/* A native file with a group "g" and a number "g/n", made without the connector. */
static inline void make_native_file(const char *name, int value)
{
    const hid_t fapl = native_list();
    const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    const hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(group >= 0);
    write_int_dataset(group, "n", value);
    CHECK(H5Gclose(group) >= 0 && H5Fclose(file) >= 0 && H5Pclose(fapl) >= 0);
}

static inline bool is_connector(hid_t fapl, const char *name)
{
    hid_t used = H5I_INVALID_HID;
    const hid_t wanted = H5VLget_connector_id_by_name(name);
    CHECK(wanted >= 0 && H5Pget_vol_id(fapl, &used) >= 0);
    const bool equal = used == wanted;
    CHECK(H5VLclose(used) >= 0 && H5VLclose(wanted) >= 0);
    return equal;
}

#endif
