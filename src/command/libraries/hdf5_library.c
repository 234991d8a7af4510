/* hdf5_library.c - loading an HDF5 library, and finding our plugin for it. */
#include "command/libraries/libraries_internal.h"
#include "base/os/file.h"
#include "hdf5/h5/h5.h"
#include "base/os/process.h"
#include "base/os/library.h"
#include "base/util/bytes.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define PLUGIN_FILE "libH5VLzarr.so"
#define NEEDED_MAX  16 /* other libraries of a wheel that one needs */

static void *load_file(const char *file, unsigned how);

static void *find_symbol(void *context, const char *name, bool is_data)
{
    (void)is_data;
    return vz_os_library_symbol(context, name);
}

static bool is_new_enough(const vz_library_version *version)
{
    return version->major > 1 || (version->major == 1 && version->minor >= 14);
}

/* A wheel's library may need others of the wheel, which are found where the module that uses it
 * says. Here they are loaded before it, from beside it. The loader's last message names the missing
 * library; false: the message is about something else. */
static bool load_missing(const char *file, const char *said)
{
    char needed[PATH_MAX];
    const char *colon = said ? strchr(said, ':') : NULL, *slash = strrchr(file, '/');
    if (!colon || !slash || !strstr(colon, "cannot open shared object file"))
        return false;
    const int length =
        snprintf(needed, sizeof needed, "%.*s/%.*s", (int)(slash - file), file, (int)(colon - said), said);
    return length > 0 && (size_t)length < sizeof needed && vz_os_access(needed, R_OK) == 0 &&
           load_file(needed, 0) != NULL;
}

static void *load_file(const char *file, unsigned how)
{
    void *handle = NULL;
    for (int i = 0; !handle && i < NEEDED_MAX; i++) {
        handle = vz_os_library_open(file, how);
        char said[512];
        snprintf(said, sizeof said, "%s", handle ? "" : vz_os_library_error());
        if (!handle && !load_missing(file, said)) {
            vz_os_library_open(file, how); /* vz_os_library_error tells it again */
            break;
        }
    }
    return handle;
}

/* Without a call, which would initialise it: from the line that every library has for `strings`. */
static void tell_version(void *handle, vz_library_version *version)
{
    const char *line = vz_os_library_symbol(handle, "H5_lib_vers_info_g");
    const char *colon = line ? strchr(line, ':') : NULL; /* "HDF5 library version: 1.10.8" */
    if (!colon || sscanf(colon + 1, "%u.%u.%u", &version->major, &version->minor, &version->release) < 2)
        *version = (vz_library_version){0};
}

/* A library older than 1.14 lacks functions, and so is known before any is called. */
bool vz_library_load(const char *file, vz_library_version *version, vz_error *err)
{
    *version = (vz_library_version){0};
    vz_os_library_error();
    void *handle = load_file(file, VZ_OS_LIBRARY_GLOBAL); /* global: plugins with filters look for
                                                           * HDF5's functions */
    if (!handle)
        return vz_fail(err, VZ_UNSUPPORTED, "%s", vz_os_library_error());
    const char *missing = vz_h5_bind(find_symbol, handle);
    if (missing) {
        tell_version(handle, version);
        vz_os_library_close(handle);
        return vz_fail(err, VZ_UNSUPPORTED, "HDF5 %u.%u.%u is older than " VZ_LIBRARY_OLDEST ": it has no %s",
                       version->major, version->minor, version->release, missing);
    }
    vz_os_environment_unset("HDF5_VOL_CONNECTOR");
    if (H5open() < 0 || H5get_libversion(&version->major, &version->minor, &version->release) < 0)
        return vz_fail(err, VZ_UNSUPPORTED, "HDF5 does not start");
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    vz_h5.major = version->major;
    vz_h5.minor = version->minor;
    vz_h5.release = version->release;
    return is_new_enough(version) || vz_fail(err, VZ_UNSUPPORTED, "HDF5 %u.%u.%u is older than " VZ_LIBRARY_OLDEST,
                                             version->major, version->minor, version->release);
}

bool vz_library_load_first(const vz_libraries *found, const char **file, vz_library_version *version, vz_error *err)
{
    vz_error last = VZ_ERROR_NONE;
    for (size_t i = 0; i < found->count; i++) {
        vz_error failed = VZ_ERROR_NONE;
        *file = found->items[i].file;
        if (vz_library_load(*file, version, &failed))
            return true;
        if (last.class == VZ_OK) {
            last = failed;
            vz_error_where(&last, *file, NULL);
        }
    }
    char why[sizeof last.text];
    if (last.class == VZ_OK)
        return vz_fail(err, VZ_NOT_FOUND,
                       "no HDF5 library was found: install one of " VZ_LIBRARY_OLDEST
                       " or newer (Debian 13: apt install libhdf5-310; pip install h5py; conda install hdf5), or name "
                       "one with --hdf5");
    return vz_fail(err, VZ_NOT_FOUND,
                   "no HDF5 library of " VZ_LIBRARY_OLDEST " or newer was found (%s): pip install h5py, or name one "
                   "with --hdf5; h5zarr doctor tells more",
                   vz_error_message(&last, why, sizeof why));
}

static char *directory_with_plugin(const char *directory)
{
    char file[PATH_MAX];
    const int length = snprintf(file, sizeof file, "%s/" PLUGIN_FILE, directory);
    return length > 0 && (size_t)length < sizeof file && vz_os_access(file, R_OK) == 0 ? vz_os_realpath(directory, NULL)
                                                                                       : NULL;
}

static char *beside_program(void)
{
    static const char *const places[] = {VZ_PLUGIN_PLACE, "/../plugin",          "/plugin",
                                         "/../../plugin", "/../lib/hdf5/plugin", ""};
    char program[PATH_MAX];
    const ssize_t length = vz_os_program(program, sizeof program - 1);
    if (length <= 0)
        return NULL;
    program[length] = '\0';
    char *slash = strrchr(program, '/');
    *(slash ? slash : program) = '\0';
    char *result = NULL;
    for (size_t i = 0; !result && i < sizeof places / sizeof *places; i++) {
        char directory[PATH_MAX];
        const int size = snprintf(directory, sizeof directory, "%s%s", program, places[i]);
        if (size > 0 && (size_t)size < sizeof directory)
            result = directory_with_plugin(directory);
    }
    return result;
}

static char *in_plugin_path(void)
{
    const char *path = vz_os_environment("HDF5_PLUGIN_PATH");
    char *copy = strdup(path ? path : ""), *rest = copy, *result = NULL;
    for (char *each; copy && !result && (each = strsep(&rest, ":"));)
        result = *each ? directory_with_plugin(each) : NULL;
    free(copy);
    return result;
}

char *vz_plugin_directory(const char *given, vz_error *err)
{
    char *result = given ? directory_with_plugin(given) : beside_program();
    if (!result && !given)
        result = in_plugin_path();
    if (!result && given)
        vz_fail(err, VZ_NOT_FOUND, "there is no " PLUGIN_FILE " in %.300s", given);
    else if (!result)
        vz_fail(err, VZ_NOT_FOUND,
                "the plugin " PLUGIN_FILE
                " is neither beside this program nor in HDF5_PLUGIN_PATH: name its directory with "
                "--plugin");
    return result;
}

bool vz_library_looks_in(const char *plugin)
{
    unsigned count = 0;
    bool finds = false;
    if (H5PLsize(&count) < 0)
        return false;
    for (unsigned i = 0; i < count && !finds; i++) {
        char directory[PATH_MAX];
        char *own = H5PLget(i, directory, sizeof directory) >= 0 ? vz_os_realpath(directory, NULL) : NULL;
        finds = own && strcmp(own, plugin) == 0;
        free(own);
    }
    return finds;
}
