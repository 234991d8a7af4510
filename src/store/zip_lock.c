/* zip_lock.c - locks on zip files. */
#include "store/zip_lock.h"
#include <errno.h>
#include <fcntl.h>
#include <time.h>

#define FIRST_BYTE ((off_t)1 << 62)
#define ATTEMPTS   200     /* before a writer is told that another one is there: who only looks holds it for moments */
#define PAUSE_NS   1000000 /* between two of them */

vz_zip_lock_answer vz_zip_lock(int file, vz_zip_lock_byte byte, short type)
{
    struct flock what = {.l_type = type, .l_whence = SEEK_SET, .l_start = FIRST_BYTE + (off_t)byte, .l_len = 1};
    while (fcntl(file, F_OFD_SETLK, &what) != 0) {
        if (errno == EAGAIN || errno == EACCES)
            return VZ_ZIP_REFUSED;
        if (errno != EINTR)
            return VZ_ZIP_LOCKLESS;
    }
    return VZ_ZIP_TAKEN;
}

bool vz_zip_lock_writing(int file, bool *has_locks, vz_error *err)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    vz_zip_lock_answer answer;
    for (unsigned i = 0; (answer = vz_zip_lock(file, VZ_ZIP_LOCK_WRITING, F_WRLCK)) == VZ_ZIP_REFUSED; i++) {
        if (i == ATTEMPTS) {
            vz_fail(err, VZ_BUSY, "another program has this file open and is writing to it");
            if (err)
                err->sys_errno = EAGAIN;
            return false;
        }
        nanosleep(&pause, NULL);
    }
    *has_locks = answer == VZ_ZIP_TAKEN;
    return true;
}

void vz_zip_unlock_writing(int file)
{
    vz_zip_lock(file, VZ_ZIP_LOCK_WRITING, F_UNLCK);
}
