/* zero_pages.c - zeros that many may read and that take no memory: pages that nobody has written
 * to. */
#include "base/util/memory_budget.h"
#include "base/util/bytes.h"
#include <pthread.h>
#include <sys/mman.h>

static const uint8_t *zeros;

static void map_zeros(void)
{
    void *pages = mmap(NULL, VZ_DTYPE_MAX_SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    zeros = pages == MAP_FAILED ? NULL : pages;
}

const uint8_t *vz_zeros(size_t size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, map_zeros);
    return size <= VZ_DTYPE_MAX_SIZE ? zeros : NULL;
}
