/* hook_calls.c - the replacements of calls that open, look, name and lock: each asks what is to be done, then calls the
 * C library, which is not hooked. */
#include "hook_inside.h"
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* ---- opening ---- */

static int open_at(int directory, const char *path, int flags, mode_t mode)
{
    const bool may_make = flags & (O_CREAT | O_TRUNC) || (flags & O_TMPFILE) == O_TMPFILE;
    if (REFUSED(may_make ? HOOK_CREATE : HOOK_OPEN))
        return -1;
    const int file = openat(directory, path, flags, mode);
    if (file >= 0 && may_make)
        hook_record_made(file, directory, path, flags);
    return file;
}

static int hook_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_at(AT_FDCWD, path, flags, mode);
}

static int hook_openat(int directory, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_at(directory, path, flags, mode);
}

/* Of the calls without a function of their own: openat2, whose files are recorded like others. The rest only looks. */
static long hook_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    const struct open_how *how = number == SYS_openat2 ? (const struct open_how *)c : NULL;
    const bool may_make = how && how->flags & (O_CREAT | O_TRUNC);
    if (REFUSED(may_make ? HOOK_CREATE : how ? HOOK_OPEN : HOOK_STAT))
        return -1;
    const long result = syscall(number, a, b, c, d, e, f);
    if (result >= 0 && may_make)
        hook_record_made((int)result, (int)a, (const char *)b, (int)how->flags);
    return result;
}

static int hook_open_2(const char *path, int flags)
{
    return open_at(AT_FDCWD, path, flags, 0);
}

static int hook_openat_2(int directory, const char *path, int flags)
{
    return open_at(directory, path, flags, 0);
}

static int hook_mkostemp(char *name, int flags)
{
    if (REFUSED(HOOK_CREATE))
        return -1;
    const int file = mkostemp(name, flags);
    if (file >= 0)
        hook_record_made(file, AT_FDCWD, name, O_CREAT);
    return file;
}

static int hook_mkstemp(char *name)
{
    return hook_mkostemp(name, 0);
}

static FILE *hook_fopen(const char *path, const char *mode)
{
    return REFUSED(mode[0] == 'r' ? HOOK_OPEN : HOOK_CREATE) ? NULL : fopen(path, mode);
}

/* As Linux does: the descriptor is gone whatever close says. */
static int hook_close(int file)
{
    const enum hook_verdict verdict = hook_decide(HOOK_CLOSE);
    const int sys_errno = errno, result = close(file);
    if (verdict != HOOK_REFUSE)
        return result;
    errno = sys_errno;
    return -1;
}

/* ---- looking ---- */

static int hook_stat(const char *path, struct stat *status)
{
    return REFUSED(HOOK_STAT) ? -1 : stat(path, status);
}

static int hook_lstat(const char *path, struct stat *status)
{
    return REFUSED(HOOK_STAT) ? -1 : lstat(path, status);
}

static int hook_fstat(int file, struct stat *status)
{
    return REFUSED(HOOK_STAT) ? -1 : fstat(file, status);
}

static int hook_fstatat(int directory, const char *path, struct stat *status, int flags)
{
    return REFUSED(HOOK_STAT) ? -1 : fstatat(directory, path, status, flags);
}

static int hook_access(const char *path, int mode)
{
    return REFUSED(HOOK_STAT) ? -1 : access(path, mode);
}

static int hook_faccessat(int directory, const char *path, int mode, int flags)
{
    return REFUSED(HOOK_STAT) ? -1 : faccessat(directory, path, mode, flags);
}

static ssize_t hook_readlink(const char *path, char *text, size_t size)
{
    return REFUSED(HOOK_STAT) ? -1 : readlink(path, text, size);
}

static ssize_t hook_readlinkat(int directory, const char *path, char *text, size_t size)
{
    return REFUSED(HOOK_STAT) ? -1 : readlinkat(directory, path, text, size);
}

static char *hook_realpath(const char *path, char *resolved)
{
    return REFUSED(HOOK_STAT) ? NULL : realpath(path, resolved);
}

static char *hook_getcwd(char *path, size_t size)
{
    return REFUSED(HOOK_STAT) ? NULL : getcwd(path, size);
}

static DIR *hook_opendir(const char *path)
{
    return REFUSED(HOOK_LIST) ? NULL : opendir(path);
}

static DIR *hook_fdopendir(int file)
{
    return REFUSED(HOOK_LIST) ? NULL : fdopendir(file);
}

static struct dirent *hook_readdir(DIR *directory)
{
    return REFUSED(HOOK_ENTRY) ? NULL : readdir(directory);
}

static int hook_closedir(DIR *directory)
{
    return closedir(directory);
}

/* ---- names ---- */

static int hook_mkdirat(int directory, const char *path, mode_t mode)
{
    const int result = REFUSED(HOOK_MKDIR) ? -1 : mkdirat(directory, path, mode);
    if (result == 0)
        hook_record_path("mkdir", directory, path);
    return result;
}

static int hook_mkdir(const char *path, mode_t mode)
{
    return hook_mkdirat(AT_FDCWD, path, mode);
}

static int hook_renameat2(int from, const char *old, int to, const char *new, unsigned flags)
{
    const int result = REFUSED(HOOK_RENAME) ? -1 : renameat2(from, old, to, new, flags);
    if (result == 0)
        hook_record_paths(flags & RENAME_EXCHANGE ? "exchange" : "rename", from, old, to, new);
    return result;
}

static int hook_renameat(int from, const char *old, int to, const char *new)
{
    return hook_renameat2(from, old, to, new, 0);
}

static int hook_rename(const char *old, const char *new)
{
    return hook_renameat2(AT_FDCWD, old, AT_FDCWD, new, 0);
}

static int hook_linkat(int from, const char *old, int to, const char *new, int flags)
{
    const int result = REFUSED(HOOK_RENAME) ? -1 : linkat(from, old, to, new, flags);
    int nameless;
    if (result == 0 && sscanf(old, "/proc/self/fd/%d", &nameless) == 1)
        hook_record_named(nameless, to, new);
    else if (result == 0)
        hook_record_paths("link", from, old, to, new);
    return result;
}

static int hook_symlinkat(const char *target, int directory, const char *path)
{
    return REFUSED(HOOK_RENAME) ? -1 : symlinkat(target, directory, path);
}

static int hook_unlinkat(int directory, const char *path, int flags)
{
    const int result = REFUSED(HOOK_UNLINK) ? -1 : unlinkat(directory, path, flags);
    if (result == 0)
        hook_record_path(flags & AT_REMOVEDIR ? "rmdir" : "unlink", directory, path);
    return result;
}

static int hook_unlink(const char *path)
{
    return hook_unlinkat(AT_FDCWD, path, 0);
}

static int hook_rmdir(const char *path)
{
    return hook_unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

static int hook_fchmod(int file, mode_t mode)
{
    return REFUSED(HOOK_MODE) ? -1 : fchmod(file, mode);
}

static int hook_fchown(int file, uid_t owner, gid_t group)
{
    return REFUSED(HOOK_MODE) ? -1 : fchown(file, owner, group);
}

static int hook_fsetxattr(int file, const char *name, const void *value, size_t size, int flags)
{
    return REFUSED(HOOK_MODE) ? -1 : fsetxattr(file, name, value, size, flags);
}

static ssize_t hook_flistxattr(int file, char *names, size_t size)
{
    return REFUSED(HOOK_STAT) ? -1 : flistxattr(file, names, size);
}

static int hook_statx(int directory, const char *path, int flags, unsigned mask, struct statx *status)
{
    return REFUSED(HOOK_STAT) ? -1 : statx(directory, path, flags, mask, status);
}

static int hook_ioctl(int file, unsigned long request, void *argument)
{
    return REFUSED(HOOK_STAT) ? -1 : ioctl(file, request, argument);
}

static ssize_t hook_fgetxattr(int file, const char *name, void *value, size_t size)
{
    return REFUSED(HOOK_STAT) ? -1 : fgetxattr(file, name, value, size);
}

static int hook_fstatfs(int file, struct statfs *status)
{
    return REFUSED(HOOK_STAT) ? -1 : fstatfs(file, status);
}

static int hook_futimens(int file, const struct timespec times[2])
{
    return REFUSED(HOOK_MODE) ? -1 : futimens(file, times);
}

/* ---- the disk, locks ---- */

static int hook_fsync(int file)
{
    const int result = REFUSED(HOOK_SYNC) ? -1 : fsync(file);
    if (result == 0)
        hook_record_file("fsync", file, 0);
    return result;
}

static int hook_fdatasync(int file)
{
    const int result = REFUSED(HOOK_SYNC) ? -1 : fdatasync(file);
    if (result == 0)
        hook_record_file("fsync", file, 0);
    return result;
}

static int hook_syncfs(int file)
{
    const int result = REFUSED(HOOK_SYNC) ? -1 : syncfs(file);
    if (result == 0)
        hook_record_file("syncfs", file, 0);
    return result;
}

static int hook_flock(int file, int operation)
{
    return REFUSED(HOOK_LOCK) ? -1 : flock(file, operation);
}

/* Locks are what is counted; F_DUPFD and the flags cannot fail in ways of their own. */
static int hook_fcntl(int file, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    const bool is_lock = command == F_SETLK || command == F_SETLKW || command == F_GETLK || command == F_OFD_SETLK ||
                         command == F_OFD_SETLKW || command == F_OFD_GETLK;
    if (is_lock && REFUSED(HOOK_LOCK))
        return -1;
    return fcntl(file, command, argument);
}

const struct hook_replacement hook_system_calls[] = {
    {"open", hook_open},
    {"open64", hook_open},
    {"__open_2", hook_open_2},
    {"__open64_2", hook_open_2},
    {"openat", hook_openat},
    {"openat64", hook_openat},
    {"__openat_2", hook_openat_2},
    {"__openat64_2", hook_openat_2},
    {"mkostemp", hook_mkostemp},
    {"mkstemp", hook_mkstemp},
    {"fopen", hook_fopen},
    {"close", hook_close},
    {"stat", hook_stat},
    {"lstat", hook_lstat},
    {"fstat", hook_fstat},
    {"fstatat", hook_fstatat},
    {"stat64", hook_stat},
    {"lstat64", hook_lstat},
    {"fstat64", hook_fstat},
    {"fstatat64", hook_fstatat},
    {"access", hook_access},
    {"faccessat", hook_faccessat},
    {"readlink", hook_readlink},
    {"readlinkat", hook_readlinkat},
    {"realpath", hook_realpath},
    {"getcwd", hook_getcwd},
    {"opendir", hook_opendir},
    {"fdopendir", hook_fdopendir},
    {"readdir", hook_readdir},
    {"readdir64", hook_readdir},
    {"closedir", hook_closedir},
    {"mkdir", hook_mkdir},
    {"mkdirat", hook_mkdirat},
    {"rename", hook_rename},
    {"renameat", hook_renameat},
    {"renameat2", hook_renameat2},
    {"linkat", hook_linkat},
    {"symlinkat", hook_symlinkat},
    {"syscall", hook_syscall},
    {"unlink", hook_unlink},
    {"unlinkat", hook_unlinkat},
    {"rmdir", hook_rmdir},
    {"fchmod", hook_fchmod},
    {"fsync", hook_fsync},
    {"fdatasync", hook_fdatasync},
    {"syncfs", hook_syncfs},
    {"flock", hook_flock},
    {"fcntl", hook_fcntl},
    {"futimens", hook_futimens},
    {"fcntl64", hook_fcntl},
    {"fchown", hook_fchown},
    {"fsetxattr", hook_fsetxattr},
    {"flistxattr", hook_flistxattr},
    {"fgetxattr", hook_fgetxattr},
    {"statx", hook_statx},
    {"ioctl", hook_ioctl},
    {"fstatfs", hook_fstatfs},
    {"fstatfs64", hook_fstatfs},
    {"clock_gettime", hook_clock_gettime},
    {"time", hook_time},
    {"nanosleep", hook_nanosleep},
    {NULL, NULL},
};
