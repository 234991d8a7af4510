/* byte_lock_linux.c - locks on single bytes: those of open file descriptions. */
#include "base/os/file_system.h"
#include <fcntl.h>

static struct flock lock_of(uint64_t byte, vz_os_lock_kind kind)
{
    const short type = kind == VZ_OS_LOCK_EXCLUSIVE ? F_WRLCK : kind == VZ_OS_LOCK_SHARED ? F_RDLCK : F_UNLCK;
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)byte, .l_len = 1};
}

int vz_os_lock_byte(int file, uint64_t byte, vz_os_lock_kind kind)
{
    struct flock lock = lock_of(byte, kind);
    return fcntl(file, F_OFD_SETLK, &lock);
}

int vz_os_find_byte_lock(int file, uint64_t byte, vz_os_lock_kind kind, bool *held)
{
    struct flock lock = lock_of(byte, kind);
    if (fcntl(file, F_OFD_GETLK, &lock) != 0)
        return -1;
    *held = lock.l_type != F_UNLCK;
    return 0;
}

bool vz_os_byte_locks_are_in_file(void)
{
    return true;
}

const char *vz_os_lock_trouble(void)
{
    return "";
}
