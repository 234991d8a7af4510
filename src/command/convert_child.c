/* convert_child.c - an HDF5 library is loaded, and the copy made. */
#include "command/convert_child.h"
#include "command/progress.h"
#include "command/say.h"
#include "convert/library.h"
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static vz_progress *bar;

static void begin(void *context, const char *what, uint64_t bytes)
{
    (void)context;
    bar = vz_progress_begin(what, bytes);
}

static void done(void *context, uint64_t bytes)
{
    (void)context;
    vz_progress_add(bar, bytes);
}

static void end(void *context)
{
    (void)context;
    vz_progress_end(bar);
    bar = NULL;
}

static void note(void *context, const char *object, const char *text)
{
    (void)context;
    vz_progress_hide(bar);
    vz_say_error("note: %s%s%s", object ? object : "", object ? ": " : "", text);
}

static bool load(const vz_convert_task *task, vz_error *err)
{
    vz_libraries found = {0};
    vz_library_version version;
    const char *file;
    char *plugin = vz_plugin_directory(task->plugin, err);
    const bool ok = plugin && vz_libraries_find(task->library, &found, err) &&
                    vz_library_load_first(&found, &file, &version, err) && vz_convert_register(plugin, err);
    vz_libraries_clear(&found);
    free(plugin);
    return ok;
}

static bool work(const vz_convert_request *request, const vz_convert_task *task, vz_error *err)
{
    vz_convert_counts *counts = &task->result->counts, seen;
    if (task->dry_run)
        return vz_convert_survey(request, counts, err);
    if (task->compare)
        return vz_convert_verify(request, counts, err);
    return vz_convert_copy(request, counts, err) && (!task->verify || vz_convert_verify(request, &seen, err));
}

void vz_convert_child(const vz_convert_task *task, const sigset_t *mask)
{
    vz_error err = VZ_ERROR_NONE;
    vz_convert_request request = task->request;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN); /* a terminal sends it to both: the first process decides */
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (!task->quiet)
        request.watch = (vz_convert_watch){.begin = begin, .done = done, .end = end, .note = note};
    if (!task->quiet && !vz_terminal_is(stderr))
        request.watch.begin = NULL; /* nobody looks: what there is to do is not counted first */
    const bool ok = load(task, &err) && work(&request, task, &err);
    vz_progress_end(bar);
    const vz_exit status = ok ? VZ_EXIT_FINE : vz_say_failure(&err, NULL);
    fflush(stdout);
    _exit(status); /* no library is asked to clean up: all that counts is closed */
}
