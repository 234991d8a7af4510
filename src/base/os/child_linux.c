/* child_linux.c - child processes: calls that only Linux has. */
#include "base/os/process_internal.h"
#include "base/os/process.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

int vz_os_pipe(int ends[2])
{
    return pipe2(ends, O_CLOEXEC);
}

bool vz_os_follow_parent(long parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        return false;        /* it was killed before that */
    signal(SIGINT, SIG_IGN); /* a terminal sends it to both */
    return true;
}
