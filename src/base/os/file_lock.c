/* file_lock.c - locks on whole files: flock, which every BSD, macOS and Linux have. */
#include "base/os/errno_internal.h"
#include "base/os/file_system.h"
#include <sys/file.h>

static int operation_of(vz_os_lock_kind kind)
{
    return kind == VZ_OS_LOCK_EXCLUSIVE ? LOCK_EX : kind == VZ_OS_LOCK_SHARED ? LOCK_SH : LOCK_UN;
}

int vz_os_lock(int file, vz_os_lock_kind kind)
{
    return vz_os_same_errno(flock(file, operation_of(kind) | LOCK_NB));
}

int vz_os_lock_waiting(int file, vz_os_lock_kind kind)
{
    return vz_os_same_errno(flock(file, operation_of(kind)));
}
