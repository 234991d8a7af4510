/* doctor_probe.c - a library is tried in a process of its own: code of others may crash, or not
 * come to an end. */
#include "command/doctor/doctor_internal.h"
#include "base/os/file.h"
#include "base/os/process.h"
#include "command/target/target.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRY_SECONDS       30
#define LOOK_MILLISECONDS 5

/* Wrong values of these are reported one by one. */
static void forget_options(void)
{
    static const char prefix[] = "VOL_ZARR_";
    char *const *variables = vz_os_environment_all();
    for (size_t i = 0; variables[i];) {
        char name[256];
        const size_t length = strcspn(variables[i], "=");
        if (strncmp(variables[i], prefix, sizeof prefix - 1) != 0 || length >= sizeof name) {
            i++;
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)length, variables[i]);
        vz_os_environment_unset(name); /* the next one moves here */
    }
}

static void try_here(const char *library, const char *plugin, const char *directory, vz_probe_result *probe)
{
    vz_os_environment_unset("HDF5_PLUGIN_PATH"); /* what is found is this plugin */
    vz_os_environment_unset("HDF5_PLUGIN_PRELOAD");
    vz_os_environment_unset("HDF5_DRIVER");
    forget_options();
    vz_probe_library(library, plugin, directory, probe);
    vz_os_exit(0);
}

static void try_in(const char *library, const char *plugin, const char *directory, vz_probe_result *shared)
{
    vz_os_ended ended = {0};
    const long child = vz_os_fork();
    if (child == 0)
        try_here(library, plugin, directory, shared);
    if (child < 0)
        snprintf(shared->why, sizeof shared->why, "no process can be started: %s", strerror(errno));
    else if (!vz_os_wait(child, TRY_SECONDS * 1000, LOOK_MILLISECONDS, &ended)) {
        vz_os_kill(child, &ended);
        snprintf(shared->why, sizeof shared->why, "it did not come to an end in %d s", TRY_SECONDS);
    } else if (ended.signal)
        snprintf(shared->why, sizeof shared->why, "it crashed: signal %d (%s)", ended.signal,
                 vz_os_signal_name(ended.signal));
    shared->works = shared->works && child > 0 && !ended.signal;
}

/* The Python package, in whose directory the plugin lies, lets the libraries of wheels beside it
 * know. */
static bool finds_by_package(const char *library, const char *plugin)
{
    static const char place[] = "/vol_zarr/plugin", module[] = "/_vol_zarr_auto.py";
    char site[PATH_MAX], file[PATH_MAX + sizeof module];
    if (!vz_os_realpath(plugin, site))
        return false;
    const size_t size = strlen(site), tail = sizeof place - 1;
    if (size <= tail || strcmp(site + size - tail, place) != 0)
        return false;
    site[size - tail] = 0;
    snprintf(file, sizeof file, "%s%s", site, module);
    return strncmp(library, site, size - tail) == 0 && library[size - tail] == '/' && vz_os_access(file, R_OK) == 0;
}

static void ignore_left(const char *directory, const char *mark, bool removed)
{
    (void)directory, (void)mark, (void)removed;
}

void vz_doctor_probe(const char *library, const char *plugin, vz_probe_result *probe)
{
    const char *temporary = vz_os_environment("TMPDIR"), *in = temporary && *temporary ? temporary : "/tmp";
    vz_error err = VZ_ERROR_NONE;
    vz_made place;
    *probe = (vz_probe_result){0};
    vz_probe_result *shared = vz_os_map_shared(sizeof *shared);
    if (!shared) {
        snprintf(probe->why, sizeof probe->why, "out of memory");
        return;
    }
    if (vz_made_temporary(&place, in, &err)) {
        vz_made_remove_left(in, ignore_left);
        try_in(library, plugin, place.partial, shared);
    } else {
        snprintf(shared->why, sizeof shared->why, "%.*s", (int)sizeof shared->why - 1, err.text);
    }
    vz_made_temporary_end(&place);
    *probe = *shared;
    probe->finds = probe->finds || finds_by_package(library, plugin);
    vz_os_unmap(shared, sizeof *shared);
}
