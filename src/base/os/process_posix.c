/* process_posix.c - processes where the system has no more than POSIX. */
#include "base/os/process_internal.h"

int vz_os_process_watch(long id)
{
    (void)id;
    return -1;
}

bool vz_os_process_is_watched(int descriptor)
{
    (void)descriptor;
    return false;
}

void *vz_os_map_wiped_by_fork(size_t size)
{
    (void)size;
    return NULL;
}
