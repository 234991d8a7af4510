/* directory_write.c - a directory of files: writing. A value is written beside its place and renamed onto it. */
#include "store/directory.h"
#include "store/file.h"
#include "store/stage.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_ATTEMPTS  1000 /* partial names tried: another process may have used ours */
#define PLACE_ATTEMPTS 3    /* times a value is written anew when its directory or partial file vanishes */

/* ---- parent directories ---- */

/* 0, also if it is there already, or an errno. */
static int make_directory(const struct vz_directory *store, const char *path)
{
    const int parent = vz_directory_enter_parent(store, path);
    if (parent < 0)
        return errno;
    const int sys_errno = mkdirat(parent, vz_directory_last_part(path), 0777) == 0 || errno == EEXIST ? 0 : errno;
    close(parent);
    return sys_errno;
}

static bool cannot_make(const struct vz_directory *store, const char *path, int sys_errno, vz_error *err)
{
    char what[160];
    snprintf(what, sizeof what, "cannot make the directory %.100s", path);
    return vz_directory_fail(store, path, sys_errno, what, err);
}

/* Up to the nearest that exists, then down again: 0, or an errno, and `path`, a copy of the key, is what cannot be
 * made. */
static int make_parents(const struct vz_directory *store, const char *key, char *path)
{
    int sys_errno = ENOENT;
    for (char *slash = strrchr(path, '/'); slash && sys_errno == ENOENT; slash = strrchr(path, '/')) { /* upwards */
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
    /* Who deletes the last chunk of a directory may remove one that was just made. */
    for (int attempt = 0; attempt < PLACE_ATTEMPTS && sys_errno == ENOENT; attempt++) {
        strcpy(path, key);
        sys_errno = make_parents(store, key, path);
    }
    const bool ok = sys_errno == 0 || cannot_make(store, path, sys_errno, err);
    free(path);
    return ok;
}

/* ---- the partial file ---- */

/* The name of a partial file beside `key`: its directory, then a fresh name. */
static bool name_partial(const struct vz_directory *store, const char *key, char *path, size_t size, vz_error *err)
{
    const char *last = vz_directory_last_part(key);
    const size_t directory = (size_t)(last - key);
    if (directory >= size)
        return vz_fail_errno(err, ENAMETOOLONG, "cannot write");
    memcpy(path, key, directory);
    if (!store->base.stage)
        return vz_partial_name(path + directory, size - directory, err);
    path[directory ? directory - 1 : 0] = '\0';
    char name[VZ_PARTIAL_SIZE];
    const bool ok = vz_stage_name_partial(store->base.stage, path, name, sizeof name, err);
    if (ok && snprintf(path, size, "%.*s%s", (int)directory, key, name) >= (int)size)
        return vz_fail_errno(err, ENAMETOOLONG, "cannot write");
    return ok;
}

/* O_EXCL: nobody else's file, and no link that somebody laid there, is written through. -1 on failure, and `path` has
 * the name that was tried last, or none. */
static int open_partial(const struct vz_directory *store, const char *key, char *path, size_t size, vz_error *err)
{
    int made_parents = 0;
    for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
        if (!name_partial(store, key, path, size, err)) {
            path[0] = '\0';
            return -1;
        }
        const int file = vz_directory_open_new(store, path, O_WRONLY, 0666);
        if (file >= 0)
            return file;
        if (errno == ENOENT && made_parents++ < PLACE_ATTEMPTS) { /* who removes leftovers removes empty directories */
            if (!vz_directory_make_parents(store, key, err))
                return -1;
        } else if (errno != EEXIST) {
            break;
        }
    }
    vz_directory_fail(store, key, errno, "cannot create a file", err);
    return -1;
}

/* Removes a partial file that nothing will come of, and directories of chunks that were made for it alone. */
static void drop_partial(const struct vz_directory *store, char *path)
{
    unlinkat(store->root, path, 0);
    for (char *slash = strrchr(path, '/'); slash; slash = strrchr(path, '/')) {
        *slash = '\0';
        const char *last = vz_directory_last_part(path);
        if (!vz_is_chunk_part(last, strlen(last)) ||
            (unlinkat(store->root, path, AT_REMOVEDIR) != 0 && errno != ENOENT)) /* they may be made in part */
            return;
    }
}

/* The time of the last change to the nanosecond, where the system counts in ticks: no other file that is put in this
 * place has the same one. Without it (exists=false) the stamp tells nothing. */
static void stamp_once(int file, vz_stamp *stamp)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
    struct stat status;
    if (clock_gettime(CLOCK_REALTIME, &times[1]) == 0 && futimens(file, times) == 0 && fstat(file, &status) == 0 &&
        status.st_mtim.tv_nsec == times[1].tv_nsec)
        *stamp = vz_directory_stamp(&status);
}

/* Writes the value into a partial file beside the key; `path` gets its name, `stamp` (NULL: it is not wanted) what
 * tells it from all others. */
static bool write_partial(const struct vz_directory *store, const char *key, vz_bytes value, char *path, size_t size,
                          vz_stamp *stamp, vz_error *err)
{
    const int file = open_partial(store, key, path, size, err);
    bool ok = file >= 0 && vz_file_write(file, 0, value.data, value.size, err);
    /* A file system may put the new name on the disk before the bytes: a power failure would leave neither old nor new.
     */
    if (ok && store->base.durable && fdatasync(file) != 0)
        ok = vz_fail_errno(err, errno, "cannot sync");
    if (ok && stamp)
        stamp_once(file, stamp);
    if (file >= 0 && close(file) != 0 && ok && errno != EINTR) /* a full disk may show only here */
        ok = vz_fail_errno(err, errno, "cannot write");
    if (!ok)
        drop_partial(store, path);
    return ok;
}

/* ---- put ---- */

/* Into the key's directory, which is made if need be: 0, or an errno. */
static int rename_onto(const struct vz_directory *from, const char *name, const struct vz_directory *to,
                       const char *key, vz_error *err)
{
    int sys_errno = ENOENT;
    for (int attempt = 0; attempt < PLACE_ATTEMPTS && sys_errno == ENOENT; attempt++) {
        if (attempt && !vz_directory_make_parents(to, key, err))
            return -1;
        const int parent = vz_directory_enter_parent(to, key);
        const bool ok = parent >= 0 && renameat(from->root, name, parent, vz_directory_last_part(key)) == 0;
        sys_errno = ok ? 0 : errno;
        if (parent >= 0)
            close(parent);
        if (parent < 0 && sys_errno != ENOENT) {
            vz_directory_fail(to, key, sys_errno, "cannot open the directory", err);
            return -1;
        }
    }
    return sys_errno;
}

/* *done=false (and true returned): a file system is mounted between the two, or there can be no stage. */
static bool put_through_stage(struct vz_directory *directory, const char *key, vz_bytes value, bool *done,
                              vz_error *err)
{
    char name[VZ_PARTIAL_SIZE];
    vz_error failed = VZ_ERROR_NONE;
    vz_store *stage = vz_stage_store(directory->base.stage, &failed);
    *done = false;
    if (!stage && failed.class == VZ_PERMISSION)
        return true;
    if (!stage && err && err->class == VZ_OK)
        *err = failed;
    if (!stage || !write_partial(vz_directory_of(stage), "document", value, name, sizeof name, NULL, err))
        return false;
    const int sys_errno = rename_onto(vz_directory_of(stage), name, directory, key, err);
    if (sys_errno)
        unlinkat(vz_directory_of(stage)->root, name, 0);
    *done = sys_errno == 0;
    if (sys_errno == 0 || sys_errno == EXDEV)
        return true;
    return sys_errno > 0 && vz_fail_errno(err, sys_errno, "cannot replace");
}

/* Beside its place, and then onto it. */
static bool put_beside(struct vz_directory *directory, const char *key, vz_bytes value, vz_stamp *stamp, vz_error *err)
{
    char partial[PATH_MAX];
    for (int attempt = 1;; attempt++) {
        if (!write_partial(directory, key, value, partial, sizeof partial, stamp, err))
            return false;
        if (renameat(directory->root, partial, directory->root, key) == 0)
            break;
        const int sys_errno = errno;
        drop_partial(directory, partial);
        if (sys_errno != ENOENT || attempt == PLACE_ATTEMPTS) /* somebody may have removed the directory meanwhile */
            return vz_fail_errno(err, sys_errno, "cannot replace");
    }
    atomic_store_explicit(&directory->unsynced, true, memory_order_relaxed);
    return true;
}

bool vz_directory_put(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    struct vz_directory *directory = vz_directory_of(store);
    bool done = false;
    if (store->stage && vz_directory_is_document(key) && !put_through_stage(directory, key, value, &done, err))
        return false;
    if (!done)
        return put_beside(directory, key, value, NULL, err);
    atomic_store_explicit(&directory->unsynced, true, memory_order_relaxed);
    return true;
}

bool vz_directory_put_told(vz_store *store, const char *key, vz_bytes value, vz_stamp *stamp, vz_error *err)
{
    return put_beside(vz_directory_of(store), key, value, stamp, err);
}

/* Renames where nothing is yet, in one step if the file system can: 0, or an errno. */
static int rename_new(int root, const char *from, const char *to)
{
    if (renameat2(root, from, root, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (!vz_directory_cannot_rename_so(errno))
        return errno;
    if (linkat(root, from, root, to, 0) == 0) {
        unlinkat(root, from, 0);
        return 0;
    }
    return errno;
}

/* Where neither is known: whoever makes the file owns the key; its first readers may find it empty. */
static bool put_exclusive(const struct vz_directory *store, const char *key, const char *partial, vz_error *err)
{
    const int file = vz_directory_open_new(store, key, O_WRONLY, 0666);
    if (file < 0)
        return vz_directory_fail(store, key, errno, "cannot create", err);
    close(file);
    return renameat(store->root, partial, store->root, key) == 0 || vz_fail_errno(err, errno, "cannot replace");
}

bool vz_directory_put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    struct vz_directory *directory = vz_directory_of(store);
    const int root = directory->root;
    if (vz_directory_look_at(root, key) == 0)
        return vz_fail_errno(err, EEXIST, "cannot create");
    char partial[PATH_MAX];
    if (!write_partial(directory, key, value, partial, sizeof partial, NULL, err))
        return false;
    const int sys_errno = rename_new(root, partial, key);
    bool ok = sys_errno == 0;
    if (vz_directory_cannot_rename_so(sys_errno))
        ok = put_exclusive(directory, key, partial, err);
    else if (sys_errno)
        vz_fail_errno(err, sys_errno, "cannot create");
    if (!ok)
        drop_partial(directory, partial);
    atomic_store_explicit(&directory->unsynced, true, memory_order_relaxed);
    return ok;
}
