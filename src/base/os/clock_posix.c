/* clock_posix.c - the clock of the file systems, which POSIX does not name; see process.h. */
#include "base/os/process.h"

/* A tick of the kernel at most, on systems that keep the dates of files by ticks. */
#define TICK_NS 10000000

struct timespec vz_os_file_date(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_nsec -= TICK_NS;
    if (now.tv_nsec < 0) {
        now.tv_nsec += VZ_OS_NS_PER_S;
        now.tv_sec--;
    }
    return now;
}
