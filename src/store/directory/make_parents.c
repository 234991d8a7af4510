/* make_parents.c - makes the directories above a key. */
#include "store/directory/directory_internal.h"
#include "base/os/file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define PLACE_ATTEMPTS 3 /* when somebody removes a directory that was just made */

/* 0, also if it is there already, or an errno. */
static int make_directory(const struct vz_directory *store, const char *path)
{
    const int parent = vz_directory_borrow_parent(store, path);
    if (parent < 0)
        return errno;
    const int sys_errno =
        vz_os_mkdir_at(parent, vz_directory_last_part(path), 0777) == 0 || errno == EEXIST ? 0 : errno;
    vz_directory_leave(store, parent);
    return sys_errno;
}

static bool cannot_make(const struct vz_directory *store, const char *path, int sys_errno, vz_error *err)
{
    char what[160];
    snprintf(what, sizeof what, "cannot make the directory %.100s", path);
    return vz_directory_fail(store, path, sys_errno, what, err);
}

/* Up to the nearest that exists, then down again: 0, or an errno, and `path`, a copy of the key,
 * is what cannot be made. */
static int make_parents(const struct vz_directory *store, const char *key, char *path)
{
    int sys_errno = ENOENT;
    /* upwards */
    for (char *slash = strrchr(path, '/'); slash && sys_errno == ENOENT; slash = strrchr(path, '/')) {
        *slash = '\0';
        sys_errno = make_directory(store, path);
    }
    const char *last = strrchr(key, '/');
    while (sys_errno == 0 && last && strlen(path) < (size_t)(last - key)) { /* downwards */
        path[strlen(path)] = '/';
        sys_errno = make_directory(store, path);
    }
    return sys_errno;
}

bool vz_directory_make_parents(const struct vz_directory *store, const char *key, vz_error *err)
{
    char *path = strdup(key);
    if (!path)
        return vz_fail_memory(err);
    int sys_errno = strchr(key, '/') ? ENOENT : 0;
    /* A caller that deletes the last chunk of a directory may remove one that was just made. */
    for (int attempt = 0; attempt < PLACE_ATTEMPTS && sys_errno == ENOENT; attempt++) {
        strcpy(path, key);
        sys_errno = make_parents(store, key, path);
    }
    const bool ok = sys_errno == 0 || cannot_make(store, path, sys_errno, err);
    free(path);
    return ok;
}
