/* memory_posix.c - large pages, which POSIX does not know. */
#include "base/os/mapping.h"

void vz_os_ask_large_pages(void *memory, size_t size)
{
    (void)memory, (void)size;
}
