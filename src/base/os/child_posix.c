/* child_posix.c - child processes where the system has no more than POSIX. */
#include "base/os/process_internal.h"
#include "base/os/process.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#define LOOK_US 100000

/* Between both calls another thread may start a program, which then has the descriptors, too. */
int vz_os_pipe(int ends[2])
{
    if (pipe(ends) != 0)
        return -1;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
}

static long followed;

static void *follow(void *nothing)
{
    while (getppid() == followed)
        vz_os_sleep_us(LOOK_US);
    raise(SIGKILL);
    return nothing;
}

bool vz_os_follow_parent(long parent)
{
    pthread_t thread;
    followed = parent;
    if (getppid() != parent || pthread_create(&thread, NULL, follow, NULL) != 0)
        return false;
    pthread_detach(thread);
    signal(SIGINT, SIG_IGN); /* a terminal sends it to both */
    return true;
}
