/* path_probe.c - what stands at a path: looked at once, for all kinds of stores. */
#include "store/store/kind.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* A device is not even opened: that may do something. */
#define FILE_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

static bool read_start(int file, uint8_t start[VZ_SIGHT_START])
{
    size_t size = 0;
    ssize_t got = 1;
    while (size < VZ_SIGHT_START && got != 0) {
        got = pread(file, start + size, VZ_SIGHT_START - size, (off_t)size);
        if (got < 0 && errno != EINTR)
            return false;
        size += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static void fail(vz_sight *sight, int sys_errno)
{
    sight->sys_errno = sys_errno;
    sight->is_other = sys_errno != ENOENT && sys_errno != ENOTDIR;
    if (sight->file >= 0)
        close(sight->file);
    sight->file = -1;
}

static void look_at_file(vz_sight *sight, const char *path)
{
    sight->file = open(path, FILE_FLAGS);
    if (sight->file < 0 || fstat(sight->file, &sight->status) != 0 || !read_start(sight->file, sight->start)) {
        const int sys_errno = errno;
        fail(sight, sys_errno);
        sight->is_other = true;
        return;
    }
    /* What cannot be read there is told by who opens it. */
    if (!vz_header_find(sight->file, (uint64_t)sight->status.st_size, &sight->header, NULL))
        sight->header = (vz_header){0};
    sight->is_hdf5 = sight->header.kind != VZ_HEADER_NONE;
}

/* A path that ends nowhere may go on behind a file: the first part of it that is there is looked at. */
static void look_for_file(vz_sight *sight, char *copy)
{
    struct stat status;
    for (size_t length = strlen(copy);; length = strlen(copy)) {
        while (length > 1 && copy[length - 1] == '/')
            copy[--length] = '\0';
        if (stat(copy, &status) == 0) {
            if (!S_ISREG(status.st_mode))
                return;
            sight->length = length;
            sight->inside = sight->path + length + strspn(sight->path + length, "/");
            look_at_file(sight, copy);
            return;
        }
        if (errno != ENOENT && errno != ENOTDIR) {
            fail(sight, errno);
            return;
        }
        char *slash = strrchr(copy, '/');
        if (!slash || slash == copy)
            return;
        *slash = '\0';
    }
}

/* The path is there and no directory, or is not there. */
static bool look_beside_directories(vz_sight *sight, vz_error *err)
{
    struct stat status;
    if (stat(sight->path, &status) == 0) {
        sight->is_other = !S_ISREG(status.st_mode);
        if (!sight->is_other)
            look_at_file(sight, sight->path);
        return true;
    }
    fail(sight, errno);
    if (sight->sys_errno != ENOTDIR)
        return true;
    char *copy = strdup(sight->path);
    if (!copy)
        return vz_fail_memory(err);
    look_for_file(sight, copy);
    free(copy);
    return true;
}

bool vz_sight_look(vz_sight *sight, vz_error *err)
{
    if (sight->looked)
        return true;
    sight->looked = true;
    sight->length = strlen(sight->path);
    sight->file = open(sight->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (sight->file < 0 && errno == EACCES) /* what lies below can be reached by name even if it cannot be listed */
        sight->file = open(sight->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (sight->file >= 0) {
        if (fstat(sight->file, &sight->status) != 0)
            fail(sight, errno);
        return true;
    }
    if (errno == ENOTDIR || errno == EACCES)
        return look_beside_directories(sight, err);
    fail(sight, errno);
    return true;
}
