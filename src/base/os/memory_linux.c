/* memory_linux.c - large pages. */
#include "base/os/mapping.h"
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void vz_os_ask_large_pages(void *memory, size_t size)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = ((uintptr_t)memory + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)memory + size) / page * page, middle = start + (end - start) / 2 / page * page;
    unsigned char is_there;
    if (start < end && mincore((void *)middle, page, &is_there) == 0 && !(is_there & 1))
        madvise((void *)start, end - start, MADV_HUGEPAGE);
#else
    (void)memory, (void)size;
#endif
}
