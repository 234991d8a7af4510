/* buffer.c - memory between guard pages; what lies between them and the elements is compared. */
#include "run.h"

#include <sys/mman.h>
#include <unistd.h>

enum { AROUND = 0x5a };

void buffer_open(buffer *b, size_t used, bool at_end)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    b->used = used;
    b->size = (used / page + 1) * page;
    b->pages = mmap(NULL, b->size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (b->pages == MAP_FAILED || mprotect(b->pages + page, b->size, PROT_READ | PROT_WRITE) != 0)
        abort();
    memset(b->pages + page, AROUND, b->size);
    b->bytes = b->pages + page + (at_end ? b->size - used : 0);
}

void buffer_close(buffer *b)
{
    munmap(b->pages, b->size + 2 * (size_t)sysconf(_SC_PAGESIZE));
}

bool buffer_is_whole(const buffer *b)
{
    const char *from = b->pages + (size_t)sysconf(_SC_PAGESIZE);
    for (const char *at = from; at < from + b->size; at++)
        if ((at < b->bytes || at >= b->bytes + b->used) && *at != AROUND)
            return false;
    return true;
}
