/* find_python_libraries.c - the HDF5 libraries that h5py's, netCDF4's and PyTables' wheels carry,
 * in the Python that a shell here would start. No Python is run: its directories are known. */
#include "command/libraries/libraries_internal.h"
#include "base/os/file.h"
#include "base/os/process.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const site_directories[] = {
    "lib/python3*/site-packages",
    "lib64/python3*/site-packages",
    "lib/python3*/dist-packages",
    "local/lib/python3*/dist-packages",
};

/* auditwheel puts the libraries of a package into PACKAGE.libs beside it, delocate of macOS into
 * PACKAGE/.dylibs. */
static const struct wheel {
    const char *libraries; /* a pattern */
    const char *package;
} wheels[] = {
#if defined(__APPLE__)
    {"h5py/.dylibs/libhdf5.[0-9]*.dylib", "h5py"},
    {"netCDF4/.dylibs/libhdf5.[0-9]*.dylib", "netCDF4"},
    {"tables/.dylibs/libhdf5.[0-9]*.dylib", "PyTables"},
    {"*/.dylibs/libhdf5.[0-9]*.dylib", "a wheel"},
#else
    {"h5py.libs/libhdf5-*.so*", "h5py"},
    {"[nN]et[cC][dD][fF]4.libs/libhdf5-*.so*", "netCDF4"},
    {"tables.libs/libhdf5-*.so*", "PyTables"},
    {"*.libs/libhdf5-*.so*", "a wheel"},
#endif
};

static bool add_site(vz_libraries *found, const char *prefix, const char *site, vz_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof wheels / sizeof *wheels; i++) {
        char pattern[PATH_MAX], where[PATH_MAX];
        const int length = snprintf(pattern, sizeof pattern, "%s/%s/%s", prefix, site, wheels[i].libraries);
        snprintf(where, sizeof where, "%s in %.3000s", wheels[i].package, prefix);
        if (length > 0 && (size_t)length < sizeof pattern)
            ok = vz_libraries_add_matches(found, pattern, where, err);
    }
    return ok;
}

static bool add_prefix(vz_libraries *found, const char *prefix, vz_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof site_directories / sizeof *site_directories; i++)
        ok = add_site(found, prefix, site_directories[i], err);
    return ok;
}

/* The prefix of a program PREFIX/bin/python3. */
static bool add_prefix_of(vz_libraries *found, char *program, vz_error *err)
{
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(program, '/');
        if (!slash || slash == program)
            return true;
        *slash = '\0';
    }
    return add_prefix(found, program, err);
}

/* The first python3 of PATH as it is called, which is a virtual environment's, and what it leads
 * to. */
static bool add_from_path(vz_libraries *found, vz_error *err)
{
    const char *path = vz_os_environment("PATH");
    char *copy = strdup(path ? path : "");
    if (!copy)
        return vz_fail_memory(err);
    bool ok = true;
    char *rest = copy;
    for (char *each; ok && (each = strsep(&rest, ":"));) {
        char program[PATH_MAX], real[PATH_MAX];
        const int length = snprintf(program, sizeof program, "%s/python3", each);
        if (length <= 0 || (size_t)length >= sizeof program || vz_os_access(program, X_OK) != 0)
            continue;
        const bool resolved = vz_os_realpath(program, real) != NULL;
        ok = add_prefix_of(found, program, err) && (!resolved || add_prefix_of(found, real, err));
        break;
    }
    free(copy);
    return ok;
}

static bool add_home(vz_libraries *found, vz_error *err)
{
    char prefix[PATH_MAX];
    const char *home = vz_os_environment("HOME");
    const int length = home ? snprintf(prefix, sizeof prefix, "%s/.local", home) : 0;
    return length <= 0 || (size_t)length >= sizeof prefix || add_prefix(found, prefix, err);
}

bool vz_libraries_add_python(vz_libraries *found, vz_error *err)
{
    static const char *const variables[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof variables / sizeof *variables; i++) {
        const char *prefix = vz_os_environment(variables[i]);
        ok = !prefix || !*prefix || add_prefix(found, prefix, err);
    }
    return ok && add_from_path(found, err) && add_home(found, err) && add_prefix(found, "/usr/local", err) &&
           add_prefix(found, "/usr", err);
}
