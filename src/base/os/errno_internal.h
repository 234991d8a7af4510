/* errno_internal.h - numbers of errors that differ between systems. */
#ifndef VZ_OS_ERRNO_INTERNAL_H
#define VZ_OS_ERRNO_INTERNAL_H

#include <errno.h>

/* Of a file system that has no such call macOS says ENOTSUP, Linux EOPNOTSUPP. On Linux these are
 * one number. `result`: of the call, and of this one. */
static inline int vz_os_same_errno(int result)
{
    if (result != 0 && errno == ENOTSUP)
        errno = EOPNOTSUPP;
    return result;
}

#endif
