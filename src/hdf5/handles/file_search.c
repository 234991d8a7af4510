/* file_search.c - looking for a named file. The places and their order are native HDF5's. */
#include "hdf5/handles/handle_internal.h"
#include "hdf5/handles/locate.h"
#include "hdf5/h5/h5.h"
#include "hdf5/handles/handle.h"
#include "base/os/process.h"
#include "base/os/file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
    const vz_file_search *where;
    vz_error refused; /* the first refusal */
} search;

/* Where the policy refuses what a name leads to, another file of that name is not meant. In a
 * remote store names of paths lead nowhere, and the last part of one may lie beside. */
static bool is_over(const search *s)
{
    return s->refused.class != VZ_OK && s->where->named->by == VZ_NAMER_LOCAL_FILE;
}

/* A URL is not looked for on another server. */
static bool has_scheme(const char *text, size_t length)
{
    return memmem(text, length, ":/", 2) != NULL;
}

/* Opens `directory`/`name`; negative if that cannot be, whatever the reason: the next place is
 * tried. */
static hid_t try_in(search *s, const char *directory, size_t length, bool by_user, const char *name)
{
    if (is_over(s) || (has_scheme(name, strlen(name)) && has_scheme(directory, length)))
        return H5I_INVALID_HID;
    char *path = NULL, *prefix = by_user ? strndup(directory, length) : NULL;
    const bool slash = length > 0 && directory[length - 1] != '/';
    if ((by_user && !prefix) || asprintf(&path, "%.*s%s%s", (int)length, directory, slash ? "/" : "", name) < 0) {
        free(prefix);
        vz_fail_memory(&s->refused);
        return H5I_INVALID_HID;
    }
    vz_named named = *s->where->named;
    named.prefix = prefix;
    named.refused = &s->refused;
    const hid_t file = VZ_H5_QUIETLY(
        vz_names_list_put(s->where->fapl, &named) ? H5Fopen(path, s->where->flags, s->where->fapl) : H5I_INVALID_HID);
    free(path);
    free(prefix);
    return file;
}

static hid_t try_environment(search *s, const char *name)
{
    const char *list = vz_os_environment(s->where->environment);
    hid_t file = H5I_INVALID_HID;
    while (list && *list && file < 0) {
        const size_t length = strcspn(list, ":");
        if (length > 0)
            file = try_in(s, list, length, true, name);
        list += length + (list[length] == ':');
    }
    return file;
}

static hid_t try_beside(search *s, const char *path, const char *name)
{
    return try_in(s, path, vz_os_directory_length(path), false, name);
}

/* Beside what a symbolic link to the parent leads to. */
static hid_t try_beside_resolved(search *s, const char *name)
{
    char *resolved = vz_os_path_resolve(s->where->beside, NULL);
    const hid_t file = resolved ? try_beside(s, resolved, name) : H5I_INVALID_HID;
    free(resolved);
    return file;
}

/* A prefix of ${ORIGIN} is the store's own directory, which the user does not name thereby. */
static bool is_of_user(const vz_file_search *where)
{
    const size_t length = vz_os_directory_length(where->beside);
    return strncmp(where->prefix, where->beside, length) != 0;
}

/* The working directory is no place that a remote store means. */
static bool is_whole(const vz_file_search *where, const char *name)
{
    return where->named->by != VZ_NAMER_REMOTE_STORE || *name == '/' || has_scheme(name, strlen(name));
}

/* An absolute name that leads nowhere is looked for by its last part. */
static hid_t open_somewhere(search *s, const char *name)
{
    const vz_file_search *where = s->where;
    hid_t file = H5I_INVALID_HID;
    if (*name == '/') {
        file = try_in(s, "", 0, false, name);
        name = strrchr(name, '/') + 1;
    }
    if (file < 0)
        file = try_environment(s, name);
    if (file < 0 && *where->prefix)
        file = try_in(s, where->prefix, strlen(where->prefix), is_of_user(where), name);
    if (file < 0)
        file = try_beside(s, where->beside, name);
    if (file < 0 && is_whole(where, name))
        file = try_in(s, "", 0, false, name);
    return file >= 0 ? file : try_beside_resolved(s, name);
}

hid_t vz_file_search_open(const vz_file_search *where, const char *name, vz_error *err)
{
    search s = {where, VZ_ERROR_NONE};
    const hid_t file = open_somewhere(&s, name);
    if (file < 0 && s.refused.class != VZ_OK && err->class == VZ_OK) {
        H5Eclear2(H5E_DEFAULT); /* programs show the innermost record, which is that of the last
                                 * place */
        *err = s.refused;
    }
    return file;
}
