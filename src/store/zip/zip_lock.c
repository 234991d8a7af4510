/* zip_lock.c - locks on zip files. */
#include "store/zip/zip_internal.h"
#include "base/os/process.h"
#include <errno.h>

#define FIRST_BYTE ((uint64_t)1 << 62)
#define FEW        50
/* before a writer is reported that another one is there: who only looks holds it for moments */
#define ATTEMPTS 200
#define PAUSE_US 1000 /* between two of them */

/* A partial file that is not locked may be removed: that lock must reach everybody who finds the
 * file. It is the only one that a partial file has. */
static int set_lock(int file, vz_zip_lock_byte byte, vz_os_lock_kind kind)
{
    return byte == VZ_ZIP_LOCK_ALIVE && !vz_os_byte_locks_are_in_file()
               ? vz_os_lock(file, kind)
               : vz_os_lock_byte(file, FIRST_BYTE + byte, kind);
}

vz_zip_lock_answer vz_zip_lock(int file, vz_zip_lock_byte byte, vz_os_lock_kind kind)
{
    while (set_lock(file, byte, kind) != 0) {
        if (errno == EAGAIN || errno == EACCES)
            return VZ_ZIP_REFUSED;
        if (errno != EINTR)
            return VZ_ZIP_LOCKLESS;
    }
    return VZ_ZIP_TAKEN;
}

/* The system has locks, but could not tell. Then nobody may write as if there were none. */
static bool is_trouble(vz_zip_lock_answer answer, int sys_errno)
{
    return answer == VZ_ZIP_REFUSED ? *vz_os_lock_trouble() != '\0'
                                    : answer == VZ_ZIP_LOCKLESS && (sys_errno == EMFILE || sys_errno == ENFILE);
}

static bool fail_to_write(vz_error *err)
{
    vz_fail(err, VZ_BUSY,
            "another program has this file open and is writing to it: wait until it has closed it, or use a "
            "directory, which several programs may write");
    if (err)
        err->sys_errno = EAGAIN;
    return false;
}

bool vz_zip_lock_writing(int file, bool *has_locks, vz_error *err)
{
    vz_zip_lock_answer answer;
    for (unsigned i = 0; (answer = vz_zip_lock(file, VZ_ZIP_LOCK_WRITING, VZ_OS_LOCK_EXCLUSIVE)) != VZ_ZIP_TAKEN; i++) {
        const int sys_errno = errno;
        if (is_trouble(answer, sys_errno))
            return vz_fail_errno(err, sys_errno, "cannot lock the file to write to it%s", vz_os_lock_trouble());
        if (answer == VZ_ZIP_LOCKLESS)
            break;
        if (i == ATTEMPTS)
            return fail_to_write(err);
        vz_os_sleep_us(PAUSE_US);
    }
    *has_locks = answer == VZ_ZIP_TAKEN;
    return true;
}

/* Of a file that may not be written the system locks nothing for one alone, but tells whether it
 * could be. */
static int look_at_lock(int file)
{
    bool held;
    if (vz_os_find_byte_lock(file, FIRST_BYTE + VZ_ZIP_LOCK_USER, VZ_OS_LOCK_EXCLUSIVE, &held) != 0)
        return -1;
    errno = EWOULDBLOCK;
    return held ? -1 : 0;
}

int vz_zip_set_lock(int file, vz_os_lock_kind kind)
{
    for (unsigned i = 0; i < FEW; i++) {
        const vz_zip_lock_answer answer = vz_zip_lock(file, VZ_ZIP_LOCK_USER, kind);
        if (answer == VZ_ZIP_TAKEN)
            return 0;
        if (answer == VZ_ZIP_REFUSED && *vz_os_lock_trouble())
            break;
        if (answer == VZ_ZIP_LOCKLESS)
            return errno == EBADF && kind == VZ_OS_LOCK_EXCLUSIVE ? look_at_lock(file) : -1;
        vz_os_sleep_us(PAUSE_US);
    }
    errno = EWOULDBLOCK;
    return -1;
}

void vz_zip_unlock_writing(int file)
{
    vz_zip_lock(file, VZ_ZIP_LOCK_WRITING, VZ_OS_UNLOCK);
}
