/* random_posix.c - random numbers; see process.h. */
#include "base/os/process.h"
#include <fcntl.h>
#include <unistd.h>

bool vz_os_random(void *bytes, size_t size)
{
    const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    const bool drawn = file >= 0 && read(file, bytes, size) == (ssize_t)size;
    if (file >= 0)
        close(file);
    return drawn;
}
