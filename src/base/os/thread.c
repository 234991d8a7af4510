/* thread.c - see thread.h. */
#include "base/os/thread.h"
#include <signal.h>

#define STACK_SIZE_MIN ((size_t)2 << 20)

static void block_signals(sigset_t *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, before);
}

/* musl gives a thread 128 KiB, macOS 512 KiB. Only what is touched takes memory. */
static int start(pthread_t *thread, void *(*run)(void *argument), void *argument)
{
    pthread_attr_t attributes;
    size_t size = 0;
    int failed = pthread_attr_init(&attributes);
    if (failed)
        return failed;
    if (pthread_attr_getstacksize(&attributes, &size) == 0 && size < STACK_SIZE_MIN)
        pthread_attr_setstacksize(&attributes, STACK_SIZE_MIN);
    failed = pthread_create(thread, &attributes, run, argument);
    pthread_attr_destroy(&attributes);
    return failed;
}

int vz_os_thread_start(vz_os_thread *thread, void *(*run)(void *argument), void *argument)
{
    sigset_t before;
    block_signals(&before);
    const int failed = start(&thread->system, run, argument);
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
