/* zip_lock.c - locks on zip files. */
#include "store/zip/zip_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>

#define FIRST_BYTE ((off_t)1 << 62)
#define FEW        50
#define ATTEMPTS   200 /* before a writer is reported that another one is there: who only looks holds it for moments */
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

/* Of a file that may not be written the system locks nothing for one alone, but tells whether it
 * could be. */
static int look_at_lock(int file)
{
    struct flock what = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = FIRST_BYTE + VZ_ZIP_LOCK_USER, .l_len = 1};
    if (fcntl(file, F_OFD_GETLK, &what) != 0)
        return -1;
    errno = EWOULDBLOCK;
    return what.l_type == F_UNLCK ? 0 : -1;
}

int vz_zip_set_lock(int file, int operation)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    const short type = operation == LOCK_EX ? F_WRLCK : operation == LOCK_SH ? F_RDLCK : F_UNLCK;
    for (unsigned i = 0; i < FEW; i++) {
        const vz_zip_lock_answer answer = vz_zip_lock(file, VZ_ZIP_LOCK_USER, type);
        if (answer == VZ_ZIP_TAKEN)
            return 0;
        if (answer == VZ_ZIP_LOCKLESS)
            return errno == EBADF && type == F_WRLCK ? look_at_lock(file) : -1;
        nanosleep(&pause, NULL);
    }
    errno = EWOULDBLOCK;
    return -1;
}

void vz_zip_unlock_writing(int file)
{
    vz_zip_lock(file, VZ_ZIP_LOCK_WRITING, F_UNLCK);
}
