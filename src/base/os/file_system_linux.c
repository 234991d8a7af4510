/* file_system_linux.c - syncfs, access lists, labels, project quotas. */
#include "base/os/file_system.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#define LABEL_SIZE 256

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

#if defined(STATX_MNT_ID)
typedef struct statx kernel_status;
#else /* musl knows a part of what the kernel writes */
#define STATX_MNT_ID 0x1000
#define statx(...)   syscall(SYS_statx, __VA_ARGS__)
typedef struct kernel_status {
    uint32_t stx_mask, others[35];
    uint64_t stx_mnt_id, more[13];
} kernel_status;
#endif

/* Renames stay within one mount, which a device number does not tell. */
static bool has_same_mount(int a, int b)
{
    kernel_status first, second;
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
