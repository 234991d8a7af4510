/* cpu_affinity_linux.c - the affinity mask, however many processors the kernel knows. */
#include "base/os/thread_internal.h"
#include <sched.h>
#include <stdbool.h>
#include <unistd.h>

unsigned vz_os_affinity_count(void)
{
    for (int processors = CPU_SETSIZE; processors <= VZ_OS_PROCESSORS_MAX; processors *= 2) {
        const size_t size = CPU_ALLOC_SIZE(processors);
        cpu_set_t *set = CPU_ALLOC(processors);
        if (!set)
            break;
        CPU_ZERO_S(size, set);
        const bool known = sched_getaffinity(0, size, set) == 0;
        const int count = known ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (known)
            return count > 0 ? (unsigned)count : 1;
    }
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}
