/* no_locks.c - preloaded into ranks: the file system is Lustre mounted without flock (LOCKS=none), or with localflock
 * (LOCKS=local), where machines do not see each other's locks, and each rank has a machine of its own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { LUSTRE = 0x0BD00BD0 };

int flock(int file, int operation)
{
    const char *locks = getenv("LOCKS");
    (void)file, (void)operation;
    if (locks && strcmp(locks, "local") == 0)
        return 0;
    errno = ENOSYS;
    return -1;
}

int fstatfs(int file, struct statfs *status)
{
    const int result = (int)syscall(SYS_fstatfs, file, status);
    status->f_type = LUSTRE;
    return result;
}
