/* process_linux.c - descriptors of processes, and pages that a fork wipes. */
#include "base/os/process_internal.h"
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int vz_os_process_watch(long id)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, (pid_t)id, 0);
#else
    (void)id;
    return -1;
#endif
}

/* Signal 0 asks and does nothing. */
bool vz_os_process_is_watched(int descriptor)
{
#ifdef SYS_pidfd_send_signal
    return descriptor >= 0 && (syscall(SYS_pidfd_send_signal, descriptor, 0, NULL, 0) == 0 || errno == ESRCH);
#else
    (void)descriptor;
    return false;
#endif
}

void *vz_os_map_wiped_by_fork(size_t size)
{
#ifdef MADV_WIPEONFORK
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return NULL;
    if (madvise(page, size, MADV_WIPEONFORK) == 0)
        return page;
    munmap(page, size);
#else
    (void)size;
#endif
    return NULL;
}
