/* doctor_probe.c - a library is tried in a process of its own: code of others may crash, or not
 * come to an end. */
#include "command/command/subcommands_internal.h"
#include "base/os/environment.h"
#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRY_SECONDS         30
#define LOOK_MILLISECONDS   5
#define OPEN_WHILE_REMOVING 16 /* descriptors */

static int remove_entry(const char *path, const struct stat *is, int kind, struct FTW *where)
{
    (void)is, (void)kind, (void)where;
    return remove(path);
}

/* Wrong values of these are reported one by one. */
static void forget_options(void)
{
    static const char prefix[] = "VOL_ZARR_";
    for (size_t i = 0; environ[i];) {
        char name[256];
        const size_t length = strcspn(environ[i], "=");
        if (strncmp(environ[i], prefix, sizeof prefix - 1) != 0 || length >= sizeof name) {
            i++;
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)length, environ[i]);
        vz_os_environment_unset(name); /* the next one moves here */
    }
}

static void try_here(const char *library, const char *plugin, const char *directory, vz_library_probe *probe)
{
    vz_os_environment_unset("HDF5_PLUGIN_PATH"); /* what is found is this plugin */
    vz_os_environment_unset("HDF5_PLUGIN_PRELOAD");
    vz_os_environment_unset("HDF5_DRIVER");
    forget_options();
    vz_probe_library(library, plugin, directory, probe);
    _exit(0);
}

/* False: it did not end in time. */
static bool wait_for(pid_t child, int *status)
{
    for (int tries = 0; tries < TRY_SECONDS * 1000 / LOOK_MILLISECONDS; tries++) {
        const pid_t ended = waitpid(child, status, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR))
            return true;
        poll(NULL, 0, LOOK_MILLISECONDS);
    }
    kill(child, SIGKILL);
    waitpid(child, status, 0);
    return false;
}

static void try_in(const char *library, const char *plugin, const char *directory, vz_library_probe *shared)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0)
        try_here(library, plugin, directory, shared);
    if (child < 0)
        snprintf(shared->why, sizeof shared->why, "no process can be started: %s", strerror(errno));
    else if (!wait_for(child, &status))
        snprintf(shared->why, sizeof shared->why, "it did not come to an end in %d s", TRY_SECONDS);
    else if (WIFSIGNALED(status))
        snprintf(shared->why, sizeof shared->why, "it crashed: signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    shared->works = shared->works && child > 0 && WIFEXITED(status);
}

void vz_doctor_probe(const char *library, const char *plugin, vz_library_probe *probe)
{
    const char *temporary = vz_os_environment("TMPDIR");
    char directory[4096];
    snprintf(directory, sizeof directory, "%s/h5zarr-doctor-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    *probe = (vz_library_probe){0};
    vz_library_probe *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        snprintf(probe->why, sizeof probe->why, "out of memory");
        return;
    }
    if (mkdtemp(directory)) {
        try_in(library, plugin, directory, shared);
        nftw(directory, remove_entry, OPEN_WHILE_REMOVING, FTW_DEPTH | FTW_PHYS);
    } else
        snprintf(shared->why, sizeof shared->why, "no temporary directory: %s", strerror(errno));
    *probe = *shared;
    munmap(shared, sizeof *shared);
}
