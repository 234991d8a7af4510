/* stopping.c - preloaded by tests: ends the process before its n-th call that changes what is in a directory, or tells
 * something in a lease, as a kill at that moment would. Nothing happens until
 * stopping_after() is called, or from the start where STOPPING_AFTER says how many calls work. With STOPPING_EVERY it
 * is not ended but held (SIGSTOP), and once more after each so many calls; with STOPPING_BYTES writes into a file and
 * cuts count, too. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define STOPPED 77 /* exit status: stopping.py knows it */

static long left = -1;  /* calls that still work; negative: not counting */
static long every = -1; /* not negative: it is held, and goes on with so many calls */
static int counts_bytes;
static const char *refused; /* names that end so are neither written nor removed: EIO; NULL: none */

void stopping_after(long calls)
{
    left = calls;
}

void stopping_refuse(const char *end)
{
    refused = end;
}

/* Of a program that is not ours to call: from its start on. */
__attribute__((constructor)) static void begin(void)
{
    const char *after = getenv("STOPPING_AFTER"), *between = getenv("STOPPING_EVERY");
    if (after)
        left = atol(after);
    if (between)
        every = atol(between);
    counts_bytes = getenv("STOPPING_BYTES") != NULL;
}

static void count(void)
{
    if (left < 0 || left-- > 0)
        return;
    if (every < 0)
        _exit(STOPPED);
    left = every;
    raise(SIGSTOP);
}

static int is_refused(int directory, const char *name)
{
    char link[64], path[2 * PATH_MAX];
    if (!refused)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    const ssize_t length = readlink(link, path, PATH_MAX);
    if (length < 0)
        return 0;
    const size_t all = (size_t)length + (size_t)snprintf(path + length, PATH_MAX, "/%s", name), end = strlen(refused);
    return all >= end && strcmp(path + all - end, refused) == 0;
}

static int is_lease(int file)
{
    static const char name[] = "/lease";
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = readlink(link, path, sizeof path), end = sizeof name - 1;
    return length >= end && memcmp(path + length - end, name, (size_t)end) == 0;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int renameat(int from_directory, const char *from, int to_directory, const char *to)
{
    count();
    if (is_refused(to_directory, to) || is_refused(from_directory, from)) {
        errno = EIO;
        return -1;
    }
    return NEXT(renameat)(from_directory, from, to_directory, to);
}

int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags)
{
    count();
    return NEXT(renameat2)(from_directory, from, to_directory, to, flags);
}

int unlinkat(int directory, const char *path, int flags)
{
    count();
    if (is_refused(directory, path)) {
        errno = EIO;
        return -1;
    }
    return NEXT(unlinkat)(directory, path, flags);
}

ssize_t write(int file, const void *data, size_t size)
{
    if (left >= 0 && is_lease(file))
        count();
    return NEXT(write)(file, data, size);
}

int mkdirat(int directory, const char *path, mode_t mode)
{
    count();
    return NEXT(mkdirat)(directory, path, mode);
}

int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags)
{
    count();
    return NEXT(linkat)(from_directory, from, to_directory, to, flags);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t offset)
{
    if (counts_bytes)
        count();
    return NEXT(pwrite)(file, data, size, offset);
}

ssize_t pwritev(int file, const struct iovec *parts, int number, off_t offset)
{
    if (counts_bytes)
        count();
    return NEXT(pwritev)(file, parts, number, offset);
}

int ftruncate(int file, off_t size)
{
    if (counts_bytes)
        count();
    return NEXT(ftruncate)(file, size);
}
