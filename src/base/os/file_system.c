/* file_system.c - kinds of file systems, how far locks reach in them, and limits. */
#include "base/os/file_system.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#if defined(__APPLE__)
#include <sys/mount.h>
#include <sys/param.h>
#else
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#endif

#define MOUNT_FILE "/proc/self/mountinfo"

/* ---- limits ---- */

bool vz_os_may_grow_to(uint64_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

/* ---- kinds ---- */

#if defined(MNT_LOCAL) /* BSD and macOS */

bool vz_os_is_of_one_kernel(int file)
{
    struct statfs status;
    return fstatfs(file, &status) == 0 && status.f_flags & MNT_LOCAL;
}

vz_os_lock_reach vz_os_reach_of_locks(int file)
{
    return vz_os_is_of_one_kernel(file) ? VZ_OS_REACH_KERNEL : VZ_OS_REACH_UNKNOWN;
}

#else

static bool type_of(int file, unsigned long *type)
{
    struct statfs status;
    if (fstatfs(file, &status) != 0)
        return false;
    *type = (unsigned long)status.f_type & 0xFFFFFFFFUL;
    return true;
}

static bool is_of_one_kernel(unsigned long type)
{
    enum { EXT = 0xEF53, XFS = 0x58465342, TMPFS = 0x01021994, JFS = 0x3153464A };
    static const unsigned long btrfs = 0x9123683EUL, ramfs = 0x858458F6UL, f2fs = 0xF2F52010UL, bcachefs = 0xCA451A4EUL,
                               zfs = 0x2FC12FC1UL;
    return type == EXT || type == XFS || type == TMPFS || type == JFS || type == btrfs || type == ramfs ||
           type == f2fs || type == bcachefs || type == zfs;
}

bool vz_os_is_of_one_kernel(int file)
{
    unsigned long type;
    return type_of(file, &type) && is_of_one_kernel(type);
}

/* ---- how far locks reach ---- */

/* NFS may be mounted with locks that the client keeps to itself. */
static bool has_server_locks(int file)
{
    struct stat status;
    FILE *mounts = fstat(file, &status) == 0 ? fopen(MOUNT_FILE, "re") : NULL;
    char *line = NULL, device[32];
    size_t capacity = 0;
    bool found = false;
    if (!mounts)
        return false;
    snprintf(device, sizeof device, "%u:%u", major(status.st_dev), minor(status.st_dev));
    while (!found && getline(&line, &capacity, mounts) > 0) {
        char of[32];
        found = sscanf(line, "%*s %*s %31s", of) == 1 && strcmp(of, device) == 0 && strstr(line, "local_lock=none");
    }
    free(line);
    fclose(mounts);
    return found;
}

vz_os_lock_reach vz_os_reach_of_locks(int file)
{
    enum { OVERLAYFS = 0x794C7630, NFS = 0x6969 };
    unsigned long type;
    if (!type_of(file, &type))
        return VZ_OS_REACH_UNKNOWN;
    if (type == NFS)
        return has_server_locks(file) ? VZ_OS_REACH_SERVER : VZ_OS_REACH_UNKNOWN;
    if (type == OVERLAYFS)
        return VZ_OS_REACH_OVERLAY;
    return is_of_one_kernel(type) ? VZ_OS_REACH_KERNEL : VZ_OS_REACH_UNKNOWN;
}

#endif
