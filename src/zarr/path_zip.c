/* path_zip.c - is there a store in that zip file? A path may go on inside of it, as below a directory. */
#include "zarr/hierarchy.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

bool vz_path_is_zip(const char *real)
{
    char start[4];
    const int file = open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const bool zip =
        file >= 0 && read(file, start, 4) == 4 && (memcmp(start, "PK\3\4", 4) == 0 || memcmp(start, "PK\5\6", 4) == 0);
    if (file >= 0)
        close(file);
    return zip;
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
static size_t file_length(char *copy)
{
    struct stat status;
    for (;;) {
        size_t length = strlen(copy);
        while (length > 1 && copy[length - 1] == '/')
            copy[--length] = '\0';
        if (stat(copy, &status) == 0)
            return S_ISREG(status.st_mode) ? length : 0;
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
static vz_store *open_around(const char *path, char *copy, char **inside)
{
    const size_t length = file_length(copy);
    if (!length || !vz_path_is_zip(copy))
        return NULL;
    vz_store *store = vz_store_open_zip(copy, false, NULL);
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
    bool ok = true;
    vz_store *store = open_around(path, copy, &inside);
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
