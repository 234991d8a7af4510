/* lock.c - flock on the root's metadata, or, in format 3, whose document is replaced at each change, on the root's
 * directory: many readers or one writer, between processes that ask for it. */
#include "zarr/hierarchy.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/file.h>
#include <limits.h>
#include <time.h>
#include <unistd.h>

typedef enum wish { LOCK_NO, LOCK_YES, LOCK_IF_POSSIBLE } wish;

/* HDF5's own variable has the last word. */
static wish wish_of(const vz_options *options)
{
    const char *value = getenv("HDF5_USE_FILE_LOCKING");
    if (value && (strcasecmp(value, "FALSE") == 0 || strcmp(value, "0") == 0))
        return LOCK_NO;
    if (value && strcasecmp(value, "BEST_EFFORT") == 0)
        return options->locking ? LOCK_IF_POSSIBLE : LOCK_NO;
    return options->locking ? LOCK_YES : LOCK_NO;
}

/* A descriptor that holds the lock, or -1: *refused=false if that is as good. */
static int take(const char *path, wish wanted, int operation, bool *refused, vz_error *err)
{
    *refused = true;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0 && flock(file, operation | LOCK_NB) == 0)
        return file;
    const int sys_errno = errno;
    if (file >= 0)
        close(file);
    if (file >= 0 && sys_errno == EWOULDBLOCK) {
        vz_fail(err, VZ_BUSY, "another process has locked the store");
        if (err)
            err->sys_errno = sys_errno;
    } else if (wanted == LOCK_IF_POSSIBLE) {
        *refused = false;
    } else {
        vz_fail_errno(err, sys_errno, "cannot lock the store");
    }
    return -1;
}

/* The file whose lock is the store's: a zip file itself, in a directory the root's document. */
static bool name_lock(const char *path, const char *document, char *name, size_t size)
{
    return snprintf(name, size, "%s%s%s", path, vz_path_is_zip(path) ? "" : "/", vz_path_is_zip(path) ? "" : document) <
           (int)size;
}

bool vz_lock_take(vz_hierarchy *hierarchy, vz_error *err)
{
    const wish wanted = wish_of(&hierarchy->options);
    if (wanted == LOCK_NO)
        return true;
    char path[PATH_MAX];
    bool refused;
    const char *document = hierarchy->format == 3 ? "" : hierarchy->array_root ? VZ_DOCUMENT_ARRAY : VZ_DOCUMENT_GROUP;
    if (!name_lock(hierarchy->store->path, document, path, sizeof path))
        return vz_fail(err, VZ_LIMIT, "the path is too long");
    hierarchy->lock_fd = take(path, wanted, hierarchy->writable ? LOCK_EX : LOCK_SH, &refused, err);
    return hierarchy->lock_fd >= 0 || !refused;
}

bool vz_documents_lock(vz_hierarchy *hierarchy)
{
    enum { TRIES = 2000 };
    const bool is_directory =
        strcmp(hierarchy->store->class->kind, "directory") == 0; /* others replace nothing in place */
    const int *descriptor = is_directory ? hierarchy->store->descriptor : NULL;
    const struct timespec pause = {.tv_nsec = 1000000};
    for (unsigned i = 0; descriptor && i < TRIES; i++) {
        if (flock(*descriptor, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (errno != EWOULDBLOCK && errno != EINTR)
            break;
        nanosleep(&pause, NULL);
    }
    return false;
}

void vz_documents_unlock(vz_hierarchy *hierarchy)
{
    flock(*hierarchy->store->descriptor, LOCK_UN);
}

bool vz_hierarchy_relax_lock(vz_hierarchy *hierarchy, vz_error *err)
{
    if (hierarchy->lock_fd < 0 || flock(hierarchy->lock_fd, (hierarchy->writable ? LOCK_SH : LOCK_UN) | LOCK_NB) == 0)
        return true;
    return vz_fail_errno(err, errno, "cannot change the lock on the store");
}

/* What a store at `path` is locked by; false: there is none. */
static bool find_lockable(const char *path, char *lockable, size_t size)
{
    if (name_lock(path, VZ_DOCUMENT_V3, lockable, size) && !vz_path_is_zip(path) && access(lockable, F_OK) == 0)
        return name_lock(path, "", lockable, size);
    return name_lock(path, VZ_DOCUMENT_GROUP, lockable, size) && access(lockable, F_OK) == 0;
}

bool vz_lock_check(const char *path, const vz_options *options, vz_error *err)
{
    const wish wanted = wish_of(options);
    char document[PATH_MAX];
    bool refused;
    if (wanted == LOCK_NO || !find_lockable(path, document, sizeof document))
        return true;
    const int file = take(document, wanted, LOCK_EX, &refused, err);
    if (file >= 0)
        close(file);
    return file >= 0 || !refused;
}
