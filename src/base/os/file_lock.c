/* file_lock.c - flock, and locks of open file descriptions (POSIX 2024, Linux, macOS). */
#include "base/os/file_system.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

static int operation_of(vz_os_lock_kind kind)
{
    return kind == VZ_OS_LOCK_EXCLUSIVE ? LOCK_EX : kind == VZ_OS_LOCK_SHARED ? LOCK_SH : LOCK_UN;
}

int vz_os_lock(int file, vz_os_lock_kind kind)
{
    return flock(file, operation_of(kind) | LOCK_NB);
}

int vz_os_lock_waiting(int file, vz_os_lock_kind kind)
{
    return flock(file, operation_of(kind));
}

#if defined(F_OFD_SETLK) && defined(F_OFD_GETLK)
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
#else
int vz_os_lock_byte(int file, uint64_t byte, vz_os_lock_kind kind)
{
    (void)file, (void)byte, (void)kind;
    errno = EINVAL;
    return -1;
}

int vz_os_find_byte_lock(int file, uint64_t byte, vz_os_lock_kind kind, bool *held)
{
    (void)file, (void)byte, (void)kind, (void)held;
    errno = EINVAL;
    return -1;
}
#endif
