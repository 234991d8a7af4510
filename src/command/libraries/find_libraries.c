/* find_libraries.c - where HDF5 libraries are looked for. */
#include "command/libraries/libraries_internal.h"
#include "base/os/file.h"
#include "base/os/process.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of C libraries of HDF5: Debian's serial build has its own name, wheels for Linux put a
 * hash into theirs. */
#if defined(__APPLE__)
#define SEARCH_PATH "DYLD_LIBRARY_PATH"
static const char *const names[] = {"libhdf5.dylib", "libhdf5.[0-9]*.dylib"};
#else
#define SEARCH_PATH "LD_LIBRARY_PATH"
static const char *const names[] = {"libhdf5.so*", "libhdf5_serial.so*", "libhdf5-*.so*"};
#endif

static const char *const system_directories[] = {
#if defined(__APPLE__)
    "/opt/homebrew/lib",    "/opt/local/lib",
#endif
    "/usr/local/lib",       "/usr/local/lib64",       "/usr/local/hdf5/lib", "/opt/hdf5*/lib",
    "/usr/lib/*-linux-gnu", "/usr/lib/*/hdf5/serial", "/usr/lib64",          "/usr/lib",
};

static bool add_directory(vz_libraries *found, const char *directory, const char *where, vz_error *err)
{
    char pattern[PATH_MAX];
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof names / sizeof *names; i++) {
        const int length = snprintf(pattern, sizeof pattern, "%s/%s", directory, names[i]);
        if (length > 0 && (size_t)length < sizeof pattern)
            ok = vz_libraries_add_matches(found, pattern, where, err);
    }
    return ok;
}

static bool add_below(vz_libraries *found, const char *prefix, const char *where, vz_error *err)
{
    char directory[PATH_MAX];
    bool ok = true;
    for (int wide = 0; ok && wide < 2; wide++) {
        const int length = snprintf(directory, sizeof directory, "%s/%s", prefix, wide ? "lib64" : "lib");
        if (length > 0 && (size_t)length < sizeof directory)
            ok = add_directory(found, directory, where, err);
    }
    return ok;
}

static bool add_given(vz_libraries *found, const char *given, vz_error *err)
{
    char real[PATH_MAX];
    if (!vz_os_realpath(given, real))
        return vz_fail(err, VZ_NOT_FOUND, "there is no HDF5 library %.300s", given);
    if (!add_below(found, real, "given", err) || (found->count == 0 && !add_directory(found, real, "given", err)))
        return false;
    if (found->count > 0)
        return true;
    struct stat is;
    if (vz_os_stat(real, &is) == 0 && S_ISDIR(is.st_mode))
        return vz_fail(err, VZ_NOT_FOUND, "there is no HDF5 library in %.300s", given);
    return vz_libraries_add(found, real, "given", err);
}

static bool add_search_path(vz_libraries *found, vz_error *err)
{
    const char *path = vz_os_environment(SEARCH_PATH);
    char *copy = strdup(path ? path : "");
    if (!copy)
        return vz_fail_memory(err);
    bool ok = true;
    char *rest = copy;
    for (char *each; ok && (each = strsep(&rest, ":"));)
        ok = !*each || add_directory(found, each, SEARCH_PATH, err);
    free(copy);
    return ok;
}

static bool add_prefix_of(vz_libraries *found, const char *variable, const char *where, vz_error *err)
{
    const char *prefix = vz_os_environment(variable);
    return !prefix || !*prefix || add_below(found, prefix, where, err);
}

static bool add_system(vz_libraries *found, vz_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof system_directories / sizeof *system_directories; i++)
        ok = add_directory(found, system_directories[i], "system", err);
    return ok;
}

bool vz_libraries_find(const char *given, vz_libraries *found, vz_error *err)
{
    *found = (vz_libraries){0};
    if (!given)
        given = vz_os_environment("VOL_ZARR_HDF5");
    if (given && *given)
        return add_given(found, given, err);
    return add_search_path(found, err) && add_prefix_of(found, "HDF5_ROOT", "HDF5_ROOT", err) &&
           add_prefix_of(found, "HDF5_DIR", "HDF5_DIR", err) && add_prefix_of(found, "CONDA_PREFIX", "conda", err) &&
           add_system(found, err) && vz_libraries_add_python(found, err);
}
