/* directory_write.c - a directory of files: writing. A value is written beside its place and
 * renamed onto it. */
#include "store/directory/directory_internal.h"
#include "base/os/file.h"
#include "base/os/process.h"
#include "store/store/lease.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define NAME_ATTEMPTS 1000 /* partial names tried: another process may have used ours */
/* times a value is written anew when its directory or partial file vanishes */
#define PLACE_ATTEMPTS 3

/* ---- the partial file ---- */

/* The name of a partial file beside `key`: its directory, then `own`, or (NULL) a fresh name. */
static bool name_partial(const char *key, const char *own, char *path, size_t size, vz_error *err)
{
    const size_t directory = (size_t)(vz_directory_last_part(key) - key);
    if (directory + (own ? strlen(own) : 0) >= size)
        return vz_fail_errno(err, ENAMETOOLONG, "cannot write");
    memcpy(path, key, directory);
    if (!own)
        return vz_partial_name(path + directory, size - directory, err);
    strcpy(path + directory, own);
    return true;
}

/* O_EXCL: nobody else's file, and no link that somebody laid there, is written through. */
int vz_directory_open_partial(const struct vz_directory *store, const char *key, const char *own, char *path,
                              size_t size, vz_error *err)
{
    int made_parents = 0;
    for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
        if (!name_partial(key, own, path, size, err)) {
            path[0] = '\0';
            return -1;
        }
        const int file = vz_directory_open_new(store, path, O_WRONLY, 0666);
        if (file >= 0)
            return file;
        /* who removes leftovers removes empty directories */
        if (errno == ENOENT && made_parents++ < PLACE_ATTEMPTS) {
            if (!vz_directory_make_parents(store, key, err))
                return -1;
        } else if (errno != EEXIST) {
            break;
        } else {
            own = NULL; /* that name is taken */
        }
    }
    vz_directory_fail(store, key, errno, "cannot create a file", err);
    return -1;
}

void vz_directory_drop_partial(const struct vz_directory *store, char *path)
{
    vz_os_unlink_at(store->root, path);
    for (char *slash = strrchr(path, '/'); slash; slash = strrchr(path, '/')) {
        *slash = '\0';
        const char *last = vz_directory_last_part(path);
        if (!vz_partial_is_chunk_part(last, strlen(last)) ||
            /* they may be made in part */
            (vz_os_rmdir_at(store->root, path) != 0 && errno != ENOENT))
            return;
    }
}

/* The time of the last change to the nanosecond, where the system counts in ticks. No other file
 * that is put in this place has an equal one. Without it (exists=false) the stamp tells nothing. */
static void stamp_once(int file, vz_stamp *stamp)
{
    const int64_t now = vz_os_date_ns();
    const struct timespec times[2] = {
        {.tv_nsec = UTIME_OMIT}, {.tv_sec = (time_t)(now / VZ_OS_NS_PER_S), .tv_nsec = (long)(now % VZ_OS_NS_PER_S)}};
    struct stat status;
    if (vz_os_futimens(file, times) == 0 && vz_os_fstat(file, &status) == 0 &&
        status.st_mtim.tv_nsec == times[1].tv_nsec)
        *stamp = vz_directory_stamp(&status);
}

bool vz_directory_close_partial(const struct vz_directory *store, int file, bool ok, vz_stamp *stamp, vz_error *err)
{
    /* A file system may put the new name on the disk before the bytes: a power failure would leave
     * neither old nor new. */
    if (ok && store->base.durable && vz_os_fdatasync(file) != 0)
        ok = vz_fail_errno(err, errno, "cannot sync");
    if (ok && stamp)
        stamp_once(file, stamp);
    if (vz_os_close(file) != 0 && ok && errno != EINTR) /* a full disk may show only here */
        ok = vz_fail_errno(err, errno, "cannot write");
    return ok;
}

bool vz_directory_write_partial(const struct vz_directory *store, const char *key, vz_parts value,
                                const vz_directory_partial_file *partial, vz_error *err)
{
    char *path = partial->path;
    const int file = vz_directory_open_partial(store, key, partial->name, path, partial->size, err);
    bool ok = file >= 0 && vz_os_file_write_parts(file, 0, value, err);
    if (file >= 0)
        ok = vz_directory_close_partial(store, file, ok, partial->stamp, err);
    if (!ok)
        vz_directory_drop_partial(store, path);
    return ok;
}

/* ---- put ---- */

bool vz_directory_put_beside(vz_store *store, const char *key, vz_parts value, const char *name, vz_stamp *stamp,
                             vz_error *err)
{
    char path[PATH_MAX];
    struct vz_directory *directory = vz_directory_of(store);
    const vz_directory_partial_file partial = {.name = name, .path = path, .size = sizeof path, .stamp = stamp};
    for (int attempt = 1;; attempt++) {
        if (!vz_directory_write_partial(directory, key, value, &partial, err))
            return false;
        if (strcmp(path, key) == 0 || vz_os_rename_at(directory->root, path, directory->root, key) == 0)
            break;
        const int sys_errno = errno;
        vz_directory_drop_partial(directory, path);
        if (sys_errno != ENOENT || attempt == PLACE_ATTEMPTS) /* somebody may have removed the
                                                               * directory meanwhile */
            return vz_fail_errno(err, sys_errno, "cannot replace");
    }
    atomic_store_explicit(&directory->unsynced, true, memory_order_relaxed);
    return true;
}

/* Numbers grow: the directory of one that is larger than those before it is not there yet, and
 * need not be missed first. */
static void make_numbered(struct vz_directory *directory, const char *key)
{
    char *slash, name[VZ_DECIMAL_SIZE];
    const unsigned long number = strtoul(key, &slash, 10);
    if (*slash != '/' || number <= atomic_load_explicit(&directory->numbered, memory_order_relaxed))
        return;
    vz_decimal(number, name);
    vz_os_mkdir_at(directory->root, name, 0777);
    atomic_store_explicit(&directory->numbered, number, memory_order_relaxed);
}

void vz_directory_begin_numbered(vz_store *store, const char *key)
{
    const size_t length = strcspn(key, "/");
    char name[VZ_DECIMAL_SIZE];
    if (length >= sizeof name)
        return;
    memcpy(name, key, length);
    name[length] = '\0';
    vz_os_mkdir_at(vz_directory_root(store), name, 0777);
}

bool vz_directory_put_numbered(vz_store *store, const char *key, vz_parts value, bool begins, vz_error *err)
{
    if (begins)
        vz_directory_begin_numbered(store, key);
    return vz_directory_put_beside(store, key, value, vz_directory_last_part(key), NULL, err);
}

bool vz_directory_put_hidden(vz_store *store, const char *key, vz_parts value, vz_stamp *stamp, vz_error *err)
{
    make_numbered(vz_directory_of(store), key);
    return vz_directory_put_beside(store, key, value, vz_directory_last_part(key), stamp, err);
}

/* Renames where nothing is yet, in one step if the file system can: 0, or an errno. */
static int rename_new(int root, const char *from, const char *to)
{
    if (vz_os_rename_new(root, from, root, to) == 0)
        return 0;
    if (!vz_directory_cannot_rename_so(errno))
        return errno;
    if (vz_os_link_at(root, from, root, to) == 0) {
        if (vz_os_unlink_at(root, from) != 0)
            vz_os_unlink_at(root, from); /* nobody looks for the old name again */
        return 0;
    }
    return errno;
}

/* Where neither is known: whoever makes the file owns the key; its first readers may find it
 * empty. */
static bool put_exclusive(const struct vz_directory *store, const char *key, const char *partial, vz_error *err)
{
    const int file = vz_directory_open_new(store, key, O_WRONLY, 0666);
    if (file < 0)
        return vz_directory_fail(store, key, errno, "cannot create", err);
    vz_os_close(file);
    return vz_os_rename_at(store->root, partial, store->root, key) == 0 || vz_fail_errno(err, errno, "cannot replace");
}

bool vz_directory_check_absent(vz_store *store, const char *key, vz_error *err)
{
    return vz_directory_look_at(vz_directory_root(store), key) != 0 || vz_fail_errno(err, EEXIST, "cannot create");
}

bool vz_directory_name_new(struct vz_directory *store, const char *partial, const char *key, vz_error *err)
{
    const int sys_errno = rename_new(store->root, partial, key);
    bool ok = sys_errno == 0;
    if (vz_directory_cannot_rename_so(sys_errno))
        ok = put_exclusive(store, key, partial, err);
    else if (sys_errno)
        vz_fail_errno(err, sys_errno, "cannot create");
    atomic_store_explicit(&store->unsynced, true, memory_order_relaxed);
    return ok;
}

bool vz_directory_put_new_beside(vz_store *store, const char *key, vz_bytes value, const char *name, vz_error *err)
{
    struct vz_directory *directory = vz_directory_of(store);
    char path[PATH_MAX];
    const vz_directory_partial_file partial = {.name = name, .path = path, .size = sizeof path};
    if (!vz_directory_write_partial(directory, key, vz_parts_of(&value), &partial, err))
        return false;
    const bool ok = vz_directory_name_new(directory, path, key, err);
    if (!ok)
        vz_directory_drop_partial(directory, path);
    return ok;
}
