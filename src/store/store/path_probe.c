/* path_probe.c - what stands at a path: one look for all kinds of stores. */
#include "store/store/kind.h"
#include "base/os/file.h"
#include <errno.h>
#include <stdlib.h>

/* A device is not even opened: that may do something. */
#define FILE_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY)

static bool read_start(int file, uint8_t start[VZ_PATH_PROBE_START])
{
    size_t size = 0;
    ssize_t got = 1;
    while (size < VZ_PATH_PROBE_START && got != 0) {
        got = vz_os_pread(file, start + size, VZ_PATH_PROBE_START - size, (off_t)size);
        if (got < 0 && errno != EINTR)
            return false;
        size += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static void fail(vz_location_probe *probe, int sys_errno)
{
    probe->sys_errno = sys_errno;
    probe->is_other = sys_errno != ENOENT && sys_errno != ENOTDIR;
    if (probe->file >= 0)
        vz_os_close(probe->file);
    probe->file = -1;
}

static void look_at_file(vz_location_probe *probe, const char *path)
{
    probe->file = vz_os_open(path, FILE_FLAGS);
    if (probe->file < 0 || vz_os_fstat(probe->file, &probe->status) != 0 || !read_start(probe->file, probe->start)) {
        const int sys_errno = errno;
        fail(probe, sys_errno);
        probe->is_other = true;
        return;
    }
    /* A read error is reported when the file is opened. */
    if (!vz_signature_find(probe->file, (uint64_t)probe->status.st_size, &probe->signature, NULL))
        probe->signature = (vz_signature){0};
    probe->is_hdf5 = probe->signature.kind != VZ_SIGNATURE_NONE;
}

/* A path that ends nowhere may go on behind a file: the first part of it that is there is looked
 * at. */
static void look_for_file(vz_location_probe *probe, char *copy)
{
    struct stat status;
    for (size_t length = strlen(copy);; length = strlen(copy)) {
        while (length > 1 && copy[length - 1] == '/')
            copy[--length] = '\0';
        if (vz_os_stat(copy, &status) == 0) {
            if (!S_ISREG(status.st_mode))
                return;
            probe->length = length;
            probe->inside = probe->path + length + strspn(probe->path + length, "/");
            look_at_file(probe, copy);
            return;
        }
        if (errno != ENOENT && errno != ENOTDIR) {
            fail(probe, errno);
            return;
        }
        char *slash = strrchr(copy, '/');
        if (!slash || slash == copy)
            return;
        *slash = '\0';
    }
}

/* The path is there and no directory that could be opened, or is not there. */
static bool look_beside_directories(vz_location_probe *probe, vz_error *err)
{
    struct stat status;
    if (vz_os_stat(probe->path, &status) == 0) {
        probe->is_other = !S_ISREG(status.st_mode);
        if (S_ISDIR(status.st_mode))
            fail(probe, EACCES);
        else if (!probe->is_other)
            look_at_file(probe, probe->path);
        return true;
    }
    fail(probe, errno);
    if (probe->sys_errno != ENOTDIR)
        return true;
    char *copy = strdup(probe->path);
    if (!copy)
        return vz_fail_memory(err);
    look_for_file(probe, copy);
    free(copy);
    return true;
}

bool vz_location_probe_look(vz_location_probe *probe, vz_error *err)
{
    if (probe->looked)
        return true;
    probe->looked = true;
    probe->length = strlen(probe->path);
    probe->file = vz_os_open(probe->path, O_RDONLY | O_DIRECTORY);
    if (probe->file < 0 && errno == EACCES) /* what lies below can be reached by name even if it
                                             * cannot be listed */
        probe->file = vz_os_open(probe->path, vz_os_place | O_DIRECTORY);
    if (probe->file >= 0) {
        if (vz_os_fstat(probe->file, &probe->status) != 0)
            fail(probe, errno);
        return true;
    }
    if (errno == ENOTDIR || errno == EACCES)
        return look_beside_directories(probe, err);
    fail(probe, errno);
    return true;
}
