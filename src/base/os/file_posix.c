/* file_posix.c - files where the system has no more than POSIX. Other calls fail with ENOSYS.
 * Files without a name are made with one that goes at once. A new name is made by steps. */
#include "base/os/file.h"
#include "base/os/byte_lock_internal.h"
#include "base/os/library.h"
#include "base/os/process.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <mach-o/dyld.h>
#endif

#define TEMP_NAME      "vol-zarr-XXXXXX"
#define TEMP_PATH_SIZE 4096

static int not_here(void)
{
    errno = ENOSYS;
    return -1;
}

/* ---- opening ---- */

/* O_SEARCH of macOS means directories alone, and a place may be what a link leads to. O_NONBLOCK: a
 * FIFO there must not hold us up. */
#if defined(O_SEARCH) && !defined(__APPLE__)
const int vz_os_place = O_SEARCH;
#else
const int vz_os_place = O_RDONLY | O_NONBLOCK;
#endif

int vz_os_open_beneath(int root, const char *path, int flags, mode_t mode)
{
    (void)root, (void)path, (void)flags, (void)mode;
    return not_here();
}

int vz_os_path_open_real(const char *path, int flags)
{
    (void)path, (void)flags;
    return not_here();
}

int vz_os_close(int file)
{
    vz_os_byte_locks_end(file);
    return close(file);
}

/* The locks come first: without them the number stays what it is. */
int vz_os_dup_to(int file, int number)
{
    vz_os_byte_locks_end(number); /* those of what it was */
    if (vz_os_byte_locks_copy(file, number) != 0)
        return -1;
    const int copy = dup2(file, number);
    if (copy < 0)
        vz_os_byte_locks_end(number);
    else
        fcntl(copy, F_SETFD, FD_CLOEXEC);
    return copy;
}

/* ---- onto the disk ---- */

#if defined(F_FULLFSYNC)
/* Of macOS, whose fsync leaves bytes in the disk's own memory. Only where the file system has no
 * such call (network file systems, FAT) fsync is all that there is. An error of the disk stays one:
 * fsync would hide it. */
int vz_os_fsync(int file)
{
    if (fcntl(file, F_FULLFSYNC) == 0)
        return 0;
    return errno == ENOTSUP || errno == EOPNOTSUPP || errno == ENOTTY || errno == EINVAL ? fsync(file) : -1;
}
#else
int vz_os_fsync(int file)
{
    return fsync(file);
}
#endif

int vz_os_fdatasync(int file)
{
    return vz_os_fsync(file);
}

/* ---- names ---- */

int vz_os_has_name(int directory, const char *name)
{
    struct stat status;
    return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW);
}

#if defined(RENAME_EXCL) && defined(RENAME_SWAP)
/* Of macOS. A file system without such renames gets the number that Linux has for that. */
static int rename_flagged(int from_directory, const char *from, int to_directory, const char *to, unsigned flag)
{
    const int done = renameatx_np(from_directory, from, to_directory, to, flag);
    if (done != 0 && errno == ENOTSUP)
        errno = EINVAL;
    return done;
}

bool vz_os_can_exchange(void)
{
    return true;
}

int vz_os_exchange(int a_directory, const char *a, int b_directory, const char *b)
{
    return rename_flagged(a_directory, a, b_directory, b, RENAME_SWAP);
}
#else
bool vz_os_can_exchange(void)
{
    return false;
}

int vz_os_exchange(int a_directory, const char *a, int b_directory, const char *b)
{
    (void)a_directory, (void)a, (void)b_directory, (void)b;
    return not_here();
}
#endif

/* POSIX lets a directory replace an empty one, and nothing else. A file system that folds names may
 * take both for one, and then moves nothing. */
static int rename_directory(const struct stat *what, int from_directory, const char *from, int to_directory,
                            const char *to)
{
    struct stat there;
    const bool is_one = fstatat(to_directory, to, &there, AT_SYMLINK_NOFOLLOW) == 0 && vz_os_file_is_same(&there, what);
    if (!is_one && renameat(from_directory, from, to_directory, to) == 0)
        return 0;
    const int sys_errno = is_one ? EEXIST : errno;
    const bool is_taken = sys_errno == ENOTEMPTY || (sys_errno == ENOTDIR && vz_os_has_name(to_directory, to) == 0);
    errno = is_taken ? EEXIST : sys_errno;
    return -1;
}

/* A file system without links of files (FAT, and some of networks) cannot do it in one step. */
static int rename_file(int from_directory, const char *from, int to_directory, const char *to)
{
    if (vz_os_link_at(from_directory, from, to_directory, to) != 0) {
        const int sys_errno = errno;
        const bool has_no_links = sys_errno == EOPNOTSUPP || sys_errno == EPERM || sys_errno == EMLINK;
        errno = !has_no_links ? sys_errno : vz_os_has_name(to_directory, to) == 0 ? EEXIST : EINVAL;
        return -1;
    }
    if (unlinkat(from_directory, from, 0) != 0)
        unlinkat(from_directory, from, 0); /* nobody looks for the old name again */
    return 0;
}

int vz_os_rename_new(int from_directory, const char *from, int to_directory, const char *to)
{
    struct stat status;
#if defined(RENAME_EXCL) && defined(RENAME_SWAP)
    if (rename_flagged(from_directory, from, to_directory, to, RENAME_EXCL) == 0)
        return 0;
    if (errno != EINVAL)
        return -1;
#endif
    if (fstatat(from_directory, from, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return -1;
    if (S_ISDIR(status.st_mode))
        return rename_directory(&status, from_directory, from, to_directory, to);
    return rename_file(from_directory, from, to_directory, to);
}

#if defined(__APPLE__)
/* The system tells the path that started it, whose links Linux would have followed. */
ssize_t vz_os_program(char *path, size_t size)
{
    char started[PATH_MAX], real[PATH_MAX];
    uint32_t room = sizeof started;
    const bool is_known = _NSGetExecutablePath(started, &room) == 0 && realpath(started, real);
    const size_t length = is_known ? strlen(real) : 0;
    memcpy(path, real, length < size ? length : 0);
    return is_known && length < size ? (ssize_t)length : -1;
}

ssize_t vz_os_path_of(int file, char *path, size_t size)
{
    char whole[PATH_MAX];
    const int failed = fcntl(file, F_GETPATH, whole);
    const size_t length = failed ? 0 : strlen(whole);
    memcpy(path, whole, length < size ? length : 0);
    return !failed && length < size ? (ssize_t)length : -1;
}
#else
/* As a shell finds it; heap; NULL: it is not there. */
static char *find_program(const char *word)
{
    const char *list = vz_os_environment_trusted("PATH");
    char *found = strchr(word, '/') ? realpath(word, NULL) : NULL;
    while (list && !found && !strchr(word, '/')) {
        char path[PATH_MAX];
        const size_t length = strcspn(list, ":");
        const int size = snprintf(path, sizeof path, "%.*s/%s", length ? (int)length : 1, length ? list : ".", word);
        if (size < (int)sizeof path && access(path, X_OK) == 0)
            found = realpath(path, NULL);
        list = list[length] ? list + length + 1 : NULL;
    }
    return found;
}

/* The loader knows the program by the word that started it. */
ssize_t vz_os_program(char *path, size_t size)
{
    const char *word = vz_os_library_of(&vz_os_place);
    char *found = word ? find_program(word) : NULL;
    const size_t length = found ? strlen(found) : 0;
    const bool ok = found && length <= size;
    memcpy(path, found ? found : "", ok ? length : 0);
    free(found);
    return ok ? (ssize_t)length : not_here();
}

ssize_t vz_os_path_of(int file, char *path, size_t size)
{
    (void)file, (void)path, (void)size;
    return not_here();
}
#endif

/* ---- files without a name ---- */

int vz_os_temp_file(const char *directory)
{
    char path[TEMP_PATH_SIZE];
    if (snprintf(path, sizeof path, "%s/" TEMP_NAME, directory) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int file = mkstemp(path);
    if (file < 0)
        return -1;
    unlink(path);
    fcntl(file, F_SETFD, FD_CLOEXEC);
    return file;
}

bool vz_os_can_link_temp(void)
{
    return false;
}

int vz_os_link_temp(int file, const char *path)
{
    (void)file, (void)path;
    return not_here();
}

int vz_os_memory_file(void)
{
    return vz_os_temp_file("/tmp");
}

/* ---- blocks ---- */

ssize_t vz_os_clone_range(int from, uint64_t from_offset, int to, uint64_t to_offset, uint64_t size)
{
    (void)from, (void)from_offset, (void)to, (void)to_offset, (void)size;
    return not_here();
}

void vz_os_punch_hole(int file, uint64_t offset, uint64_t size)
{
    (void)file, (void)offset, (void)size;
}

/* No hole is known. */
off_t vz_os_next_data(int file, uint64_t offset)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        return -1;
    if (offset < (uint64_t)status.st_size)
        return (off_t)offset;
    errno = ENXIO;
    return -1;
}
