/* doctor_filters.c - HDF5 looks for filters in HDF5_PLUGIN_PATH and then not in its own directory.
 * netCDF4's wheel sets the variable to its own filters, unless it was set before. */
#include "command/doctor/doctor_internal.h"
#include "base/os/file.h"
#include "base/os/process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <limits.h>

/* Directories that are looked at without the variable, from the place of a library. */
static const struct place {
    const char *from;    /* a part of the library's path; what follows it is left out */
    const char *filters; /* below what is before it */
} places[] = {
    {"/netCDF4.libs/", "/netCDF4/plugins"},
    {"/netcdf4.libs/", "/netCDF4/plugins"},
    {"/netCDF4/.dylibs/", "/netCDF4/plugins"}, /* of macOS */
    {"/lib/", "/lib/hdf5/plugin"},
    {"/lib/", "/hdf5/lib/plugin"},
};

static bool has_plugins(const char *directory)
{
    char pattern[PATH_MAX];
    vz_os_matches matches;
    const int length = snprintf(pattern, sizeof pattern, "%s/lib*.[ds][oy]*", directory);
    if (length < 0 || (size_t)length >= sizeof pattern)
        return false;
    const bool has = vz_os_glob(pattern, &matches) == 0 && matches.count > 0;
    vz_os_glob_free(&matches);
    return has;
}

static bool is_named(const char *path, const char *directory)
{
    struct stat wanted, is;
    char *copy = strdup(path), *rest = copy;
    bool named = false;
    const bool there = vz_os_stat(directory, &wanted) == 0;
    for (char *each; copy && there && !named && (each = strsep(&rest, ":"));)
        named = *each && vz_os_stat(each, &is) == 0 && vz_os_file_is_same(&is, &wanted);
    free(copy);
    return named;
}

static void look_at(const char *directory, const char *whose, const char *path, bool is_set, vz_doctor_advices *advices)
{
    char type[512];
    if (!has_plugins(directory) || is_named(path, directory))
        return;
    for (size_t i = 0; i < advices->count; i++)
        if (strstr(advices->items[i].text, directory))
            return; /* another library leads there, too */
    snprintf(type, sizeof type, "export HDF5_PLUGIN_PATH=$HDF5_PLUGIN_PATH:%.400s", directory);
    vz_doctor_advise(advices, is_set, "HDF5_PLUGIN_PATH", type, "%s the filters in %.300s (%.100s)",
                     is_set ? "hides" : "would hide, once it is set,", directory, whose);
}

/* Where the variable is not set, what is advised to type would hide them. */
void vz_doctor_filters(const char *plugin, bool is_needed, const vz_libraries *libraries, vz_doctor_advices *advices)
{
    const char *set = vz_os_environment("HDF5_PLUGIN_PATH"), *path = set && *set ? set : plugin;
    if (path != set && !is_needed)
        return;
    look_at("/usr/local/hdf5/lib/plugin", "HDF5's own directory", path, path == set, advices);
    for (size_t i = 0; i < libraries->count; i++) {
        const char *file = libraries->items[i].file;
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            char directory[PATH_MAX];
            const char *at = strstr(file, places[p].from);
            const int length =
                at ? snprintf(directory, sizeof directory, "%.*s%s", (int)(at - file), file, places[p].filters) : 0;
            if (length > 0 && (size_t)length < sizeof directory)
                look_at(directory, libraries->items[i].where, path, path == set, advices);
        }
    }
}
