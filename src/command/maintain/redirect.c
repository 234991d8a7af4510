/* redirect.c - h5zarr door: a small file that programs take for an HDF5 file, and that leads to a
 * store. */
#include "command/command/command.h"
#include "hierarchy/resolve/path.h"
#include "store/store/kind.h"
#include <stdlib.h>

/* Also an HDF5 file on a server. */
static bool is_store(const char *path, vz_error *err)
{
    vz_options options;
    vz_path_result *found = vz_command_options(&options, err) ? vz_path_find(path, err) : NULL;
    const vz_path_kind kind = found ? vz_path_result_kind(found) : VZ_PATH_MISSING;
    const bool is_there = kind == VZ_PATH_ZARR || (kind == VZ_PATH_HDF5 && vz_path_result_is_elsewhere(found));
    const bool is = is_there && !vz_path_result_is_doorway(found);
    if (found && vz_path_result_is_doorway(found))
        vz_fail(err, VZ_INVALID, "it is a doorway itself: one cannot lead through another");
    else if (found && !is && vz_path_result_why(found)->class != VZ_OK)
        *err = *vz_path_result_why(found);
    else if (found && !is && vz_subject_refuse(found, err))
        vz_fail(err, VZ_INVALID, "there is no Zarr store");
    vz_path_result_free(found);
    vz_error_where(err, path, NULL);
    return is;
}

static const vz_command_option options[] = {
    {0, "json", NULL,
     "print a JSON object: the file, the name in it, and whether that leads out of the file's directory"},
    {0},
};

static bool print_json(const char *file, const char *name, bool leaves, vz_error *err)
{
    vz_json *object = vz_json_object(err);
    const bool ok = object && vz_describe_set_text(object, "file", file, err) &&
                    vz_describe_set_text(object, "leads_to", name, err) &&
                    vz_json_set(object, "leaves", vz_json_bool(leaves, err), err);
    return vz_say_json(object, ok, err);
}

static vz_exit run(const vz_command_call *call)
{
    vz_error err = VZ_ERROR_NONE;
    const char *store = call->operands[0], *file = call->operands[1];
    bool leaves;
    char *name = is_store(store, &err) ? vz_redirect_name(file, store, &leaves, &err) : NULL;
    bool ok = name && vz_redirect_write(file, name, &err);
    if (ok && leaves)
        vz_say_error("%s: it leads out of its directory: programs follow it with the option doorways=anywhere only",
                     file);
    ok = ok && (!vz_command_has(call, "json") || print_json(file, name, leaves, &err));
    free(name);
    return ok ? VZ_EXIT_FINE : vz_say_failure(&err, file);
}

const vz_command vz_command_door = {
    .name = "door",
    .summary = "makes a small file that HDF5 programs open as the store",
    .usage = "STORE FILE",
    .description =
        "Some programs insist on a regular file with HDF5's signature: PyTables, pandas, netCDF4, xarray, pynwb. A "
        "doorway is one: they open it, with the plugin's path alone, and what they see is the store, which can be a "
        "directory.\n\nFILE must not be there. The store's place is noted relative to it, so both can be moved "
        "together. A store that does not lie in FILE's directory, or below, is found with the option "
        "doorways=anywhere only (docs/options.md). Deleting a doorway deletes the doorway alone.",
    .options = options,
    .least = 2,
    .most = 2,
    .run = run,
};
