/* cpu_affinity_posix.c - processors where no process is held to some of them. */
#include "base/os/thread_internal.h"
#include <unistd.h>

unsigned vz_os_affinity_count(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}
