/* name_calls.c - the calls of POSIX about names in directories, one to one. */
#include "base/os/errno_internal.h"
#include "base/os/file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int vz_os_mkdir(const char *path, mode_t mode)
{
    return mkdir(path, mode);
}

int vz_os_mkdir_at(int directory, const char *name, mode_t mode)
{
    return mkdirat(directory, name, mode);
}

int vz_os_rmdir(const char *path)
{
    return rmdir(path);
}

int vz_os_rmdir_at(int directory, const char *name)
{
    return unlinkat(directory, name, AT_REMOVEDIR);
}

int vz_os_unlink(const char *path)
{
    return vz_os_unlink_at(AT_FDCWD, path);
}

/* POSIX and macOS say EPERM of a directory, Linux EISDIR. */
int vz_os_unlink_at(int directory, const char *name)
{
    struct stat status;
    const int done = unlinkat(directory, name, 0);
    if (done == 0 || errno != EPERM)
        return done;
    const bool is_directory = fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
    errno = is_directory ? EISDIR : EPERM;
    return done;
}

int vz_os_rename(const char *from, const char *to)
{
    return rename(from, to);
}

int vz_os_rename_at(int from_directory, const char *from, int to_directory, const char *to)
{
    return renameat(from_directory, from, to_directory, to);
}

int vz_os_link_at(int from_directory, const char *from, int to_directory, const char *to)
{
    return vz_os_same_errno(linkat(from_directory, from, to_directory, to, 0));
}

int vz_os_symlink_at(const char *target, int directory, const char *name)
{
    return symlinkat(target, directory, name);
}

ssize_t vz_os_readlink_at(int directory, const char *name, char *target, size_t size)
{
    return readlinkat(directory, name, target, size);
}

char *vz_os_realpath(const char *path, char *room)
{
    return realpath(path, room);
}
