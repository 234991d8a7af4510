/* blosc_heap.c - fills the thread's cache of small pieces of memory. */
#include "codec/codec/blosc_internal.h"
#include <stdlib.h>

/* decoded bytes from which on what is allocated for a chunk is worth it */
#define LARGE       ((size_t)1 << 18)
#define CACHE_DEPTH 7 /* pieces of each size that glibc keeps for a thread */

void vz_blosc_heap_ready(size_t size)
{
    static const size_t pieces[] = {40, 56, 72}; /* with the heap's own 8 bytes: what is cut off at
                                                  * an alignment of 32 */
    enum { SIZES = sizeof pieces / sizeof *pieces };
    void *volatile taken[SIZES * CACHE_DEPTH]; /* volatile: the compiler would leave out what is not
                                                * used */
    if (size < LARGE)
        return;
    for (size_t i = 0; i < SIZES * CACHE_DEPTH; i++)
        taken[i] = malloc(pieces[i / CACHE_DEPTH]);
    for (size_t i = 0; i < SIZES * CACHE_DEPTH; i++)
        free(taken[i]);
}
