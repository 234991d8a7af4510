/* load_net_module.c - see remote_internal.h. The module lies beside the plugin; the command h5zarr,
 * which lies elsewhere, looks where HDF5 would look for the plugin, too. A second HDF5 library of a
 * process has a copy of the plugin that lies nowhere: it looks beside the first one. */
#include "remote/protocol/remote_internal.h"
#include <limits.h>
#include "base/os/file.h"
#include "base/os/process.h"
#include "base/os/library.h"
#include "base/os/thread.h"
#include <stdio.h>
#include <stdlib.h>

#define PLUGIN "libH5VLzarr.so"

static vz_os_mutex lock = VZ_OS_MUTEX_INIT;
static const vz_net_functions *_Atomic loaded;

void vz_remote_set_net(const vz_net_functions *functions)
{
    loaded = functions;
}

/* `why` keeps what the loader says of the first file that is there. */
static void *open_in(const char *directory, size_t length, const char *below, char *why, size_t why_size)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%.*s%s/" VZ_NET_MODULE, (int)length, directory, below) >= (int)sizeof path)
        return NULL;
    void *module = vz_os_library_open(path, VZ_OS_LIBRARY_STAYS);
    const char *said = module ? NULL : vz_os_library_error();
    if (said && !*why && !vz_os_library_says_missing(said))
        snprintf(why, why_size, "%s", said);
    return module;
}

static void *open_beside_file(const char *file, char *why, size_t why_size)
{
    static const char *const below[] = {"", VZ_PLUGIN_PLACE, "/../plugin", "/../lib/hdf5/plugin"};
    void *module = NULL;
    const char *slash = strrchr(file, '/');
    for (size_t i = 0; slash && !module && i < sizeof below / sizeof *below; i++)
        module = open_in(file, (size_t)(slash - file), below[i], why, why_size);
    return module;
}

/* Beside the file that has this code: the plugin, or a program. A program has the plugin's
 * directory where an installation puts it (VZ_PLUGIN_PLACE), a build and a wheel do, or conda does.
 * A program that was found by PATH is known by a bare name, and a symbolic link stands elsewhere
 * than its file. */
static void *open_beside(char *why, size_t why_size)
{
    char program[PATH_MAX];
    vz_error ignored = VZ_ERROR_NONE;
    const char *file = vz_os_library_of(&lock);
    if (!file || !strchr(file, '/')) {
        const ssize_t size = vz_os_program(program, sizeof program - 1);
        if (size < 0)
            return NULL;
        program[size] = '\0';
        return open_beside_file(program, why, why_size);
    }
    void *module = open_beside_file(file, why, why_size);
    char *resolved = module ? NULL : vz_os_path_resolve(file, &ignored);
    if (resolved)
        module = open_beside_file(resolved, why, why_size);
    free(resolved);
    return module;
}

static void *open_beside_first(char *why, size_t why_size)
{
    char path[PATH_MAX];
    if (!vz_os_library_find(PLUGIN, path, sizeof path))
        return NULL;
    return open_in(path, (size_t)(strrchr(path, '/') - path), "", why, why_size);
}

static void *open_on_path(char *why, size_t why_size)
{
    const char *path = vz_os_environment_trusted("HDF5_PLUGIN_PATH");
    void *module = NULL;
    while (path && *path && !module) {
        const size_t length = strcspn(path, ":");
        if (length > 0)
            module = open_in(path, length, "", why, why_size);
        path += length + (path[length] == ':');
    }
    return module;
}

static const vz_net_functions *load(vz_error *err)
{
    char why[256] = "";
    void *module = open_beside(why, sizeof why);
    if (!module)
        module = open_beside_first(why, sizeof why);
    if (!module)
        module = open_on_path(why, sizeof why);
    if (!module) {
        vz_fail(err, VZ_UNSUPPORTED, "remote stores: the module " VZ_NET_MODULE " %s%s",
                *why ? "cannot be loaded: " : "is not beside the plugin", why);
        return NULL;
    }
    const vz_net_entry entry = (vz_net_entry)vz_os_library_symbol(module, VZ_NET_ENTRY);
    const vz_net_functions *functions = entry ? entry(VZ_NET_VERSION) : NULL;
    if (functions && functions->version == VZ_NET_VERSION && functions->request_size == sizeof(vz_net_request))
        return functions;
    vz_fail(err, VZ_UNSUPPORTED, "remote stores: the module " VZ_NET_MODULE " is of another version than the plugin");
    return NULL;
}

const vz_net_functions *vz_remote_net(vz_error *err)
{
    const vz_net_functions *functions = loaded;
    if (functions)
        return functions;
    vz_os_mutex_lock(&lock);
    if (!(functions = loaded))
        loaded = functions = load(err);
    vz_os_mutex_unlock(&lock);
    return functions;
}
