/* value_lock.c - the lock on the file of a value that is about to be replaced. Processes that read
 * it, change it and put it back do so one after the other. Nothing else takes it: readers see one
 * version or the other anyway. */
#include "store/directory/directory_internal.h"
#include "base/os/file.h"
#include "base/os/file_system.h"
#include "base/os/process.h"
#include <errno.h>

/* for a writer that has the value; it holds it while it writes one value */
#define WAIT_SECONDS 60
#define PAUSE_MIN_US 50   /* between two tries, growing ... */
#define PAUSE_MAX_US 4000 /* ... to this */

/* NFS has flock as a lock of bytes, and that needs a descriptor that can write. */
static bool reopen_for_writing(int root, const char *key, int *file)
{
    const int writing = vz_os_open_at(root, key, O_RDWR | O_NONBLOCK | O_NOCTTY);
    if (writing < 0)
        return false;
    vz_os_close(*file);
    *file = writing;
    return true;
}

static bool is_held(int sys_errno)
{
    return sys_errno == EWOULDBLOCK || sys_errno == EINTR;
}

/* File systems without locks, NFS without its lock service or where the file cannot be opened
 * for writing. */
static bool is_without_locks(int sys_errno)
{
    return sys_errno == ENOLCK || sys_errno == EBADF || sys_errno == EINVAL || sys_errno == ENOSYS ||
           sys_errno == EOPNOTSUPP;
}

bool vz_directory_lock_value(int root, const char *key, int *file, bool *locked, vz_error *err)
{
    const int64_t end = vz_os_now_ns() + WAIT_SECONDS * VZ_OS_NS_PER_S;
    bool reopened = false;
    for (uint64_t pause = PAUSE_MIN_US;; pause = pause * 2 < PAUSE_MAX_US ? pause * 2 : PAUSE_MAX_US) {
        *locked = vz_os_lock(*file, VZ_OS_LOCK_EXCLUSIVE) == 0;
        if (*locked)
            return true;
        const int sys_errno = errno;
        if (sys_errno == EBADF && !reopened && (reopened = reopen_for_writing(root, key, file)))
            continue;
        if (is_without_locks(sys_errno))
            return true;
        if (!is_held(sys_errno))
            return vz_fail_errno(err, sys_errno, "cannot lock");
        if (vz_os_now_ns() > end)
            return vz_fail(err, VZ_BUSY, "another process has held the lock on this file for %d seconds", WAIT_SECONDS);
        vz_os_sleep_us(pause);
    }
}
