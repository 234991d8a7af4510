/* path_calls.c - preloaded by test_path_calls.py: remembers, in order, the calls by which the connector itself asks the
 * system about paths. Calls of HDF5, of Python and of the C library are not remembered. realpath() asks about each
 * directory on the way, and the current one: it counts so often. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static char told[1 << 16];
static size_t length;
static int is_telling;

void path_calls_start(void)
{
    length = 0;
    told[0] = '\0';
    is_telling = 1;
}

/* A line for each call: its name, a blank, the path as it was given. */
const char *path_calls_stop(void)
{
    is_telling = 0;
    return told;
}

static void tell(const void *caller, const char *call, const char *path)
{
    Dl_info info;
    if (!is_telling || !dladdr(caller, &info) || !info.dli_fname || !strstr(info.dli_fname, "H5VLzarr"))
        return;
    const int added = snprintf(told + length, sizeof told - length, "%s %s\n", call, path ? path : "");
    if (added > 0 && (size_t)added < sizeof told - length)
        length += (size_t)added;
}

#define CALLER __builtin_return_address(0)

static mode_t mode_of(int flags, va_list more)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = mode_of(flags, more);
    va_end(more);
    tell(CALLER, "open", path);
    return NEXT(open)(path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = mode_of(flags, more);
    va_end(more);
    tell(CALLER, "openat", path);
    return NEXT(openat)(directory, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    tell(CALLER, "fopen", path);
    return NEXT(fopen)(path, mode);
}

DIR *opendir(const char *path)
{
    tell(CALLER, "opendir", path);
    return NEXT(opendir)(path);
}

int stat(const char *path, struct stat *status)
{
    tell(CALLER, "stat", path);
    return NEXT(stat)(path, status);
}

int lstat(const char *path, struct stat *status)
{
    tell(CALLER, "lstat", path);
    return NEXT(lstat)(path, status);
}

int fstatat(int directory, const char *path, struct stat *status, int flags)
{
    tell(CALLER, "fstatat", path);
    return NEXT(fstatat)(directory, path, status, flags);
}

int statx(int directory, const char *path, int flags, unsigned mask, struct statx *status)
{
    if (*path) /* else it is about the descriptor */
        tell(CALLER, "statx", path);
    return NEXT(statx)(directory, path, flags, mask, status);
}

int access(const char *path, int mode)
{
    tell(CALLER, "access", path);
    return NEXT(access)(path, mode);
}

int faccessat(int directory, const char *path, int mode, int flags)
{
    tell(CALLER, "faccessat", path);
    return NEXT(faccessat)(directory, path, mode, flags);
}

ssize_t readlink(const char *path, char *target, size_t size)
{
    tell(CALLER, "readlink", path);
    return NEXT(readlink)(path, target, size);
}

ssize_t readlinkat(int directory, const char *path, char *target, size_t size)
{
    tell(CALLER, "readlinkat", path);
    return NEXT(readlinkat)(directory, path, target, size);
}

char *getcwd(char *path, size_t size)
{
    tell(CALLER, "getcwd", ".");
    return NEXT(getcwd)(path, size);
}

char *realpath(const char *path, char *resolved)
{
    const void *caller = CALLER;
    if (*path != '/')
        tell(caller, "realpath", ".");
    for (const char *at = path; *at; at++)
        if (*at != '/' && (at == path || at[-1] == '/'))
            tell(caller, "realpath", path);
    return NEXT(realpath)(path, resolved);
}
