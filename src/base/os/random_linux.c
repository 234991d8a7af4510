/* random_linux.c - random numbers; see process.h. */
#include "base/os/process.h"
#include <sys/random.h>

bool vz_os_random(void *bytes, size_t size)
{
    return getrandom(bytes, size, GRND_NONBLOCK) == (ssize_t)size;
}
