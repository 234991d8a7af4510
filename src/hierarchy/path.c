/* path.c - what is at a path of the file system? Decided by looking only. */
#include "hierarchy/hierarchy.h"
#include "hierarchy/document.h"
#include "hierarchy/location.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define HDF5_SIGNATURE   "\211HDF\r\n\032\n"
#define SIGNATURE_SIZE   8
#define FIRST_USER_BLOCK 512 /* the signature stands at 0, or at a power of two from here on */

/* ---- files ---- */

static vz_path_kind look_at_file(const char *path, int *sys_errno)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) {
        *sys_errno = errno;
        if (file >= 0)
            close(file);
        return VZ_PATH_OTHER;
    }
    vz_path_kind kind = status.st_size ? VZ_PATH_FILE : VZ_PATH_EMPTY_FILE;
    char start[SIGNATURE_SIZE];
    for (off_t at = 0; kind == VZ_PATH_FILE && at <= status.st_size - SIGNATURE_SIZE;
         at = at ? 2 * at : FIRST_USER_BLOCK) {
        if (pread(file, start, sizeof start, at) == SIGNATURE_SIZE && memcmp(start, HDF5_SIGNATURE, sizeof start) == 0)
            kind = VZ_PATH_HDF5;
        if (at > status.st_size / 2)
            break;
    }
    close(file);
    return kind;
}

/* ---- directories ---- */

int vz_path_has_document(const char *directory, const char *document)
{
    char path[PATH_MAX];
    struct stat status;
    if (snprintf(path, sizeof path, "%s/%s", directory, document) >= (int)sizeof path)
        return 0;
    if (stat(path, &status) == 0)
        return S_ISREG(status.st_mode);
    return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
}

int vz_path_look_at_v3(const char *directory)
{
    const int there = vz_path_has_document(directory, VZ_DOCUMENT_V3);
    if (there <= 0)
        return there < 0 ? -1 : VZ_V3_NONE;
    vz_store *store = vz_store_open_directory(directory, false, NULL);
    const vz_v3_kind kind = store ? vz_v3_look(store, "") : VZ_V3_GROUP;
    vz_store_close(store);
    return (int)kind;
}

static bool is_empty_directory(const char *path, int *sys_errno)
{
    DIR *directory = opendir(path);
    if (!directory) {
        *sys_errno = errno;
        return false;
    }
    const struct dirent *entry;
    bool is_empty = true;
    while (is_empty && (entry = readdir(directory)))
        is_empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    closedir(directory);
    return is_empty;
}

/* A directory without documents is a group only inside of a store. */
static bool is_inside_group(const char *real)
{
    char *above = vz_path_group_above(real, NULL);
    const bool inside = above && !vz_is_partial_name(strrchr(real, '/') + 1);
    free(above);
    return inside;
}

static vz_path_kind look_at_directory(vz_location *location, int *sys_errno)
{
    const int v3 = vz_path_look_at_v3(location->real);
    const int array = v3 == 0 ? vz_path_has_document(location->real, VZ_DOCUMENT_ARRAY) : 0;
    const int group = v3 == 0 && array == 0 ? vz_path_has_document(location->real, VZ_DOCUMENT_GROUP) : 0;
    if (array < 0 || group < 0 || v3 < 0) {
        *sys_errno = errno;
        return VZ_PATH_OTHER;
    }
    location->is_array = array > 0 || v3 == VZ_V3_ARRAY;
    if (array > 0 || group > 0 || v3 > 0)
        return VZ_PATH_ZARR;
    const bool is_empty = is_empty_directory(location->real, sys_errno);
    if (is_empty || *sys_errno)
        return is_empty ? VZ_PATH_EMPTY_DIRECTORY : VZ_PATH_OTHER;
    location->is_implicit = is_inside_group(location->real);
    return location->is_implicit ? VZ_PATH_ZARR : VZ_PATH_OTHER;
}

/* ---- both ---- */

static bool take_identity(vz_location *location, vz_error *err)
{
    struct stat status;
    if (stat(location->top ? location->top : location->real, &status) != 0)
        return vz_fail_errno(err, errno, "cannot stat");
    location->device = (uint64_t)status.st_dev;
    location->inode = (uint64_t)status.st_ino;
    return true;
}

static bool is_missing(int sys_errno)
{
    return sys_errno == ENOENT || sys_errno == ENOTDIR;
}

static bool look_into_zip(vz_location *location, const char *path, int *sys_errno, vz_error *err)
{
    if (!vz_location_find_zip(location, path, err))
        return false;
    if (location->kind == VZ_PATH_ZARR)
        *sys_errno = 0;
    return location->kind != VZ_PATH_ZARR || take_identity(location, err);
}

bool vz_path_locate(const char *path, vz_location *location, int *sys_errno, vz_error *err)
{
    *location = (vz_location){.kind = VZ_PATH_MISSING};
    *sys_errno = 0;
    struct stat status;
    location->real = stat(path, &status) == 0 ? realpath(path, NULL) : NULL;
    if (!location->real) {
        *sys_errno = errno;
        location->kind = is_missing(errno) ? VZ_PATH_MISSING : VZ_PATH_OTHER;
        return *sys_errno != ENOTDIR || look_into_zip(location, path, sys_errno, err);
    }
    if (S_ISDIR(status.st_mode))
        location->kind = look_at_directory(location, sys_errno);
    else
        location->kind = S_ISREG(status.st_mode) ? look_at_file(location->real, sys_errno) : VZ_PATH_OTHER;
    if (location->kind == VZ_PATH_FILE)
        return look_into_zip(location, path, sys_errno, err);
    return (location->kind != VZ_PATH_ZARR || vz_location_find_top(location, err)) && take_identity(location, err);
}

void vz_location_clear(vz_location *location)
{
    free(location->real);
    free(location->top);
    *location = (vz_location){0};
}

vz_path_kind vz_path_look(const char *path, int *sys_errno)
{
    vz_location location;
    vz_error err = VZ_ERROR_NONE;
    int failed;
    const bool ok = vz_path_locate(path, &location, &failed, &err);
    const vz_path_kind kind = ok ? location.kind : VZ_PATH_OTHER;
    vz_location_clear(&location);
    if (sys_errno)
        *sys_errno = ok ? failed : err.sys_errno;
    return kind;
}
