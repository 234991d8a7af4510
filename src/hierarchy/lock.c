/* lock.c - who may open a store beside whom. By option: flock on the root's metadata, or, in format 3, whose document
 * is replaced at each change, on the root's directory: many readers or one writer, between processes that ask for it.
 */
#include "hierarchy/hierarchy.h"
#include "hierarchy/document.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/file.h>
#include <limits.h>
#include <time.h>
#include <unistd.h>

#define DOCUMENT_LOCK_SECONDS 10      /* waited for another process that changes a document, before that is an error */
#define DOCUMENT_LOCK_PAUSE   1000000 /* ns between two attempts */

typedef enum wish { LOCK_NO, LOCK_YES, LOCK_IF_POSSIBLE } wish;

bool vz_lock_is_wanted_by_hdf5(void)
{
    const char *value = getenv("HDF5_USE_FILE_LOCKING");
    return !value || (strcasecmp(value, "FALSE") != 0 && strcmp(value, "0") != 0);
}

/* HDF5's own variable has the last word. */
static wish wish_of(const vz_options *options)
{
    const char *value = getenv("HDF5_USE_FILE_LOCKING");
    if (!vz_lock_is_wanted_by_hdf5())
        return LOCK_NO;
    if (options->lock_if_possible || (value && strcasecmp(value, "BEST_EFFORT") == 0))
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
    hierarchy->lock.operation = hierarchy->writable ? LOCK_EX : LOCK_SH;
    hierarchy->lock.descriptor = take(path, wanted, hierarchy->lock.operation, &refused, err);
    if (hierarchy->lock.descriptor >= 0)
        hierarchy->store->lock = &hierarchy->lock;
    return hierarchy->lock.descriptor >= 0 || !refused;
}

/* Does the lock of the whole store (locking=1) stand on the root's directory already? Then nobody else has it. */
static bool holds_directory(const vz_hierarchy *hierarchy)
{
    return hierarchy->lock.descriptor >= 0 && hierarchy->format == 3;
}

/* The system has no such lock there, or the directory may not be read. */
static bool is_lockless(int sys_errno)
{
    return sys_errno == ENOLCK || sys_errno == ENOSYS || sys_errno == EOPNOTSUPP || sys_errno == EINVAL ||
           sys_errno == EBADF;
}

static bool fail_to_lock(int sys_errno, vz_error *err)
{
    if (sys_errno != EWOULDBLOCK)
        return vz_fail_errno(err, sys_errno, "cannot lock the store's directory to change a document");
    vz_fail(err, VZ_BUSY, "another process has held the lock on the store's directory for %d s", DOCUMENT_LOCK_SECONDS);
    if (err)
        err->sys_errno = sys_errno;
    return false;
}

/* Waits for whoever changes a document now. */
static bool wait_for_lock(int directory, vz_error *err)
{
    const struct timespec pause = {.tv_nsec = DOCUMENT_LOCK_PAUSE};
    struct timespec now, end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += DOCUMENT_LOCK_SECONDS;
    while (flock(directory, LOCK_EX | LOCK_NB) != 0) {
        const int sys_errno = errno;
        if (is_lockless(sys_errno))
            return true;
        clock_gettime(CLOCK_MONOTONIC, &now);
        const bool is_late = now.tv_sec > end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec >= end.tv_nsec);
        if ((sys_errno != EWOULDBLOCK && sys_errno != EINTR) || is_late)
            return fail_to_lock(sys_errno, err);
        nanosleep(&pause, NULL);
    }
    return true;
}

/* Other kinds than directories replace nothing in place. */
static bool needs_lock(const vz_hierarchy *hierarchy)
{
    return strcmp(hierarchy->store->class->kind, "directory") == 0 && !holds_directory(hierarchy);
}

bool vz_documents_lock(vz_hierarchy *hierarchy, vz_error *err)
{
    if (hierarchy->document_locks == 0 && needs_lock(hierarchy) && !wait_for_lock(*hierarchy->store->descriptor, err)) {
        vz_error_where(err, hierarchy->path, NULL);
        return false;
    }
    hierarchy->document_locks++;
    return true;
}

void vz_documents_unlock(vz_hierarchy *hierarchy)
{
    if (--hierarchy->document_locks == 0 && needs_lock(hierarchy))
        flock(*hierarchy->store->descriptor, LOCK_UN);
}

/* ---- SWMR ---- */

/* Not a lock that shuts anybody out: a mark that a look finds, and that goes with the process. A lock of this kind is
 * the only one that a directory opened for reading can have beside flock. */
static struct flock swmr_mark(short type)
{
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
}

void vz_hierarchy_mark_swmr(vz_hierarchy *hierarchy)
{
    struct flock mark = swmr_mark(F_RDLCK);
    if (hierarchy->store->descriptor)
        fcntl(*hierarchy->store->descriptor, F_OFD_SETLK, &mark);
}

/* Where the system cannot tell, there is none. */
static bool is_marked(int descriptor)
{
    struct flock mark = swmr_mark(F_WRLCK);
    return fcntl(descriptor, F_OFD_GETLK, &mark) == 0 && mark.l_type != F_UNLCK;
}

/* The words of native files: programs look for "file is already open for write" and try again as SWMR readers. */
static bool fail_for_swmr(vz_error *err)
{
    vz_fail(err, VZ_BUSY, "file is already open for write/SWMR write");
    return false;
}

bool vz_hierarchy_check_swmr(const vz_hierarchy *hierarchy, vz_error *err)
{
    const int *descriptor = hierarchy->store->descriptor;
    return !descriptor || !is_marked(*descriptor) || fail_for_swmr(err);
}

static bool check_swmr_at(const char *path, vz_error *err)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const bool marked = file >= 0 && is_marked(file);
    if (file >= 0)
        close(file);
    return !marked || fail_for_swmr(err);
}

bool vz_hierarchy_relax_lock(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_store_lock *lock = &hierarchy->lock;
    const int operation = hierarchy->writable ? LOCK_SH : LOCK_UN;
    if (lock->descriptor < 0 || flock(lock->descriptor, operation | LOCK_NB) == 0) {
        lock->operation = operation;
        return true;
    }
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
    if (!check_swmr_at(path, err))
        return false;
    if (wanted == LOCK_NO || !find_lockable(path, document, sizeof document))
        return true;
    const int file = take(document, wanted, LOCK_EX, &refused, err);
    if (file >= 0)
        close(file);
    return file >= 0 || !refused;
}
