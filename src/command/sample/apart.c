/* apart.c - a process that reads, and one that waits for it. */
#include "base/os/file.h"
#include "base/os/memory_limit.h"
#include "base/os/process.h"
#include "command/sample/sample.h"
#include <errno.h>
#include <stdio.h>

static void __attribute__((noreturn))
work_as_child(int (*work)(void *context), void *context, long parent, const vz_os_signals *signals)
{
    if (!vz_os_follow_parent(parent))
        vz_os_exit(1);
    vz_os_signals_restore(signals);
    vz_os_memory_limit(VZ_SAMPLE_MEMORY_MAX); /* where that is possible */
    const int status = work(context);
    fflush(stdout);
    vz_os_exit(status); /* no library is asked to clean up: nothing was written */
}

bool vz_sample_apart(int (*work)(void *context), void *context, int *status, vz_error *err)
{
    vz_os_signals signals;
    vz_os_ended ended = {0};
    fflush(stdout);
    vz_os_signals_hold(&signals);
    const long parent = vz_process_id(), child = vz_os_fork();
    if (child == 0)
        work_as_child(work, context, parent, &signals);
    const int failed = errno, stopped = child < 0 ? 0 : vz_os_signals_wait(&signals, child, &ended);
    if (stopped)
        vz_os_raise(stopped);
    vz_os_signals_restore(&signals);
    *status = ended.status;
    if (child < 0)
        return vz_fail_errno(err, failed, "no process can be started");
    return (!stopped && !ended.signal) || vz_fail(err, VZ_IO, "the process that reads was ended by signal %d (%s)",
                                                  ended.signal, vz_os_signal_name(ended.signal));
}
