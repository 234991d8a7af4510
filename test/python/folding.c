/* folding.c - preloaded by tests: below the directory FOLDING_ROOT names that differ in the case of ASCII letters only
 * are one, and keep the case in which they were made, as on file systems that fold case. Names are looked up where they
 * are used. One thread at a time makes a name, so that two never make both; other processes are not kept away. */
#define _GNU_SOURCE
#include <dirent.h>
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
#include <sys/syscall.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static void begin(void)
{
    pthread_mutex_lock(&making);
}

static void end(void)
{
    pthread_mutex_unlock(&making);
}

__attribute__((constructor)) static void outlive_forks(void)
{
    pthread_atfork(begin, end, end);
}

/* The result of a call that makes a name. */
#define MADE(call)                                                                                                     \
    ({                                                                                                                 \
        begin();                                                                                                       \
        const int made = (call);                                                                                       \
        const int why = errno;                                                                                         \
        end();                                                                                                         \
        errno = why;                                                                                                   \
        made;                                                                                                          \
    })

/* The name in the directory that is the same but for case takes the place of `name`: of the same length. */
static void fold_name(const char *directory, char *name, size_t length)
{
    DIR *entries = NEXT(opendir)(directory);
    const struct dirent *entry;
    int exact = 0;
    char found[NAME_MAX + 1] = "";
    while (entries && !exact && (entry = readdir(entries)))
        if (strlen(entry->d_name) == length && strncasecmp(entry->d_name, name, length) == 0) {
            exact = strncmp(entry->d_name, name, length) == 0;
            strcpy(found, entry->d_name);
        }
    if (entries)
        closedir(entries);
    if (*found && !exact)
        memcpy(name, found, length);
}

/* The path as the directories spell it, in `out`; itself if it is none of ours. */
static const char *fold(int directory, const char *path, char *out)
{
    const char *root = getenv("FOLDING_ROOT");
    char at[2 * PATH_MAX] = "", link[64];
    ssize_t length = 0;
    if (!root || !path || strlen(path) >= PATH_MAX)
        return path;
    if (*path != '/') {
        snprintf(link, sizeof link, directory == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", directory);
        length = NEXT(readlink)(link, at, PATH_MAX);
    }
    if (length < 0)
        return path;
    at[length] = '\0';
    strcpy(out, path);
    for (char *name = out; *name;) {
        const size_t size = strcspn(name, "/");
        if (strncmp(at, root, strlen(root)) == 0 && size)
            fold_name(at, name, size);
        snprintf(at + strlen(at), sizeof at - strlen(at), "%s%.*s", *at && at[1] ? "/" : "", (int)size, name);
        name += size + (name[size] == '/');
        if (!*at)
            strcpy(at, "/");
    }
    return out;
}

#define FOLDED(directory, path) fold(directory, path, (char[PATH_MAX]){0})

int openat(int directory, const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (!(flags & O_CREAT)) /* it may wait */
        return NEXT(openat)(directory, FOLDED(directory, path), flags, mode);
    return MADE(NEXT(openat)(directory, FOLDED(directory, path), flags, mode));
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (!(flags & O_CREAT))
        return NEXT(open)(FOLDED(AT_FDCWD, path), flags, mode);
    return MADE(NEXT(open)(FOLDED(AT_FDCWD, path), flags, mode));
}

/* openat2 comes so. */
long syscall(long number, ...)
{
    long arguments[6];
    va_list more;
    va_start(more, number);
    for (int i = 0; i < 6; i++)
        arguments[i] = va_arg(more, long);
    va_end(more);
#ifdef SYS_openat2
    if (number == SYS_openat2)
        arguments[1] = (long)FOLDED((int)arguments[0], (const char *)arguments[1]);
#endif
    return NEXT(syscall)(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

int mkdirat(int directory, const char *path, mode_t mode)
{
    return MADE(NEXT(mkdirat)(directory, FOLDED(directory, path), mode));
}

int mkdir(const char *path, mode_t mode)
{
    return MADE(NEXT(mkdir)(FOLDED(AT_FDCWD, path), mode));
}

int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags)
{
    return MADE(
        NEXT(renameat2)(from_directory, FOLDED(from_directory, from), to_directory, FOLDED(to_directory, to), flags));
}

int renameat(int from_directory, const char *from, int to_directory, const char *to)
{
    return MADE(NEXT(renameat)(from_directory, FOLDED(from_directory, from), to_directory, FOLDED(to_directory, to)));
}

int unlinkat(int directory, const char *path, int flags)
{
    return NEXT(unlinkat)(directory, FOLDED(directory, path), flags);
}

int fstatat(int directory, const char *path, struct stat *status, int flags)
{
    return NEXT(fstatat)(directory, FOLDED(directory, path), status, flags);
}

int stat(const char *path, struct stat *status)
{
    return NEXT(stat)(FOLDED(AT_FDCWD, path), status);
}

ssize_t readlinkat(int directory, const char *path, char *target, size_t size)
{
    return NEXT(readlinkat)(directory, FOLDED(directory, path), target, size);
}

int symlinkat(const char *target, int directory, const char *path)
{
    return MADE(NEXT(symlinkat)(target, directory, FOLDED(directory, path)));
}

int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags)
{
    return MADE(
        NEXT(linkat)(from_directory, FOLDED(from_directory, from), to_directory, FOLDED(to_directory, to), flags));
}

/* Programs that are compiled for large files call these. */
__asm__(".globl stat64\n.set stat64, stat\n.globl fstatat64\n.set fstatat64, fstatat\n"
        ".globl open64\n.set open64, open\n.globl openat64\n.set openat64, openat\n");
