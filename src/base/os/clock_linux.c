/* clock_linux.c - the clock of the file systems; see process.h. */
#include "base/os/process.h"

struct timespec vz_os_file_date(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return now;
}
