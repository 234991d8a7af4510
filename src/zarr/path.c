/* path.c - what is at a path of the file system? Decided by looking only. */
#include "zarr/hierarchy.h"
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

/* 1: there, 0: not there, -1: errno. */
static int has_document(const char *directory, const char *document)
{
    char path[PATH_MAX];
    struct stat status;
    if (snprintf(path, sizeof path, "%s/%s", directory, document) >= (int)sizeof path)
        return 0;
    if (stat(path, &status) == 0)
        return S_ISREG(status.st_mode);
    return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
}

/* What its zarr.json says a directory is; -1: errno. */
static int look_at_v3(const char *directory)
{
    const int there = has_document(directory, VZ_DOCUMENT_V3);
    if (there <= 0)
        return there < 0 ? -1 : VZ_V3_NONE;
    vz_store *store = vz_store_open_directory(directory, false, NULL);
    const vz_v3_kind kind = store ? vz_v3_look(store, "") : VZ_V3_GROUP;
    vz_store_close(store);
    return (int)kind;
}

/* A group of either format. */
static bool is_group(const char *directory)
{
    return has_document(directory, VZ_DOCUMENT_GROUP) > 0 || look_at_v3(directory) == VZ_V3_GROUP;
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

/* The directory above, or NULL at the top. Caller frees. */
static char *directory_above(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash || path[1] == '\0')
        return NULL;
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* May two directories, one in the other, be one store? Whoever owns the upper one decides what the lower one's paths
 * mean, so it must not be somebody who could not write to the lower one. */
static bool is_one_owner(const char *above, const char *below)
{
    struct stat upper, lower;
    if (stat(above, &upper) != 0 || stat(below, &lower) != 0 || upper.st_uid != lower.st_uid)
        return false;
    if (upper.st_mode & S_IWOTH && (upper.st_mode & S_ISVTX || !(lower.st_mode & S_IWOTH)))
        return false;
    return faccessat(AT_FDCWD, above, W_OK, AT_EACCESS) == 0 || faccessat(AT_FDCWD, below, W_OK, AT_EACCESS) != 0;
}

char *vz_path_group_above(const char *path, vz_error *err)
{
    char *above = directory_above(path);
    if (!above && strchr(path, '/') && path[1] != '\0')
        vz_fail_memory(err);
    if (above && is_group(above) && is_one_owner(above, path))
        return above;
    free(above);
    return NULL;
}

/* The attributes of the node in a directory; NULL: none that can be read. */
static vz_json *attributes_in(const char *directory)
{
    vz_store *store = vz_store_open_directory(directory, false, NULL);
    const bool is_v3 = store && vz_v3_look(store, "") != VZ_V3_NONE;
    const char *document = is_v3 ? VZ_DOCUMENT_V3 : VZ_DOCUMENT_ATTRIBUTES;
    vz_buffer text = {0};
    bool found = false;
    vz_json *value = NULL;
    if (store && vz_document_get(store, "", document, &text, &found, NULL) && found)
        value = vz_document_parse(document, (const char *)text.data, text.size, NULL);
    vz_json *attributes = is_v3 && value ? vz_json_detach(value, VZ_V3_ATTRIBUTES) : NULL;
    if (is_v3)
        vz_json_free(value);
    vz_buffer_clear(&text);
    vz_store_close(store);
    return is_v3 ? attributes : value;
}

/* Does the group say that it is the root of a store? By our mark, or as stores of HDMF do. */
static bool is_marked_root(const char *directory)
{
    vz_json *attributes = attributes_in(directory), *annotation = NULL, *unused = NULL;
    const bool is_object = attributes && vz_json_kind_of(attributes) == VZ_JSON_OBJECT;
    bool is_root = is_object && vz_json_get(attributes, ".specloc");
    if (is_object && !is_root && vz_annotation_detach(attributes, &annotation, &unused, NULL))
        is_root = vz_json_get(annotation, "v") != NULL;
    vz_json_free(attributes);
    vz_json_free(annotation);
    vz_json_free(unused);
    return is_root;
}

/* Climbs from a group as long as the directory above is one, but not beyond a marked root, nor to where somebody else
 * decides. An array is a root of its own, since a file begins with a group and an array cannot be one. */
bool vz_location_find_top(vz_location *location, vz_error *err)
{
    if (!(location->top = strdup(location->real)))
        return vz_fail_memory(err);
    vz_error failed = VZ_ERROR_NONE;
    while (!location->is_array) {
        char *above = vz_path_group_above(location->top, &failed);
        if (!above || is_marked_root(location->top)) {
            free(above);
            break;
        }
        free(location->top);
        location->top = above;
    }
    if (failed.class != VZ_OK && err)
        *err = failed;
    return failed.class == VZ_OK;
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
    const int v3 = look_at_v3(location->real);
    const int array = v3 == 0 ? has_document(location->real, VZ_DOCUMENT_ARRAY) : 0;
    const int group = v3 == 0 && array == 0 ? has_document(location->real, VZ_DOCUMENT_GROUP) : 0;
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
