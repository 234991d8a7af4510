/* memory.c - pages that forked processes share; files as memory; a bound on what a process
 * takes. */
#include "base/os/file.h"
#include "base/os/mapping.h"
#include "base/os/memory_limit.h"
#include <sys/mman.h>
#include <sys/resource.h>

void *vz_os_map_shared(size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

const void *vz_os_map_file(int file, size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

void vz_os_unmap(void *pages, size_t size)
{
    if (pages)
        munmap(pages, size);
}

bool vz_os_memory_limit(uint64_t bytes)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__APPLE__)
    (void)bytes; /* macOS takes the number, and holds nobody to it */
    return false;
#else
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) != 0)
        return false;
    if (limit.rlim_max == RLIM_INFINITY || bytes < limit.rlim_max)
        limit.rlim_max = bytes;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_DATA, &limit) == 0;
#endif
}
