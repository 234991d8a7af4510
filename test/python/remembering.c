/* remembering.c - preloaded by tests: below the directory REMEMBERING_ROOT what was looked up and not found stays not
 * found until its directory is opened to be read, as an NFS client has it. The file system says that it is NFS. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define NFS        0x6969
#define MISSES_MAX 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *misses[MISSES_MAX]; /* paths that were not there */
static unsigned count;
static long asked; /* look-ups that were answered from here */

long remembering_asked(void)
{
    return asked;
}

/* The absolute path, without "." at its end; false: none of ours. */
static int is_ours(int directory, const char *path, char *out)
{
    const char *root = getenv("REMEMBERING_ROOT");
    char link[64];
    ssize_t length = 0;
    if (!root || !path)
        return 0;
    if (*path != '/') {
        snprintf(link, sizeof link, directory == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", directory);
        length = NEXT(readlink)(link, out, PATH_MAX);
    }
    if (length < 0 || (size_t)length + strlen(path) + 2 > 2 * PATH_MAX)
        return 0;
    sprintf(out + length, "%s%s", length ? "/" : "", path);
    length = (ssize_t)strlen(out);
    if (length > 1 && strcmp(out + length - 2, "/.") == 0)
        out[length - 2] = '\0';
    return strncmp(out, root, strlen(root)) == 0;
}

/* With the lock: was the path, or a directory on the way to it, missing before? */
static int is_remembered(const char *path)
{
    for (unsigned i = 0; i < count; i++) {
        const size_t length = strlen(misses[i]);
        if (strncmp(path, misses[i], length) == 0 && (path[length] == '/' || !path[length]))
            return 1;
    }
    return 0;
}

/* The first part of the path that is not there. */
static void remember(const char *path)
{
    char part[2 * PATH_MAX];
    struct stat status;
    strcpy(part, path);
    for (char *slash = strchr(part + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        if (NEXT(lstat)(part, &status) != 0)
            break;
        if (!slash)
            return;
        *slash = '/';
    }
    if (count < MISSES_MAX)
        misses[count++] = strdup(part);
}

static void forget_in(const char *directory)
{
    const size_t length = strlen(directory);
    for (unsigned i = 0; i < count;) {
        const char *rest = misses[i] + length;
        if (strncmp(misses[i], directory, length) == 0 && *rest == '/' && !strchr(rest + 1, '/')) {
            free(misses[i]);
            misses[i] = misses[--count];
        } else {
            i++;
        }
    }
}

/* Is the look-up answered from here? */
static int answers(const char *path)
{
    pthread_mutex_lock(&lock);
    const int known = is_remembered(path);
    asked += known;
    pthread_mutex_unlock(&lock);
    if (known)
        usleep(20000); /* so that threads have looked before one of them opens the directory */
    return known;
}

static void tell(const char *path, int result, int flags)
{
    const int sys_errno = errno, read_directory = (flags & O_DIRECTORY) && !(flags & O_PATH);
    pthread_mutex_lock(&lock);
    if (result < 0 && sys_errno == ENOENT)
        remember(path);
    else if (result >= 0 && read_directory)
        forget_in(path);
    pthread_mutex_unlock(&lock);
    errno = sys_errno;
}

int openat(int directory, const char *path, int flags, ...)
{
    char all[2 * PATH_MAX];
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (flags & O_CREAT || !is_ours(directory, path, all))
        return NEXT(openat)(directory, path, flags, mode);
    if (answers(all)) {
        errno = ENOENT;
        return -1;
    }
    const int file = NEXT(openat)(directory, path, flags, mode);
    tell(all, file, flags);
    return file;
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return openat(AT_FDCWD, path, flags, mode);
}

int fstatat(int directory, const char *path, struct stat *status, int flags)
{
    char all[2 * PATH_MAX];
    if (!is_ours(directory, path, all))
        return NEXT(fstatat)(directory, path, status, flags);
    if (answers(all)) {
        errno = ENOENT;
        return -1;
    }
    const int result = NEXT(fstatat)(directory, path, status, flags);
    tell(all, result, 0);
    return result;
}

int fstatfs(int file, struct statfs *status)
{
    char all[2 * PATH_MAX];
    const int result = NEXT(fstatfs)(file, status);
    if (result == 0 && is_ours(file, ".", all))
        status->f_type = NFS;
    return result;
}
