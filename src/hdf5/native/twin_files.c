/* twin_files.c - a native file for each open file handle, made by reopening the gateway (rules 2,
 * 3). There is a native committed type for each open one, too (rule 4). */
#include "hdf5/h5/h5.h"
#include "hdf5/native/native_internal.h"
#include "base/util/hash.h"

static vz_nummap owners; /* by the address of the twin */

static uint64_t address(const void *file)
{
    return (uint64_t)(uintptr_t)file;
}

static void *reopen_gateway(void)
{
    void *file = NULL;
    H5VL_file_specific_args_t args = {.op_type = H5VL_FILE_REOPEN, .args.reopen.file = &file};
    if (H5VLfile_specific(vz_native.file, vz_native.connector, &args, H5P_DATASET_XFER_DEFAULT, NULL) < 0)
        return NULL;
    return file;
}

static bool open_twin(vz_twin_file *twin, void *owner, vz_error *err)
{
    const vz_loc self = {.type = H5VL_OBJECT_BY_SELF, .obj_type = H5I_FILE};
    twin->file = reopen_gateway();
    if (!twin->file)
        return vz_fail(err, VZ_HDF5, "gateway: no twin of a file");
    twin->root = H5VLgroup_open(twin->file, &self, vz_native.connector, "/", H5P_GROUP_ACCESS_DEFAULT,
                                H5P_DATASET_XFER_DEFAULT, NULL);
    void **place = twin->root ? vz_nummap_put(&owners, address(twin->file), err) : NULL;
    if (place) {
        *place = owner;
        return true;
    }
    vz_twin_file_release(twin);
    H5VLfile_close(twin->file, vz_native.connector, H5P_DATASET_XFER_DEFAULT, NULL);
    twin->file = NULL;
    return vz_fail(err, VZ_HDF5, "gateway: no root group of a twin");
}

bool vz_twin_file_open(vz_twin_file *twin, void *owner, vz_error *err)
{
    *twin = (vz_twin_file){0};
    if (!vz_native.gateway)
        return true;
    if (vz_native.making || !vz_gateway_ensure(err))
        return false;
    return VZ_H5_IN_CONTEXT(open_twin(twin, owner, err));
}

/* The native close finds the id of the file by asking get_object of all file ids: so the twin
 * must answer until it returns. */
void vz_twin_file_retire(vz_twin_file *twin)
{
    if (!twin->file)
        return;
    vz_nummap_remove(&owners, address(twin->file));
    H5VLfile_close(twin->file, vz_native.connector, H5P_DATASET_XFER_DEFAULT, NULL);
    twin->file = NULL;
}

void vz_twin_file_release(vz_twin_file *twin)
{
    void *root = twin->root;
    twin->root = NULL; /* closing it walks the ids, and nobody may answer it any more */
    if (root)
        H5VLgroup_close(root, vz_native.connector, H5P_DATASET_XFER_DEFAULT, NULL);
}

void *vz_twin_file_get(const vz_twin_file *twin)
{
    return twin->file ? twin->file : vz_native.file;
}

void *vz_twin_file_owner(const void *native_file)
{
    void *const *place = vz_nummap_find(&owners, address(native_file));
    return place ? *place : NULL;
}

void vz_twin_files_forget(void)
{
    vz_nummap_clear(&owners);
}

/* It has no name in the gateway, so closing it removes it. */
bool vz_twin_type_open(void **twin, hid_t type, vz_error *err)
{
    const vz_loc self = {.type = H5VL_OBJECT_BY_SELF, .obj_type = H5I_GROUP};
    *twin = NULL;
    if (!vz_native.gateway)
        return true;
    void *group = vz_gateway_types(err);
    if (!group)
        return false;
    *twin =
        H5VLdatatype_commit(group, &self, vz_native.connector, NULL, type, H5P_LINK_CREATE_DEFAULT,
                            H5P_DATATYPE_CREATE_DEFAULT, H5P_DATATYPE_ACCESS_DEFAULT, H5P_DATASET_XFER_DEFAULT, NULL);
    return *twin || vz_fail(err, VZ_HDF5, "gateway: no twin of a committed datatype");
}

void vz_twin_type_close(void *twin)
{
    if (twin)
        H5VLdatatype_close(twin, vz_native.connector, H5P_DATASET_XFER_DEFAULT, NULL);
}
