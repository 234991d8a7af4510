/* file_system_posix.c - file systems where the system has no more than POSIX. Files are synced one
 * by one. There are neither labels nor quotas of projects. */
#include "base/os/file_system.h"
#include "base/os/file.h"
#include <errno.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <copyfile.h>
#include <sys/acl.h>
#endif

#define SYNC_DEPTH_MAX 256 /* directories below one another; a store has as many as its groups */

/* ---- onto the disk ---- */

/* `flushes`: out of the disk's own memory, too, where fsync leaves bytes there (macOS). One flush
 * takes milliseconds, and stands for all that reached the disk before. */
static int sync_open(int file, bool flushes)
{
    const int failed = flushes ? vz_os_fsync(file) : fsync(file);
    return !failed || errno == EINVAL ? 0 : errno;
}

static int sync_file(int directory, const char *name, bool flushes)
{
    const int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT || errno == ELOOP ? 0 : errno;
    const int sys_errno = sync_open(file, flushes);
    close(file);
    return sys_errno;
}

static int sync_below(int directory, unsigned depth);

static int sync_directory(int directory, const char *name, unsigned depth)
{
    const int below = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below < 0)
        return errno == ENOENT || errno == ELOOP || errno == ENOTDIR ? 0 : errno;
    const int sys_errno = depth < SYNC_DEPTH_MAX ? sync_below(below, depth + 1) : ENAMETOOLONG;
    close(below);
    return sys_errno;
}

static int sync_entry(int directory, const vz_os_entry *entry, unsigned depth)
{
    struct stat status;
    vz_os_kind kind = entry->kind;
    if (kind == VZ_OS_KIND_UNKNOWN && fstatat(directory, entry->name, &status, AT_SYMLINK_NOFOLLOW) == 0)
        kind = S_ISDIR(status.st_mode)   ? VZ_OS_KIND_DIRECTORY
               : S_ISREG(status.st_mode) ? VZ_OS_KIND_FILE
                                         : VZ_OS_KIND_OTHER;
    return kind == VZ_OS_KIND_DIRECTORY ? sync_directory(directory, entry->name, depth)
           : kind == VZ_OS_KIND_FILE    ? sync_file(directory, entry->name, false)
                                        : 0;
}

/* The directory itself comes last: then it names nothing that is not on the disk. */
static int sync_below(int directory, unsigned depth)
{
    VZ_OS_BATCH(batch, 4096);
    vz_os_listing listing = {.directory = directory, .batch = batch, .room = sizeof batch};
    vz_os_entry entry;
    int sys_errno = vz_os_list_rewind(&listing) == 0 ? 0 : errno;
    while (!sys_errno) {
        if (vz_os_list_next(&listing, &entry))
            sys_errno = sync_entry(directory, &entry, depth);
        else if ((sys_errno = errno) == 0)
            break;
    }
    vz_os_list_end(&listing);
    return sys_errno ? sys_errno : sync_open(directory, false);
}

int vz_os_sync_file_system(int directory)
{
    const int sys_errno = sync_directory(directory, ".", 0);
    const int above = sys_errno ? sys_errno : sync_file(directory, "..", false);
    return above ? above : sync_file(directory, ".", true);
}

/* ---- what new files inherit ---- */

#if defined(__APPLE__)
static bool is_inherited(acl_entry_t entry)
{
    acl_flagset_t flags;
    return acl_get_flagset_np(entry, &flags) == 0 && (acl_get_flag_np(flags, ACL_ENTRY_FILE_INHERIT) == 1 ||
                                                      acl_get_flag_np(flags, ACL_ENTRY_DIRECTORY_INHERIT) == 1);
}

/* macOS has one list, whose entries tell by themselves whether what is made in the directory gets
 * them. The folders of a home have one that forbids to delete them, and gives nothing on. */
bool vz_os_has_access_list(int directory, bool inherited)
{
    acl_t list = acl_get_fd_np(directory, ACL_TYPE_EXTENDED);
    acl_entry_t entry;
    bool found = list && !inherited;
    for (int which = ACL_FIRST_ENTRY; list && !found && acl_get_entry(list, which, &entry) == 0; which = ACL_NEXT_ENTRY)
        found = is_inherited(entry);
    if (list)
        acl_free(list);
    return found;
}
#else
bool vz_os_has_access_list(int directory, bool inherited)
{
    (void)directory, (void)inherited;
    return false;
}
#endif

gid_t vz_os_group_of_new(const struct stat *directory)
{
#if defined(__APPLE__) /* as BSD does it */
    return directory->st_gid;
#else
    return directory->st_mode & S_ISGID ? directory->st_gid : getegid();
#endif
}

bool vz_os_inherit_equally(int a, int b)
{
    struct stat first, second;
    return fstat(a, &first) == 0 && fstat(b, &second) == 0 && first.st_dev == second.st_dev;
}

#if defined(__APPLE__)
void vz_os_copy_attributes(int from, int to)
{
    fcopyfile(from, to, NULL, COPYFILE_ACL | COPYFILE_XATTR);
}
#else
void vz_os_copy_attributes(int from, int to)
{
    (void)from, (void)to;
}
#endif
