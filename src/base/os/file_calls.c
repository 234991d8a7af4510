/* file_calls.c - the calls of POSIX about open files, one to one. Every system that has POSIX takes
 * this file as it is. */
#include "base/os/file.h"
#include <unistd.h>

/* ---- descriptors ---- */

int vz_os_open(const char *path, int flags)
{
    return open(path, flags | O_CLOEXEC);
}

int vz_os_open_at(int directory, const char *name, int flags)
{
    return openat(directory, name, flags | O_CLOEXEC);
}

int vz_os_create(const char *path, int flags, mode_t mode)
{
    return open(path, flags | O_CREAT | O_CLOEXEC, mode);
}

int vz_os_create_at(int directory, const char *name, int flags, mode_t mode)
{
    return openat(directory, name, flags | O_CREAT | O_CLOEXEC, mode);
}

int vz_os_dup(int file)
{
    return fcntl(file, F_DUPFD_CLOEXEC, 0);
}

/* ---- bytes ---- */

ssize_t vz_os_read(int file, void *data, size_t size)
{
    return read(file, data, size);
}

ssize_t vz_os_write(int file, const void *data, size_t size)
{
    return write(file, data, size);
}

ssize_t vz_os_pread(int file, void *data, size_t size, uint64_t offset)
{
    return pread(file, data, size, (off_t)offset);
}

ssize_t vz_os_pwrite(int file, const void *data, size_t size, uint64_t offset)
{
    return pwrite(file, data, size, (off_t)offset);
}

off_t vz_os_end(int file)
{
    return lseek(file, 0, SEEK_END);
}

int vz_os_ftruncate(int file, uint64_t size)
{
    return ftruncate(file, (off_t)size);
}

/* ---- status ---- */

int vz_os_fstat(int file, struct stat *status)
{
    return fstat(file, status);
}

int vz_os_stat(const char *path, struct stat *status)
{
    return stat(path, status);
}

int vz_os_stat_at(int directory, const char *name, struct stat *status)
{
    return fstatat(directory, name, status, 0);
}

int vz_os_lstat(const char *path, struct stat *status)
{
    return lstat(path, status);
}

int vz_os_lstat_at(int directory, const char *name, struct stat *status)
{
    return fstatat(directory, name, status, AT_SYMLINK_NOFOLLOW);
}

bool vz_os_is_own(const struct stat *status)
{
    return status->st_uid == geteuid();
}

int vz_os_fchmod(int file, mode_t mode)
{
    return fchmod(file, mode);
}

int vz_os_fchown(int file, uid_t owner, gid_t group)
{
    return fchown(file, owner, group);
}

int vz_os_futimens(int file, const struct timespec times[2])
{
    return futimens(file, times);
}

int vz_os_access(const char *path, int mode)
{
    return access(path, mode);
}

int vz_os_access_at(int directory, const char *name, int mode)
{
    return faccessat(directory, name, mode, 0);
}

int vz_os_may_write_at(int directory, const char *name)
{
    return faccessat(directory, name, W_OK, AT_EACCESS);
}
