/* memory_limit.h - a bound on the memory of this process. */
#ifndef VZ_OS_MEMORY_LIMIT_H
#define VZ_OS_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* From now on this process, and what it starts, gets no more than so many bytes: allocations fail.
 * False: the system has no such bound, or a sanitizer is at work, which reserves without end. */
bool vz_os_memory_limit(uint64_t bytes);

#endif
