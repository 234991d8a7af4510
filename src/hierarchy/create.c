/* create.c - making a new store, where there may be something already; removing one. */
#include "hierarchy/consolidated.h"
#include "hierarchy/document.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/location.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LINKS = 40 }; /* as Linux */

/* Everything but the documents of a root group: as long as one is there, it is a store. */
static bool empty_store(vz_store *store, vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    bool ok = vz_store_list(store, "", &entries, &count, err);
    for (size_t i = 0; ok && i < count; i++)
        if (strcmp(entries[i].name, VZ_DOCUMENT_GROUP) != 0 && strcmp(entries[i].name, VZ_DOCUMENT_V3) != 0)
            ok = vz_store_del_tree(store, entries[i].name, err);
    vz_entries_free(entries, count);
    return ok;
}

static bool check_free(const vz_location *location, const char *what, vz_error *err)
{
    struct stat status; /* by its inode too: an open store that was renamed is not where it was opened */
    const vz_hierarchy *open = vz_registry_find_around(location->real, true);
    if (!open && stat(location->real, &status) == 0)
        open = vz_registry_find((uint64_t)status.st_dev, (uint64_t)status.st_ino);
    return !open || vz_fail(err, VZ_BUSY, "cannot %s: the store %.200s is open", what, open->path);
}

/* A store may be made inside of another one, but not under its handles. */
static bool check_place(const char *path, vz_error *err)
{
    char *copy = strdup(path);
    char *above = copy ? realpath(dirname(copy), NULL) : NULL;
    if (!above) {
        free(copy);
        return vz_fail_errno(err, copy ? errno : ENOMEM, "cannot create the store");
    }
    const vz_hierarchy *open = vz_registry_find_around(above, false);
    free(copy);
    free(above);
    return !open || vz_fail(err, VZ_BUSY, "cannot create a store in the store %.200s, which is open", open->path);
}

/* HDF5 opens a file to truncate it, and locks it: a file that may not be written, or that somebody has locked, stays.
 */
static bool check_file(const char *path, vz_error *err)
{
    const int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return vz_fail_errno(err, errno, "cannot replace the file");
    const bool is_locked = vz_lock_is_wanted_by_hdf5() && flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(file);
    return !is_locked || vz_fail_errno(err, EWOULDBLOCK, "cannot replace the file: somebody has locked it");
}

/* A zip file takes the place of the old one, and has its mode and owner. */
static bool remove_file(const char *path, vz_error *err)
{
    return check_file(path, err) &&
           (vz_path_names_zip(path) || unlink(path) == 0 || vz_fail_errno(err, errno, "cannot remove the old file"));
}

/* What TRUNC may remove: a store, a file. The directory itself stays, and with it what links to it. */
static bool remove_old(const vz_location *location, int sys_errno, vz_error *err)
{
    if (sys_errno)
        return vz_fail_errno(err, sys_errno, "cannot look at it");
    if (location->kind == VZ_PATH_EMPTY_DIRECTORY)
        return true;
    if (location->is_zip && strcmp(location->top, location->real) != 0)
        return vz_fail_errno(err, EEXIST, "a node inside of a zip file, so not replaced");
    if (location->is_zip && !check_free(location, "truncate", err))
        return false;
    if (location->is_zip)
        return remove_file(location->real, err);
    if (location->kind == VZ_PATH_HDF5 || location->kind == VZ_PATH_EMPTY_FILE || location->kind == VZ_PATH_FILE)
        return check_place(location->real, err) && remove_file(location->real, err);
    if (location->kind != VZ_PATH_ZARR || location->is_implicit)
        return vz_fail_errno(err, EEXIST, "neither a Zarr store nor a file nor empty, so not replaced");
    if (!check_free(location, "truncate", err) || !vz_check_all_is_zarr(location->real, err) ||
        !vz_consolidated_drop_above(location->real, err))
        return false;
    vz_store *store = vz_store_open_directory(location->real, true, err);
    const bool ok = store && empty_store(store, err);
    vz_store_close(store);
    return ok;
}

/* What is a directory stays one; what is new is what its name says. */
static vz_store *make_store(const char *path, bool exclusive, vz_error *err)
{
    struct stat status;
    if (vz_path_names_zip(path) && (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)))
        return vz_store_create_zip(path, exclusive, err);
    return vz_store_create_directory(path, exclusive, err);
}

/* Where a path that leads nowhere leads to: links, the last of which dangles, are followed as open(2) does. */
static char *end_of_links(const char *path, vz_error *err)
{
    char *at = strdup(path), target[PATH_MAX];
    ssize_t length;
    for (unsigned i = 0; at && (length = readlink(at, target, sizeof target)) >= 0; i++) {
        vz_buffer next = {0};
        const char *slash = strrchr(at, '/');
        const size_t directory = slash && *target != '/' ? (size_t)(slash - at) + 1 : 0;
        if (i == MAX_LINKS || length == sizeof target) {
            vz_fail_errno(err, ELOOP, "cannot create the store");
            free(at);
            return NULL;
        }
        const bool ok = vz_buffer_append(&next, at, directory, err) &&
                        vz_buffer_append(&next, target, (size_t)length, err) && vz_buffer_append(&next, "", 1, err);
        free(at);
        at = ok ? strdup((char *)next.data) : NULL;
        vz_buffer_clear(&next);
    }
    if (!at)
        vz_fail_memory(err);
    return at;
}

static vz_store *create_missing(const char *path, vz_error *err)
{
    char *end = end_of_links(path, err);
    vz_store *store = end && check_place(end, err) ? make_store(end, true, err) : NULL;
    free(end);
    return store;
}

static vz_store *create_over(const char *path, vz_open_mode mode, vz_location *location, int sys_errno, vz_error *err)
{
    struct stat status; /* a link is there, wherever it leads, or does not: open(2) with O_EXCL */
    if (mode == VZ_CREATE_EXCLUSIVE && lstat(path, &status) == 0) {
        vz_fail_errno(err, EEXIST, "cannot create the store");
        return NULL;
    }
    if (location->kind == VZ_PATH_MISSING) {
        if (sys_errno != ENOENT) {
            vz_fail_errno(err, sys_errno, "cannot create the store");
            return NULL;
        }
        return create_missing(path, err);
    }
    const bool over_empty = mode == VZ_CREATE_OVER_EMPTY && location->kind == VZ_PATH_EMPTY_FILE;
    if (mode != VZ_CREATE_TRUNCATE && !over_empty) { /* without a path nobody knows what is there */
        vz_fail_errno(err, location->real ? EEXIST : sys_errno, "cannot create the store");
        return NULL;
    }
    if (!remove_old(location, sys_errno, err))
        return NULL;
    const bool stays = vz_path_names_zip(location->real); /* until the zip file is written */
    return make_store(location->real, over_empty && !stays, err);
}

/* The path without links, as for stores that are opened; and what stands above must not list what was there before. */
static bool settle_place(vz_store *store, const char *path, vz_error *err)
{
    char *real = realpath(path, NULL);
    if (!real)
        return vz_fail_errno(err, errno, "cannot create the store");
    free(store->path);
    store->path = real;
    vz_registry_forget_tokens(store->device, store->inode);
    return strcmp(store->class->kind, "directory") != 0 || vz_consolidated_drop_above(real, err);
}

vz_store *vz_create_store(const char *path, vz_open_mode mode, vz_error *err)
{
    vz_location location;
    int sys_errno;
    vz_store *store = NULL;
    if (vz_path_locate(path, &location, &sys_errno, err))
        store = create_over(path, mode, &location, sys_errno, err);
    vz_location_clear(&location);
    if (store && !settle_place(store, path, err)) {
        vz_store_close(store);
        vz_create_undo(path);
        return NULL;
    }
    return store;
}

void vz_create_undo(const char *path)
{
    char *real = realpath(path, NULL);
    if (real && rmdir(real) != 0 && errno == ENOTDIR && vz_path_is_zip(real)) /* rmdir: only if nothing is in it */
        unlink(real);
    free(real);
}

static bool delete_zip(const char *path, const vz_location *location, vz_error *err)
{
    if (strcmp(location->top, location->real) != 0)
        return vz_fail(err, VZ_INVALID, "a node inside of a zip file, so not deleted");
    vz_registry_forget_tokens(location->device, location->inode);
    if (unlink(location->real) != 0)
        return vz_fail_errno(err, errno, "cannot remove the zip file");
    unlink(path); /* the link that led there, if it was one */
    return true;
}

static bool delete_located(const char *path, const vz_location *location, int sys_errno, vz_error *err)
{
    if (sys_errno)
        return vz_fail_errno(err, sys_errno, "cannot delete the store");
    if (location->kind != VZ_PATH_ZARR || location->is_implicit)
        return vz_fail(err, VZ_INVALID, "not a Zarr store, so not deleted");
    if (!check_free(location, "delete", err) || (!location->is_zip && !vz_check_all_is_zarr(location->real, err)) ||
        !vz_consolidated_drop_above(location->real, err))
        return false;
    if (location->is_zip)
        return delete_zip(path, location, err);
    vz_store *store = vz_store_open_directory(location->real, true, err);
    if (!store)
        return false;
    vz_registry_forget_tokens(store->device, store->inode);
    const bool ok = empty_store(store, err) && vz_store_del(store, VZ_DOCUMENT_GROUP, err) &&
                    vz_store_del(store, VZ_DOCUMENT_V3, err) &&
                    vz_store_del_tree(store, "", err); /* what no listing shows: partial files */
    if (ok) {
        vz_settle_shapes(store);
        vz_store_journals_done(store);
    }
    vz_store_close(store);
    if (!ok)
        return false;
    if (rmdir(location->real) != 0)
        return vz_fail_errno(err, errno, "cannot remove the directory");
    unlink(path); /* the link that led there, if it was one */
    return true;
}

bool vz_hierarchy_delete(const char *path, vz_error *err)
{
    vz_location location;
    int sys_errno;
    const bool ok = vz_path_locate(path, &location, &sys_errno, err) && delete_located(path, &location, sys_errno, err);
    vz_location_clear(&location);
    if (!ok)
        vz_error_where(err, path, NULL);
    return ok;
}
