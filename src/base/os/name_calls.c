/* name_calls.c - the calls of POSIX about names in directories, one to one, and what takes a few
 * of them: removing a tree, matching a pattern. */
#include "base/os/file.h"
#include <errno.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define OPEN_WHILE_REMOVING 32 /* descriptors */

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

int vz_os_mkstemp(char *name)
{
    return mkostemp(name, O_CLOEXEC);
}

int vz_os_mkdtemp(char *name)
{
    return mkdtemp(name) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status, (void)kind, (void)where;
    return remove(path);
}

bool vz_os_remove_tree(const char *path)
{
    return nftw(path, remove_entry, OPEN_WHILE_REMOVING, FTW_DEPTH | FTW_PHYS) == 0;
}

int vz_os_glob(const char *pattern, vz_os_matches *matches)
{
    glob_t *result = calloc(1, sizeof *result);
    *matches = (vz_os_matches){.result = result};
    const int status = result ? glob(pattern, 0, NULL, result) : GLOB_NOSPACE;
    if (status == 0) {
        matches->paths = result->gl_pathv;
        matches->count = result->gl_pathc;
    }
    return status == GLOB_NOSPACE ? ENOMEM : 0;
}

void vz_os_glob_free(vz_os_matches *matches)
{
    if (matches->result)
        globfree(matches->result);
    free(matches->result);
    *matches = (vz_os_matches){0};
}
