/* directory_write.c - a directory of files: writing. A value is written beside its place and renamed onto it. */
#include "store/copy.h"
#include "store/directory.h"
#include "store/file.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_ATTEMPTS     1000 /* partial names tried: another process may have used ours */
#define PLACE_ATTEMPTS    3    /* times a value is written anew when its directory or partial file vanishes */
#define PARTIAL_NAME_SIZE 160

/* ---- parent directories ---- */

/* Makes the directories above `key` that are missing: up to the nearest that exists, then down again. */
static bool make_parents(int root, const char *key, vz_error *err)
{
    char *path = strdup(key);
    if (!path)
        return vz_fail_memory(err);
    char *slash = strrchr(path, '/');
    bool ok = true;
    while (slash && ok) { /* upwards */
        *slash = '\0';
        if (mkdirat(root, path, 0777) == 0 || errno == EEXIST)
            break;
        ok = errno == ENOENT || vz_fail_errno(err, errno, "cannot make the directory %.100s", path);
        char *upper = strrchr(path, '/');
        if (ok && !upper) /* the root itself is gone */
            ok = vz_fail_errno(err, ENOENT, "cannot make the directory %.100s", path);
        slash = upper;
    }
    const char *last = strrchr(key, '/');
    while (ok && last && strlen(path) < (size_t)(last - key)) { /* downwards */
        path[strlen(path)] = '/';
        if (mkdirat(root, path, 0777) != 0 && errno != EEXIST)
            ok = vz_fail_errno(err, errno, "cannot make the directory %.100s", path);
    }
    free(path);
    return ok;
}

/* ---- the partial file ---- */

/* The name of a partial file beside `key`: its directory, then a fresh name. */
static bool name_partial(const char *key, char *path, size_t size, vz_error *err)
{
    const char *slash = strrchr(key, '/');
    const size_t directory = slash ? (size_t)(slash - key) + 1 : 0;
    if (directory >= size)
        return vz_fail_errno(err, ENAMETOOLONG, "cannot write");
    memcpy(path, key, directory);
    return vz_partial_name(path + directory, size - directory, err);
}

/* O_EXCL: nobody else's file, and no link that somebody laid there, is written through. -1 on failure. */
static int open_partial(int root, const char *key, char *path, size_t size, vz_error *err)
{
    bool made_parents = false;
    for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
        if (!name_partial(key, path, size, err))
            return -1;
        const int file = openat(root, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
        if (file >= 0)
            return file;
        if (errno == ENOENT && !made_parents) {
            made_parents = true;
            if (!make_parents(root, key, err))
                return -1;
        } else if (errno != EEXIST) {
            break;
        }
    }
    vz_fail_errno(err, errno, "cannot create a file");
    return -1;
}

/* Writes the value into a partial file beside the key; `path` gets its name. */
static bool write_partial(int root, const char *key, vz_bytes value, char *path, size_t size, vz_error *err)
{
    const int file = open_partial(root, key, path, size, err);
    if (file < 0)
        return false;
    bool ok = vz_file_write(file, 0, value.data, value.size, err);
    if (close(file) != 0 && ok && errno != EINTR) /* a full disk may show only here */
        ok = vz_fail_errno(err, errno, "cannot write");
    if (!ok)
        unlinkat(root, path, 0);
    return ok;
}

/* ---- put ---- */

static bool is_there(int root, const char *key)
{
    struct stat status;
    return fstatat(root, key, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

bool vz_directory_put(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    struct vz_directory *directory = vz_directory_of(store);
    char partial[PATH_MAX];
    for (int attempt = 1;; attempt++) {
        if (!write_partial(directory->root, key, value, partial, sizeof partial, err))
            return false;
        if (renameat(directory->root, partial, directory->root, key) == 0)
            break;
        const int sys_errno = errno;
        unlinkat(directory->root, partial, 0);
        /* A process of another container under the same host name may have taken our partial for a leftover. */
        if (sys_errno != ENOENT || attempt == PLACE_ATTEMPTS)
            return vz_fail_errno(err, sys_errno, "cannot replace");
    }
    atomic_store_explicit(&directory->unsynced, true, memory_order_relaxed);
    return true;
}

static bool is_unsupported(int sys_errno)
{
    return sys_errno == EINVAL || sys_errno == ENOSYS || sys_errno == EOPNOTSUPP || sys_errno == EPERM;
}

/* Renames where nothing is yet, in one step if the file system can: 0, or an errno. */
static int rename_new(int root, const char *from, const char *to)
{
    if (renameat2(root, from, root, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (!is_unsupported(errno))
        return errno;
    if (linkat(root, from, root, to, 0) == 0) {
        unlinkat(root, from, 0);
        return 0;
    }
    return errno;
}

/* Where neither is known: whoever makes the file owns the key; its first readers may find it empty. */
static bool put_exclusive(int root, const char *key, const char *partial, vz_error *err)
{
    const int file = openat(root, key, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        return vz_fail_errno(err, errno, "cannot create");
    close(file);
    return renameat(root, partial, root, key) == 0 || vz_fail_errno(err, errno, "cannot replace");
}

bool vz_directory_put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    struct vz_directory *directory = vz_directory_of(store);
    const int root = directory->root;
    if (is_there(root, key))
        return vz_fail_errno(err, EEXIST, "cannot create");
    char partial[PATH_MAX];
    if (!write_partial(root, key, value, partial, sizeof partial, err))
        return false;
    const int sys_errno = rename_new(root, partial, key);
    bool ok = sys_errno == 0;
    if (is_unsupported(sys_errno))
        ok = put_exclusive(root, key, partial, err);
    else if (sys_errno)
        vz_fail_errno(err, sys_errno, "cannot create");
    if (!ok)
        unlinkat(root, partial, 0);
    atomic_store_explicit(&directory->unsynced, true, memory_order_relaxed);
    return ok;
}

/* ---- rename ---- */

static int rename_free(int root, const char *from, const char *to)
{
    if (renameat2(root, from, root, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (!is_unsupported(errno))
        return errno;
    if (is_there(root, to))
        return EEXIST;
    return renameat(root, from, root, to) == 0 ? 0 : errno;
}

bool vz_directory_rename_tree(vz_store *store, const char *from, const char *to, vz_error *err)
{
    struct vz_directory *directory = vz_directory_of(store);
    int sys_errno = rename_free(directory->root, from, to);
    if (sys_errno == ENOENT && is_there(directory->root, from)) { /* so it is the target's parent that is missing */
        if (!make_parents(directory->root, to, err))
            return false;
        sys_errno = rename_free(directory->root, from, to);
    }
    if (sys_errno == ENOTDIR && !is_there(directory->root, from)) /* below a file */
        sys_errno = ENOENT;
    atomic_store_explicit(&directory->unsynced, true, memory_order_relaxed);
    if (sys_errno == EXDEV) /* another file system is mounted or overlaid there */
        return vz_store_move_by_copy(store, from, to, err);
    return !sys_errno || vz_fail_errno(err, sys_errno, "cannot rename to \"%.100s\"", to);
}

bool vz_directory_exchange_trees(vz_store *store, const char *a, const char *b, bool *done, vz_error *err)
{
    struct vz_directory *directory = vz_directory_of(store);
    const int sys_errno = renameat2(directory->root, a, directory->root, b, RENAME_EXCHANGE) == 0 ? 0 : errno;
    *done = sys_errno == 0;
    atomic_store_explicit(&directory->unsynced, true, memory_order_relaxed);
    if (*done || is_unsupported(sys_errno) || sys_errno == EXDEV)
        return true;
    return vz_fail_errno(err, sys_errno, "cannot change places with \"%.100s\"", b);
}

/* ---- sync ---- */

/* The whole file system at once: chunks, the directories they were renamed in, and what their parents are. The root's
 * own descriptor, because it remembers errors of writing back since it was opened. */
bool vz_directory_sync(vz_store *store, vz_error *err)
{
    struct vz_directory *directory = vz_directory_of(store);
    if (!atomic_exchange(&directory->unsynced, false) || syncfs(directory->root) == 0)
        return true;
    atomic_store(&directory->unsynced, true);
    return vz_fail_errno(err, errno, "cannot sync");
}
