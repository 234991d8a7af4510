/* name_calls.c - the calls of POSIX about names in directories, one to one. */
#include "base/os/file.h"
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
    return unlink(path);
}

int vz_os_unlink_at(int directory, const char *name)
{
    return unlinkat(directory, name, 0);
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
    return linkat(from_directory, from, to_directory, to, 0);
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
