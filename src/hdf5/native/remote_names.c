/* remote_names.c - where names in HDF5 files on servers lead: external links and virtual sources.
 * HDF5 opens the files that they name by itself, with a driver that asks here. */
#include "hdf5/native/remote_internal.h"
#include "base/util/c_library.h"
#include "base/os/process.h"
#include "store/store/kind.h"
#include <stdio.h>
#include <stdlib.h>

#define MISSING_MAX_NS 500000000 /* somebody may wait for it to be made */

vz_named vz_native_remote_named(const vz_native_remote *remote, const char *name)
{
    return (vz_named){.by = VZ_NAMER_REMOTE_STORE,
                      .name = name,
                      .store = remote->name,
                      .links = remote->options.links,
                      .as = &remote->asked_as};
}

/* Beside the file that has the name: its own query is none of the neighbour's. */
static char *beside(const char *file, const char *name)
{
    char *text = NULL;
    const size_t length = strcspn(file, "?");
    const char *slash = vz_find_last(file, '/', length);
    const int directory = slash ? (int)(slash + 1 - file) : 0;
    return asprintf(&text, "%.*s%s", directory, file, name) < 0 ? NULL : text;
}

static void say_what_is_there(const vz_path_result *found, vz_error *why)
{
    if (vz_path_result_kind(found) == VZ_PATH_ZARR)
        vz_error_set(why, VZ_UNSUPPORTED, "a name in an HDF5 file that leads to a Zarr store, which HDF5 cannot open");
    else if (vz_path_result_kind(found) != VZ_PATH_MISSING && vz_path_result_is_elsewhere(found))
        *why = *vz_path_result_why(found);
    if (why->class == VZ_OK && vz_path_result_kind(found) == VZ_PATH_OTHER)
        vz_error_set(why, VZ_IO, "cannot find out what is there");
}

static vz_native_remote *find(const vz_native_remote *from, const char *text, const vz_named *named, vz_error *why)
{
    vz_native_remote *remote = NULL;
    vz_path_allow(&from->options);
    vz_path_result *found = vz_path_find_named(text, named, why);
    if (found && named->refused->class != VZ_OK)
        *why = *named->refused;
    else if (found && vz_path_result_kind(found) == VZ_PATH_HDF5 && vz_path_result_is_elsewhere(found))
        remote = vz_native_remote_new(found, &from->options, from, why);
    else if (found)
        say_what_is_there(found, why);
    vz_path_result_free(found);
    return remote;
}

/* HDF5 looks for a name at several places, which mostly are one. */
static bool is_missing(const vz_native_remote *from, const char *whole)
{
    return from->missing && strcmp(from->missing, whole) == 0 && vz_os_now_ns() - from->missing_ns < MISSING_MAX_NS;
}

static void remember_missing(vz_native_remote *from, char *whole)
{
    free(from->missing);
    from->missing = whole;
    from->missing_ns = vz_os_now_ns();
}

vz_native_remote *vz_native_remote_follow(vz_native_remote *from, const char *name, vz_error *why)
{
    vz_error refused = VZ_ERROR_NONE;
    vz_named named = vz_native_remote_named(from, name);
    named.refused = &refused;
    char *text = *name == '/' || vz_location_is_url(name) ? strdup(name) : beside(from->name, name);
    if (!text) {
        vz_fail_memory(why);
        return NULL;
    }
    char *whole = vz_path_whole_name(text);
    vz_native_remote *remote = whole ? vz_native_remote_known(from, whole) : NULL;
    const bool looks = !remote && (!whole || !is_missing(from, whole));
    if (looks)
        remote = find(from, text, &named, why);
    free(text);
    if (looks && !remote && whole && why->class == VZ_OK)
        remember_missing(from, whole);
    else
        free(whole);
    return remote;
}
