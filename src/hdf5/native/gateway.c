/* gateway.c - the private native in-memory file and its stand-in objects. */
#include "hdf5/h5/h5.h"
#include "hdf5/native/native_internal.h"
#include <errno.h>
#include <stdio.h>

#define TYPES_GROWTH 65536 /* bytes by which the file of the types' twins grows */

static bool failed(vz_error *err, const char *what)
{
    return vz_fail(err, VZ_HDF5, "gateway: %s", what);
}

void *vz_gateway_stand_in(H5I_type_t type)
{
    if (!vz_gateway_ensure(NULL))
        return NULL;
    switch (type) {
    case H5I_FILE:
        return vz_native.file;
    case H5I_DATASET:
        return vz_native.dataset;
    case H5I_ATTR:
        return vz_native.attribute;
    case H5I_DATATYPE:
        return vz_native.type;
    default:
        return vz_native.group;
    }
}

static bool use_memory(hid_t fapl, bool placed)
{
    if (!placed)
        return H5Pset_fapl_core(fapl, TYPES_GROWTH, false) >= 0;
    if (vz_native.driver <= 0)
        vz_native.driver = vz_driver_memory_register();
    return vz_native.driver > 0 && H5Pset_driver(fapl, vz_native.driver, NULL) >= 0;
}

/* A name of its own each time: were an earlier one still open, H5Fcreate would refuse. */
static hid_t create_file_with(hid_t fapl, hid_t fcpl, bool placed)
{
    char name[64];
    snprintf(name, sizeof name, "vol-zarr gateway %u", ++vz_native.generation);
    /* Where headers are placed, none may go where another one was. */
    if (placed && H5Pset_file_space_strategy(fcpl, H5F_FSPACE_STRATEGY_NONE, false, 1) < 0)
        return H5I_INVALID_HID;
    if (H5Pset_vol(fapl, vz_native.connector, NULL) < 0 || !use_memory(fapl, placed))
        return H5I_INVALID_HID;
    return H5Fcreate(name, H5F_ACC_TRUNC, fcpl, fapl);
}

/* Placed: headers can be put at an address. */
static hid_t create_file(bool placed)
{
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), fcpl = H5Pcreate(H5P_FILE_CREATE);
    const hid_t id = fapl < 0 || fcpl < 0 ? H5I_INVALID_HID : create_file_with(fapl, fcpl, placed);
    if (fapl >= 0)
        vz_h5_close_quietly(fapl);
    if (fcpl >= 0)
        vz_h5_close_quietly(fcpl);
    return id;
}

static void *root_of(void *file)
{
    const vz_loc self = {.type = H5VL_OBJECT_BY_SELF, .obj_type = H5I_FILE};
    return H5VLgroup_open(file, &self, vz_native.connector, "/", H5P_GROUP_ACCESS_DEFAULT, H5P_DATASET_XFER_DEFAULT,
                          NULL);
}

/* The twins of types come and go, and space is not given back in the gateway: they have a file
 * of their own. */
void *vz_gateway_types(vz_error *err)
{
    if (vz_native.types)
        return vz_native.types;
    const hid_t id = create_file(false);
    void *file = id < 0 ? NULL : H5VLobject(id);
    vz_native.types = file ? root_of(file) : NULL;
    if (!vz_native.types)
        failed(err, "no file for committed datatypes");
    if (id >= 0)
        vz_h5_close_quietly(id);
    return vz_native.types;
}

static bool open_group(vz_error *err)
{
    vz_native.group = root_of(vz_native.file);
    return vz_native.group || failed(err, "no root group");
}

static bool commit_type(const vz_loc *self, vz_error *err)
{
    const hid_t type = H5Tcopy(H5T_NATIVE_INT);
    if (type < 0)
        return failed(err, "no datatype");
    vz_native.type =
        H5VLdatatype_commit(vz_native.group, self, vz_native.connector, NULL, type, H5P_LINK_CREATE_DEFAULT,
                            H5P_DATATYPE_CREATE_DEFAULT, H5P_DATATYPE_ACCESS_DEFAULT, H5P_DATASET_XFER_DEFAULT, NULL);
    vz_h5_close_quietly(type);
    return vz_native.type || failed(err, "no committed datatype");
}

/* A dataset and a type without a name, so that nobody finds them by walking the gateway. */
static bool make_objects(hid_t space, vz_error *err)
{
    const vz_loc self = {.type = H5VL_OBJECT_BY_SELF, .obj_type = H5I_GROUP};
    const hid_t native = vz_native.connector;
    vz_native.dataset =
        H5VLdataset_create(vz_native.group, &self, native, NULL, H5P_LINK_CREATE_DEFAULT, H5T_NATIVE_INT, space,
                           H5P_DATASET_CREATE_DEFAULT, H5P_DATASET_ACCESS_DEFAULT, H5P_DATASET_XFER_DEFAULT, NULL);
    if (!vz_native.dataset)
        return failed(err, "no dataset");
    vz_native.attribute =
        H5VLattr_create(vz_native.group, &self, native, "stand-in", H5T_NATIVE_INT, space, H5P_ATTRIBUTE_CREATE_DEFAULT,
                        H5P_ATTRIBUTE_ACCESS_DEFAULT, H5P_DATASET_XFER_DEFAULT, NULL);
    if (!vz_native.attribute)
        return failed(err, "no attribute");
    return commit_type(&self, err);
}

static bool open_objects(vz_error *err)
{
    if (!open_group(err))
        return false;
    const hsize_t one = 1;
    const hid_t space = H5Screate_simple(1, &one, NULL);
    if (space < 0)
        return failed(err, "no dataspace");
    const bool made = make_objects(space, err);
    vz_h5_close_quietly(space);
    return made;
}

/* The id goes at once: the file stays open as long as one of its objects does, and no count of
 * open objects shows it. */
static bool make(vz_error *err)
{
    const hid_t id = create_file(true);
    vz_native.file = id < 0 ? NULL : H5VLobject(id);
    if (!vz_native.file)
        return failed(err, "cannot be created");
    if (!open_objects(err)) {
        vz_gateway_close();
        vz_h5_close_quietly(id);
        return false;
    }
    H5Fclose(id);
    return true;
}

/* A look at ids meanwhile, as closing one causes, sees the gateway as far as it is made. */
bool vz_gateway_ensure(vz_error *err)
{
    if (vz_native.file)
        return true;
    if (vz_native.making || !vz_native.gateway)
        return false;
    vz_native.making = true;
    const int errno_before = errno; /* somebody may only look at an id */
    const hid_t records = H5Eget_current_stack();
    const bool ok = VZ_H5_QUIETLY(VZ_H5_IN_CONTEXT(make(err)));
    vz_h5_errors_restore(records);
    errno = errno_before;
    vz_native.making = false;
    return ok;
}

void vz_gateway_close(void)
{
    const hid_t native = vz_native.connector, dxpl = H5P_DATASET_XFER_DEFAULT;
    if (vz_native.types)
        H5VLgroup_close(vz_native.types, native, dxpl, NULL);
    if (vz_native.type)
        H5VLdatatype_close(vz_native.type, native, dxpl, NULL);
    if (vz_native.attribute)
        H5VLattr_close(vz_native.attribute, native, dxpl, NULL);
    if (vz_native.dataset)
        H5VLdataset_close(vz_native.dataset, native, dxpl, NULL);
    if (vz_native.group)
        H5VLgroup_close(vz_native.group, native, dxpl, NULL);
    vz_native.file = vz_native.group = vz_native.dataset = vz_native.attribute = vz_native.type = NULL;
    vz_native.types = NULL;
}
