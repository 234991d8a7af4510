/* memory.c - pages that forked processes share. */
#include "base/os/file.h"
#include <sys/mman.h>

void *vz_os_map_shared(size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

void vz_os_unmap(void *pages, size_t size)
{
    if (pages)
        munmap(pages, size);
}
