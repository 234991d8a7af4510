/* truncate.c - a store may replace an HDF5 file, but not under somebody who has it open in this
 * process: native refuses that for its own files. */
#include "hierarchy/resolve/path.h"
#include "hdf5/native/native.h"
#include "base/os/file.h"
#include "hdf5/vol/vol_internal.h"
#include <limits.h>

typedef struct search {
    const char *wanted;
    bool found;
} search;

static bool is_wanted(vz_object *file, const char *wanted)
{
    char name[PATH_MAX] = "";
    size_t length = 0;
    vz_error err = VZ_ERROR_NONE;
    H5VL_file_get_args_t args = {.op_type = H5VL_FILE_GET_NAME};
    args.args.get_name.type = H5I_FILE;
    args.args.get_name.buf = name;
    args.args.get_name.buf_size = sizeof name;
    args.args.get_name.file_name_len = &length;
    return file->ops->file_get(file, &args, H5P_DATASET_XFER_DEFAULT, &err) >= 0 && vz_os_path_same_file(name, wanted);
}

static bool look(void *context, hid_t id, vz_object *object)
{
    (void)id;
    search *s = context;
    s->found = vz_native_is_object(object) && is_wanted(object, s->wanted);
    return !s->found;
}

bool vz_vol_kind_may_replace(const char *name, const vz_path_result *found, vz_error *err)
{
    search s = {.wanted = name};
    const vz_path_kind kind = vz_path_result_kind(found);
    if (kind != VZ_PATH_HDF5 && kind != VZ_PATH_FILE && kind != VZ_PATH_EMPTY_FILE)
        return true;
    vz_object_each_id(H5I_FILE, look, &s);
    if (!s.found)
        return true;
    vz_fail(err, VZ_BUSY, "unable to truncate a file which is already open");
    vz_error_where(err, name, NULL);
    return false;
}
