/* child_linux.c - child processes: a call that only Linux has. */
#include "base/os/process.h"
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

bool vz_os_follow_parent(long parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        return false;        /* it was killed before that */
    signal(SIGINT, SIG_IGN); /* a terminal sends it to both */
    return true;
}
