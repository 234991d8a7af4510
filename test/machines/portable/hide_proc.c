/* hide_proc.c - for LD_PRELOAD: to the connector, and to no other library of the process, nothing is below /proc and
 * /sys. Interpreters and the tests in them need both (test/machines/README.md). */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_below(const char *path, const char *directory)
{
    const size_t length = strlen(directory);
    return path && strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static bool is_connector(const void *caller)
{
    Dl_info library;
    return dladdr(caller, &library) && library.dli_fname &&
           (strstr(library.dli_fname, "libH5VLzarr") || strstr(library.dli_fname, "vol_zarr_net") ||
            strstr(library.dli_fname, "bin/h5zarr"));
}

static bool is_hidden(const char *path, const void *caller)
{
    if ((!is_below(path, "/proc") && !is_below(path, "/sys")) || !is_connector(caller))
        return false;
    errno = ENOENT;
    return true;
}

#define HIDDEN(path) is_hidden(path, __builtin_return_address(0))
#define REAL(name)   ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static mode_t mode_of(int flags, va_list more)
{
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = mode_of(flags, more);
    va_end(more);
    return HIDDEN(path) ? -1 : REAL(open)(path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = mode_of(flags, more);
    va_end(more);
    return HIDDEN(path) ? -1 : REAL(openat)(directory, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    return HIDDEN(path) ? NULL : REAL(fopen)(path, mode);
}

DIR *opendir(const char *path)
{
    return HIDDEN(path) ? NULL : REAL(opendir)(path);
}

int access(const char *path, int mode)
{
    return HIDDEN(path) ? -1 : REAL(access)(path, mode);
}

ssize_t readlink(const char *path, char *target, size_t size)
{
    return HIDDEN(path) ? -1 : REAL(readlink)(path, target, size);
}

int stat(const char *path, struct stat *status)
{
    return HIDDEN(path) ? -1 : REAL(stat)(path, status);
}

int lstat(const char *path, struct stat *status)
{
    return HIDDEN(path) ? -1 : REAL(lstat)(path, status);
}

char *realpath(const char *path, char *room)
{
    return HIDDEN(path) ? NULL : REAL(realpath)(path, room);
}
