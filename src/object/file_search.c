/* file_search.c - looking for a named file. The places and their order are native HDF5's. */
#include "object/file_search.h"
#include "h5/errors.h"
#include "store/path.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Opens `directory`/`name`; negative if that cannot be, whatever the reason: the next place is tried. */
static hid_t try_in(const vz_file_search *s, const char *directory, size_t length, const char *name)
{
    char *path = NULL;
    const bool slash = length > 0 && directory[length - 1] != '/';
    if (asprintf(&path, "%.*s%s%s", (int)length, directory, slash ? "/" : "", name) < 0)
        return H5I_INVALID_HID;
    const hid_t file = VZ_H5_QUIETLY(H5Fopen(path, s->flags, s->fapl));
    free(path);
    return file;
}

static hid_t try_environment(const vz_file_search *s, const char *name)
{
    const char *list = getenv(s->environment);
    hid_t file = H5I_INVALID_HID;
    while (list && *list && file < 0) {
        const size_t length = strcspn(list, ":");
        if (length > 0)
            file = try_in(s, list, length, name);
        list += length + (list[length] == ':');
    }
    return file;
}

size_t vz_directory_length(const char *path)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    while (end > 0 && path[end - 1] != '/')
        end--;
    return end;
}

static hid_t try_beside(const vz_file_search *s, const char *path, const char *name)
{
    return try_in(s, path, vz_directory_length(path), name);
}

/* Beside what a symbolic link to the parent leads to. */
static hid_t try_beside_resolved(const vz_file_search *s, const char *name)
{
    char *resolved = vz_path_resolve(s->beside, NULL);
    const hid_t file = resolved ? try_beside(s, resolved, name) : H5I_INVALID_HID;
    free(resolved);
    return file;
}

/* An absolute name that leads nowhere is looked for by its last part. */
hid_t vz_file_search_open(const vz_file_search *s, const char *name)
{
    hid_t file = H5I_INVALID_HID;
    if (*name == '/') {
        file = try_in(s, "", 0, name);
        name = strrchr(name, '/') + 1;
    }
    if (file < 0)
        file = try_environment(s, name);
    if (file < 0 && *s->prefix)
        file = try_in(s, s->prefix, strlen(s->prefix), name);
    if (file < 0)
        file = try_beside(s, s->beside, name);
    if (file < 0)
        file = try_in(s, "", 0, name);
    return file >= 0 ? file : try_beside_resolved(s, name);
}
