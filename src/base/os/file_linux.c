/* file_linux.c - what Linux has beyond POSIX for files: opening beneath a directory, renames
 * with a condition, files without a name, holes, copies by the kernel. */
#include "base/os/file.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__has_include) && __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

#if !defined(RENAME_NOREPLACE) /* musl */
#include <linux/fs.h>
#define renameat2(...) (int)syscall(SYS_renameat2, __VA_ARGS__)
#endif

#define SELF_SIZE 32 /* of a path below /proc/self/fd */

/* ---- opening ---- */

const int vz_os_place = O_PATH;

int vz_os_open_beneath(int root, const char *path, int flags, mode_t mode)
{
#if defined(SYS_openat2) && defined(RESOLVE_BENEATH)
    enum { TRIES = 8 }; /* EAGAIN: something was renamed while ".." of a link was walked */
    struct open_how how = {
        .flags = (uint64_t)(flags | O_CLOEXEC), .mode = mode, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    for (int i = 1;; i++) {
        const long file = syscall(SYS_openat2, root, path, &how, sizeof how);
        if (file >= 0 || errno != EAGAIN || i == TRIES)
            return (int)file;
    }
#else
    (void)root, (void)path, (void)flags, (void)mode;
    errno = ENOSYS;
    return -1;
#endif
}

/* As the system itself would spell it, links aside. */
static bool is_spelled_out(const char *path)
{
    for (const char *part = path + (*path == '/'), *end; *part; part = *end ? end + 1 : end) {
        end = strchrnul(part, '/');
        if (end == part || (*part == '.' && (end == part + 1 || (part[1] == '.' && end == part + 2))))
            return false;
        if (*end && !end[1])
            return false;
    }
    return path[*path == '/'] != '\0';
}

int vz_os_path_open_real(const char *path, int flags)
{
#if defined(SYS_openat2) && defined(RESOLVE_NO_SYMLINKS)
    const struct open_how how = {.flags = (uint64_t)(flags | O_CLOEXEC), .resolve = RESOLVE_NO_SYMLINKS};
    if (is_spelled_out(path))
        return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
#else
    (void)flags;
#endif
    errno = ENOSYS;
    return -1;
}

int vz_os_close(int file)
{
    return close(file);
}

int vz_os_dup_to(int file, int number)
{
    return dup3(file, number, O_CLOEXEC);
}

/* ---- onto the disk ---- */

int vz_os_fdatasync(int file)
{
    return fdatasync(file);
}

int vz_os_fsync(int file)
{
    return fsync(file);
}

/* ---- names ---- */

int vz_os_has_name(int directory, const char *name)
{
    struct stat status;
    const int found = faccessat(directory, name, F_OK, AT_SYMLINK_NOFOLLOW);
    if (found == 0 || errno != EINVAL) /* which musl says where the kernel has no such flag */
        return found;
    return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW);
}

int vz_os_rename_new(int from_directory, const char *from, int to_directory, const char *to)
{
    return renameat2(from_directory, from, to_directory, to, RENAME_NOREPLACE);
}

bool vz_os_can_exchange(void)
{
    return true;
}

int vz_os_exchange(int a_directory, const char *a, int b_directory, const char *b)
{
    return renameat2(a_directory, a, b_directory, b, RENAME_EXCHANGE);
}

static void name_self(int file, char self[SELF_SIZE])
{
    snprintf(self, SELF_SIZE, "/proc/self/fd/%d", file);
}

ssize_t vz_os_program(char *path, size_t size)
{
    return readlink("/proc/self/exe", path, size);
}

ssize_t vz_os_path_of(int file, char *path, size_t size)
{
    char self[SELF_SIZE];
    name_self(file, self);
    return readlink(self, path, size);
}

/* ---- files without a name ---- */

int vz_os_temp_file(const char *directory)
{
    return open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

/* They get a name through /proc. */
bool vz_os_can_link_temp(void)
{
    return access("/proc/self/fd", X_OK) == 0;
}

int vz_os_link_temp(int file, const char *path)
{
    char self[SELF_SIZE];
    name_self(file, self);
    return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

int vz_os_memory_file(void)
{
    return memfd_create("vol-zarr", MFD_CLOEXEC);
}

/* ---- blocks ---- */

ssize_t vz_os_clone_range(int from, uint64_t from_offset, int to, uint64_t to_offset, uint64_t size)
{
    off_t source = (off_t)from_offset, target = (off_t)to_offset;
    return copy_file_range(from, &source, to, &target, (size_t)size, 0);
}

void vz_os_punch_hole(int file, uint64_t offset, uint64_t size)
{
    fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)size);
}

off_t vz_os_next_data(int file, uint64_t offset)
{
    return lseek(file, (off_t)offset, SEEK_DATA);
}
