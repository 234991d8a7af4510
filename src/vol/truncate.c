/* truncate.c - a store may replace an HDF5 file, but not under somebody who has it open in this process: native refuses
 * that for its own files. */
#include "native/wrap.h"
#include "vol/kind.h"
#include <limits.h>
#include <sys/stat.h>

typedef struct search {
    struct stat wanted;
    bool found;
} search;

static bool is_wanted(vz_object *file, const struct stat *wanted)
{
    char name[PATH_MAX] = "";
    size_t length = 0;
    struct stat found;
    vz_error err = VZ_ERROR_NONE;
    H5VL_file_get_args_t args = {.op_type = H5VL_FILE_GET_NAME};
    args.args.get_name.type = H5I_FILE;
    args.args.get_name.buf = name;
    args.args.get_name.buf_size = sizeof name;
    args.args.get_name.file_name_len = &length;
    if (file->ops->file_get(file, &args, H5P_DATASET_XFER_DEFAULT, &err) < 0 || stat(name, &found) != 0)
        return false;
    return found.st_dev == wanted->st_dev && found.st_ino == wanted->st_ino;
}

static bool look(void *context, hid_t id, vz_object *object)
{
    (void)id;
    search *s = context;
    s->found = vz_is_native(object) && is_wanted(object, &s->wanted);
    return !s->found;
}

bool vz_kind_may_replace(const char *name, vz_error *err)
{
    search s = {.found = false};
    if (stat(name, &s.wanted) != 0 || !S_ISREG(s.wanted.st_mode))
        return true;
    vz_object_each_id(H5I_FILE, look, &s);
    if (!s.found)
        return true;
    vz_fail(err, VZ_BUSY, "unable to truncate a file which is already open");
    vz_error_where(err, name, NULL);
    return false;
}
