/* path_zip.c - is there a store in that zip file? A path may go on inside of it, as below a directory. */
#include "hierarchy/hierarchy.h"
#include "hierarchy/document.h"
#include "hierarchy/location.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Does the file start as zip files do? False with err set when the system does not let it be read. */
static bool starts_as_zip(const char *real, vz_error *err)
{
    uint8_t start[4] = {0};
    const int file = open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return vz_fail_errno(err, errno, "cannot open the file");
    size_t size = 0;
    ssize_t got = 1;
    while (size < sizeof start && got != 0) {
        got = read(file, start + size, sizeof start - size);
        if (got < 0 && errno != EINTR)
            break;
        size += got > 0 ? (size_t)got : 0;
    }
    const int sys_errno = errno;
    close(file);
    if (got < 0)
        return vz_fail_errno(err, sys_errno, "cannot read the file");
    return memcmp(start, "PK\3\4", 4) == 0 || memcmp(start, "PK\5\6", 4) == 0;
}

bool vz_path_is_zip(const char *real)
{
    return starts_as_zip(real, NULL);
}

bool vz_path_is_empty_zip(const char *path)
{
    vz_entry *entries = NULL;
    size_t count = 1;
    vz_store *store = vz_path_is_zip(path) ? vz_store_open_zip(path, false, NULL) : NULL;
    const bool listed = store && vz_store_list(store, "", &entries, &count, NULL);
    vz_entries_free(entries, count * listed);
    vz_store_close(store);
    return listed && count == 0;
}

bool vz_path_names_zip(const char *path)
{
    const size_t length = strlen(path), suffix = strlen(VZ_ZIP_SUFFIX);
    return length > suffix && strcmp(path + length - suffix, VZ_ZIP_SUFFIX) == 0;
}

/* The part of `path` that is a file: its length, 0 if there is none. */
static size_t file_length(char *copy, vz_error *err)
{
    struct stat status;
    for (;;) {
        size_t length = strlen(copy);
        while (length > 1 && copy[length - 1] == '/')
            copy[--length] = '\0';
        if (stat(copy, &status) == 0)
            return S_ISREG(status.st_mode) ? length : 0;
        if (errno != ENOENT && errno != ENOTDIR) {
            vz_fail_errno(err, errno, "cannot look at it");
            return 0;
        }
        char *slash = strrchr(copy, '/');
        if (!slash || slash == copy)
            return 0;
        *slash = '\0';
    }
}

static bool has_document(vz_store *store, const char *prefix, const char *document)
{
    vz_stamp stamp = {0};
    char *key = vz_key_join(prefix, document, NULL);
    const bool found = key && vz_store_stat(store, key, &stamp, NULL) && stamp.exists;
    free(key);
    return found;
}

static bool has_members(vz_store *store, const char *prefix)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    const bool found = vz_store_list(store, prefix, &entries, &count, NULL) && count > 0;
    vz_entries_free(entries, count);
    return found;
}

/* Fills in what `inside` is, below the root of a zip file that is a store. */
static void look_inside(vz_location *location, vz_store *store, const char *inside)
{
    if (!has_document(store, "", VZ_DOCUMENT_GROUP) && !has_document(store, "", VZ_DOCUMENT_ARRAY) &&
        !has_document(store, "", VZ_DOCUMENT_V3))
        return;
    const vz_v3_kind v3 = vz_v3_look(store, inside);
    location->is_array = v3 == VZ_V3_NONE ? has_document(store, inside, VZ_DOCUMENT_ARRAY) : v3 == VZ_V3_ARRAY;
    location->kind = *inside == '\0' || has_members(store, inside) ? VZ_PATH_ZARR : VZ_PATH_MISSING;
}

/* The zip file that `path` names or goes into, opened; NULL if there is none, or (as opening it will say) it is
 * damaged. *inside is the rest of the path, without slashes around it, in `copy`. */
static vz_store *open_around(const char *path, char *copy, char **inside, vz_error *err)
{
    const size_t length = file_length(copy, err);
    if (!length || !starts_as_zip(copy, err))
        return NULL;
    vz_store *store = vz_store_open_zip(copy, false, err);
    const char *rest = path + length;
    rest += strspn(rest, "/");
    *inside = memmove(copy, rest, strlen(rest) + 1);
    for (size_t last = strlen(copy); last > 0 && copy[last - 1] == '/'; last--)
        copy[last - 1] = '\0';
    return store;
}

/* A store of this process has nothing in its file before it is closed for the first time. */
static bool is_open(const char *real)
{
    struct stat status;
    return stat(real, &status) == 0 && vz_registry_find((uint64_t)status.st_dev, (uint64_t)status.st_ino);
}

bool vz_location_find_zip(vz_location *location, const char *path, vz_error *err)
{
    char *copy = strdup(path), *inside;
    if (!copy)
        return vz_fail_memory(err);
    vz_error failed = VZ_ERROR_NONE;
    vz_store *store = open_around(path, copy, &inside, &failed);
    bool ok = store || !(failed.sys_errno || failed.class == VZ_NO_MEMORY); /* what the system refuses is told */
    if (!ok && err)
        *err = failed;
    if (store)
        look_inside(location, store, inside);
    if (store && *inside == '\0' && location->kind != VZ_PATH_ZARR && is_open(store->path))
        location->kind = VZ_PATH_ZARR;
    if (store && location->kind == VZ_PATH_ZARR) {
        free(location->real);
        location->is_zip = true;
        location->top = strdup(store->path);
        location->real = vz_key_join(store->path, inside, err);
        ok = location->real && (location->top || vz_fail_memory(err));
    }
    vz_store_close(store);
    free(copy);
    return ok;
}
