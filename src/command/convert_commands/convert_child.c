/* convert_child.c - two processes: one loads an HDF5 library and makes the copy, the first one
 * waits for it. */
#include "command/convert_commands/convert_child_internal.h"
#include "command/command/command.h"
#include "base/os/process.h"
#include "base/os/file.h"
#include "base/os/terminal.h"
#include "command/convert/convert.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

void vz_child_hide_bar(void)
{
    vz_progress_hide(bar);
}

static bool load(const vz_child_task *task, vz_error *err)
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

static bool work(const vz_convert_request *request, const vz_child_task *task, vz_error *err)
{
    vz_convert_counts *counts = &task->result->counts, seen;
    if (task->comparing)
        return vz_convert_compare(request, task->comparing, counts, err);
    if (task->dry_run)
        return vz_convert_survey(request, counts, err);
    if (task->compare)
        return vz_convert_verify(request, counts, err);
    if (!vz_convert_copy(request, counts, err) || !task->verify)
        return err->class == VZ_OK;
    vz_convert_request again = *request;
    again.watch.note = NULL; /* the copy noted it */
    return vz_convert_verify(&again, &seen, err);
}

static void __attribute__((noreturn)) work_as_child(const vz_child_task *task, const vz_os_signals *signals)
{
    vz_error err = VZ_ERROR_NONE;
    vz_convert_request request = task->request;
    if (!vz_os_follow_parent(task->parent))
        vz_os_exit(VZ_EXIT_FAILED);
    vz_os_signals_restore(signals);
    if (!task->quiet)
        request.watch = (vz_convert_watch){.begin = begin, .done = done, .end = end, .note = note};
    if (!task->quiet && !vz_terminal_is(stderr))
        request.watch.begin = NULL; /* nobody looks: what there is to do is not counted first */
    const bool ok = load(task, &err) && work(&request, task, &err);
    vz_progress_end(bar);
    const vz_exit status = ok ? VZ_EXIT_FINE : vz_say_failure(&err, NULL);
    fflush(stdout);
    vz_os_exit(status); /* no library is asked to clean up: all that counts is closed */
}

/* ---- two processes: this one waits ---- */

static vz_exit exit_of(const vz_os_ended *ended)
{
    if (!ended->signal)
        return (vz_exit)ended->status;
    vz_say_error("the process that converts was ended by signal %d (%s): nothing was kept", ended->signal,
                 vz_os_signal_name(ended->signal));
    return VZ_EXIT_FAILED;
}

vz_exit vz_child_run(vz_child_task *task, const vz_os_signals *signals)
{
    vz_os_ended ended = {0};
    task->parent = vz_process_id();
    const long child = vz_os_fork();
    if (child == 0)
        work_as_child(task, signals);
    if (child < 0) {
        vz_say_error("no process can be started: %s", strerror(errno));
        return VZ_EXIT_FAILED;
    }
    const int stopped = vz_os_signals_wait(signals, child, &ended);
    if (!stopped)
        return exit_of(&ended);
    vz_os_raise(stopped);
    return VZ_EXIT_FAILED;
}
