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

int vz_os_thread_start(vz_os_thread *thread, void *(*run)(void *argument), void *argument)
{
    sigset_t before;
    block_signals(&before);
    const int failed = pthread_create(&thread->system, NULL, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

void vz_os_thread_join(vz_os_thread thread)
{
    pthread_join(thread.system, NULL);
}

bool vz_os_thread_is_current(vz_os_thread thread)
{
    return pthread_equal(pthread_self(), thread.system);
}

bool vz_os_thread_slot_init(vz_os_thread_slot *slot, void (*release)(void *value))
{
    return pthread_key_create(&slot->system, release) == 0;
}

void *vz_os_thread_slot_get(vz_os_thread_slot slot)
{
    return pthread_getspecific(slot.system);
}

bool vz_os_thread_slot_set(vz_os_thread_slot slot, void *value)
{
    return pthread_setspecific(slot.system, value) == 0;
}

void vz_os_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
    pthread_atfork(before, in_parent, in_child);
}
