/* blosc_heap.h - what the Blosc library allocates for each call is found again by its next one. */
#ifndef VZ_CODEC_BLOSC_HEAP_H
#define VZ_CODEC_BLOSC_HEAP_H

#include <stddef.h>

/* Before a call of the library for so many decoded bytes, in the thread that makes it. The library allocates temporary
 * memory with an alignment. The C library (glibc before 2.38) allocates somewhat more for that, and frees what is cut
 * off at both ends; these bits go into a small cache of the thread, where they part what the call frees from the rest
 * of the heap, so that it is a little too small for the next call: up to seven times for each size the heap grows by
 * all of that memory. A cache that is full takes no more, and the bits go back where they came from. Costs some 100 ns.
 */
void vz_blosc_heap_ready(size_t size);

#endif
