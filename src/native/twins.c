/* twins.c - a native file for each open file handle, made by reopening the gateway (rules 2, 3), and a native committed
 * type for each open one (rule 4). */
#include "native/state.h"
#include <stdlib.h>

#define FIRST_CAPACITY 16

typedef struct twin_entry {
    const void *file;
    void *owner;
} twin_entry;

static struct {
    twin_entry *entries;
    size_t count, capacity;
} twins;

static bool make_room(vz_error *err)
{
    if (twins.count < twins.capacity)
        return true;
    const size_t capacity = twins.capacity ? 2 * twins.capacity : FIRST_CAPACITY;
    twin_entry *entries = realloc(twins.entries, capacity * sizeof *entries);
    if (!entries)
        return vz_fail_memory(err);
    twins.entries = entries;
    twins.capacity = capacity;
    return true;
}

static twin_entry *find(const void *file)
{
    for (size_t i = twins.count; i-- > 0;) /* the youngest is asked for most */
        if (twins.entries[i].file == file)
            return &twins.entries[i];
    return NULL;
}

static void *reopen_gateway(void)
{
    void *file = NULL;
    H5VL_file_specific_args_t args = {.op_type = H5VL_FILE_REOPEN, .args.reopen.file = &file};
    if (H5VLfile_specific(vz_native.file, vz_native.connector, &args, H5P_DATASET_XFER_DEFAULT, NULL) < 0)
        return NULL;
    return file;
}

bool vz_file_twin_open(vz_file_twin *twin, void *owner, vz_error *err)
{
    *twin = (vz_file_twin){0};
    if (!vz_native.gateway)
        return true;
    if (!make_room(err))
        return false;
    const vz_loc self = {.type = H5VL_OBJECT_BY_SELF, .obj_type = H5I_FILE};
    twin->file = reopen_gateway();
    if (!twin->file)
        return vz_fail(err, VZ_HDF5, "gateway: no twin of a file");
    twin->root = H5VLgroup_open(twin->file, &self, vz_native.connector, "/", H5P_GROUP_ACCESS_DEFAULT,
                                H5P_DATASET_XFER_DEFAULT, NULL);
    if (!twin->root) {
        H5VLfile_close(twin->file, vz_native.connector, H5P_DATASET_XFER_DEFAULT, NULL);
        twin->file = NULL;
        return vz_fail(err, VZ_HDF5, "gateway: no root group of a twin");
    }
    twins.entries[twins.count++] = (twin_entry){twin->file, owner};
    return true;
}

/* The native close finds the id of the file by asking get_object of all file ids: so the twin must answer until it
 * returns. */
void vz_file_twin_retire(vz_file_twin *twin)
{
    if (!twin->file)
        return;
    twin_entry *entry = find(twin->file);
    if (entry)
        *entry = twins.entries[--twins.count];
    H5VLfile_close(twin->file, vz_native.connector, H5P_DATASET_XFER_DEFAULT, NULL);
    twin->file = NULL;
}

void vz_file_twin_release(vz_file_twin *twin)
{
    void *root = twin->root;
    twin->root = NULL; /* closing it walks the ids, and nobody may answer it any more */
    if (root)
        H5VLgroup_close(root, vz_native.connector, H5P_DATASET_XFER_DEFAULT, NULL);
}

void *vz_file_twin_get(const vz_file_twin *twin)
{
    return twin->file ? twin->file : vz_native.file;
}

void *vz_file_twin_owner(const void *native_file)
{
    const twin_entry *entry = find(native_file);
    return entry ? entry->owner : NULL;
}

void vz_file_twins_forget(void)
{
    free(twins.entries);
    twins.entries = NULL;
    twins.count = twins.capacity = 0;
}

/* It has no name in the gateway, so closing it removes it. */
bool vz_type_twin_open(void **twin, hid_t type, vz_error *err)
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

void vz_type_twin_close(void *twin)
{
    if (twin)
        H5VLdatatype_close(twin, vz_native.connector, H5P_DATASET_XFER_DEFAULT, NULL);
}
