/* thread.c - see thread.h. */
#include "base/os/thread.h"
#include <signal.h>

static void block_signals(sigset_t *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, before);
}

bool vz_thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument)
{
    sigset_t before;
    block_signals(&before);
    const bool ok = pthread_create(thread, NULL, run, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}
