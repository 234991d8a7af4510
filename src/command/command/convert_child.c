/* convert_child.c - two processes: one loads an HDF5 library and makes the copy, the first one
 * waits for it. */
#include "command/command/convert_internal.h"
#include "command/command/command_internal.h"
#include "base/os/terminal.h"
#include "command/convert/convert.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
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
    if (!vz_convert_copy(request, counts, err) || !task->verify)
        return err->class == VZ_OK;
    vz_convert_request again = *request;
    again.watch.note = NULL; /* the copy noted it */
    return vz_convert_verify(&again, &seen, err);
}

static void __attribute__((noreturn)) work_as_child(const vz_convert_task *task, const sigset_t *mask)
{
    vz_error err = VZ_ERROR_NONE;
    vz_convert_request request = task->request;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != task->parent)
        _exit(VZ_EXIT_FAILED); /* it was killed before that */
    signal(SIGINT, SIG_IGN);   /* a terminal sends it to both: the first process decides */
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

/* ---- two processes: this one waits ---- */

static const int stoppers[] = {SIGINT, SIGTERM, SIGHUP};

void vz_convert_block_signals(sigset_t *wanted, sigset_t *before)
{
    sigemptyset(wanted);
    sigaddset(wanted, SIGCHLD);
    for (size_t i = 0; i < sizeof stoppers / sizeof *stoppers; i++) {
        struct sigaction now;
        if (sigaction(stoppers[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(wanted, stoppers[i]);
    }
    sigprocmask(SIG_BLOCK, wanted, before);
}

/* The child's wait status. *stopped: a signal that ended it before its time, or 0. */
static int wait_for(pid_t child, const sigset_t *wanted, int *stopped)
{
    int status = 0;
    *stopped = 0;
    for (;;) {
        const int signal_number = sigwaitinfo(wanted, NULL);
        if (signal_number < 0 && errno == EINTR)
            continue;
        if (signal_number != SIGCHLD) {
            *stopped = signal_number < 0 ? SIGTERM : signal_number;
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return status;
        }
        if (waitpid(child, &status, WNOHANG) == child)
            return status;
    }
}

static vz_exit exit_of(int status)
{
    if (WIFEXITED(status))
        return (vz_exit)WEXITSTATUS(status);
    vz_say_error("the process that converts was ended by signal %d (%s): nothing was kept", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    return VZ_EXIT_FAILED;
}

vz_exit vz_convert_run(vz_convert_task *task, const sigset_t *wanted, const sigset_t *before)
{
    int stopped;
    task->parent = getpid();
    const pid_t child = fork();
    if (child == 0)
        work_as_child(task, before);
    if (child < 0) {
        vz_say_error("no process can be started: %s", strerror(errno));
        return VZ_EXIT_FAILED;
    }
    const int status = wait_for(child, wanted, &stopped);
    if (!stopped)
        return exit_of(status);
    signal(stopped, SIG_DFL);
    raise(stopped);
    return VZ_EXIT_FAILED;
}
