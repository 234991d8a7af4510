/* external_reference.c - see native.h. A file in memory bears the other file's name. A reference to
 * its root is written into a second file, and read again. For HDF5 that is a reference to another
 * file. Then it holds the name, and the token can be exchanged. */
#include "hdf5/native/native.h"
#include "hdf5/h5/h5.h"
#include "hdf5/native/native_internal.h"
#include "base/util/bytes.h"

#define CARRIER "vol-zarr references"

typedef struct pair {
    hid_t fapl, named, carrier, space, dataset;
} pair;

static void failed(vz_error *err)
{
    vz_fail(err, VZ_HDF5, "an HDF5 call failed");
}

/* Nothing of these names is made, or looked at, on the disk. */
static bool make_files(pair *p, const char *name)
{
    if (vz_native.driver <= 0)
        vz_native.driver = vz_driver_memory_register();
    p->fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (p->fapl < 0 || H5Pset_vol(p->fapl, vz_native_connector(), NULL) < 0 ||
        H5Pset_driver(p->fapl, vz_native.driver, NULL) < 0)
        return false;
    p->named = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, p->fapl);
    p->carrier = p->named < 0 ? H5I_INVALID_HID : H5Fcreate(CARRIER, H5F_ACC_TRUNC, H5P_DEFAULT, p->fapl);
    return p->carrier >= 0;
}

static bool make_dataset(pair *p)
{
    p->space = H5Screate(H5S_SCALAR);
    p->dataset = p->space < 0 ? H5I_INVALID_HID
                              : H5Dcreate2(p->carrier, "reference", H5T_STD_REF, p->space, H5P_LINK_CREATE_DEFAULT,
                                           H5P_DATASET_CREATE_DEFAULT, H5P_DATASET_ACCESS_DEFAULT);
    return p->dataset >= 0;
}

static bool make_near(hid_t file, hid_t space, const char *attribute, H5R_ref_t *out)
{
    const herr_t status = space >= 0  ? H5Rcreate_region(file, "/", space, H5P_DEFAULT, out)
                          : attribute ? H5Rcreate_attr(file, "/", attribute, H5P_DEFAULT, out)
                                      : H5Rcreate_object(file, "/", H5P_DEFAULT, out);
    return status >= 0;
}

static bool carry(const pair *p, hid_t space, const char *attribute, H5R_ref_t *out)
{
    H5R_ref_t near = {0};
    if (!make_near(p->named, space, attribute, &near))
        return false;
    const bool ok = H5Dwrite(p->dataset, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DATASET_XFER_DEFAULT, &near) >= 0 &&
                    H5Dread(p->dataset, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DATASET_XFER_DEFAULT, out) >= 0;
    H5Rdestroy(&near);
    return ok;
}

/* All known versions of an H5R_ref_t begin with the token. */
static bool exchange_token(hid_t file, uint64_t token, H5R_ref_t *out)
{
    H5O_info2_t info;
    if (H5Oget_info3(file, &info, H5O_INFO_BASIC) >= 0 && vz_bytes_load_le64(out) == vz_bytes_load_le64(&info.token)) {
        vz_bytes_store_le64(out, token);
        return true;
    }
    H5Rdestroy(out);
    memset(out, 0, sizeof *out);
    return false;
}

static void close_all(const pair *p)
{
    const hid_t ids[] = {p->dataset, p->space, p->carrier, p->named, p->fapl};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (ids[i] >= 0)
            vz_h5_close_quietly(ids[i]);
}

bool vz_native_external_reference_new(const char *file_name, uint64_t token, hid_t space, const char *attribute,
                                      H5R_ref_t *out, vz_error *err)
{
    pair p = {H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID};
    memset(out, 0, sizeof *out);
    const bool ok = make_files(&p, file_name) && make_dataset(&p) && carry(&p, space, attribute, out) &&
                    exchange_token(p.named, token, out);
    if (!ok)
        failed(err);
    const hid_t records = vz_h5_errors_keep(err);
    close_all(&p);
    vz_h5_errors_restore(records);
    return ok;
}
