/* file_system_linux.c - statfs, syncfs, access lists, labels, project quotas, mounts. */
#include "base/os/file_system.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define LABEL_SIZE 256
#define MOUNT_FILE "/proc/self/mountinfo"

/* ---- kinds ---- */

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

/* ---- onto the disk ---- */

/* A place cannot be synced; a new file in it can. Failures to write other files back were reported
 * when each was synced. */
static int sync_through_file(int directory)
{
    const int file = openat(directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    const int sys_errno = file >= 0 && syncfs(file) == 0 ? 0 : errno;
    if (file >= 0)
        close(file);
    return sys_errno;
}

int vz_os_sync_file_system(int directory)
{
    if (syncfs(directory) == 0)
        return 0;
    return errno == EBADF ? sync_through_file(directory) : errno;
}

/* ---- what new files inherit ---- */

bool vz_os_has_access_list(int directory, bool inherited)
{
    const char *attribute = inherited ? "system.posix_acl_default" : "system.posix_acl_access";
    return fgetxattr(directory, attribute, NULL, 0) >= 0 || errno == ERANGE;
}

gid_t vz_os_group_of_new(const struct stat *directory)
{
    return directory->st_mode & S_ISGID ? directory->st_gid : getegid();
}

static bool has_same_label(int a, int b)
{
    static const char label[] = "security.selinux";
    char first[LABEL_SIZE], second[LABEL_SIZE];
    const ssize_t size = fgetxattr(a, label, first, sizeof first);
    const bool none = size < 0 && errno != ERANGE;
    const ssize_t other = fgetxattr(b, label, second, sizeof second);
    return none ? other < 0 && errno != ERANGE : size >= 0 && other == size && memcmp(first, second, (size_t)size) == 0;
}

/* Renames stay within one mount, which a device number does not tell. */
static bool has_same_mount(int a, int b)
{
    struct statx first, second;
    return statx(a, "", AT_EMPTY_PATH, STATX_MNT_ID, &first) == 0 &&
           statx(b, "", AT_EMPTY_PATH, STATX_MNT_ID, &second) == 0 && first.stx_mask & second.stx_mask & STATX_MNT_ID &&
           first.stx_mnt_id == second.stx_mnt_id;
}

static bool has_same_project(int a, int b)
{
    struct fsxattr first = {0}, second = {0};
    if (ioctl(a, FS_IOC_FSGETXATTR, &first) != 0)
        return ioctl(b, FS_IOC_FSGETXATTR, &second) != 0;
    return ioctl(b, FS_IOC_FSGETXATTR, &second) == 0 && first.fsx_projid == second.fsx_projid &&
           (first.fsx_xflags & FS_XFLAG_PROJINHERIT) == (second.fsx_xflags & FS_XFLAG_PROJINHERIT);
}

bool vz_os_inherit_equally(int a, int b)
{
    return has_same_label(a, b) && has_same_mount(a, b) && has_same_project(a, b);
}

void vz_os_copy_attributes(int from, int to)
{
    const ssize_t size = flistxattr(from, NULL, 0);
    char *names = size > 0 ? malloc((size_t)size) : NULL;
    char *value = names ? malloc(XATTR_SIZE_MAX) : NULL;
    const ssize_t listed = value ? flistxattr(from, names, (size_t)size) : 0;
    for (const char *name = names; listed > 0 && name < names + listed; name += strlen(name) + 1) {
        const ssize_t length = fgetxattr(from, name, value, XATTR_SIZE_MAX);
        if (length >= 0 && fsetxattr(to, name, value, (size_t)length, 0) != 0)
            continue; /* not ours to set */
    }
    free(names);
    free(value);
}

/* ---- limits ---- */

bool vz_os_may_grow_to(uint64_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}
