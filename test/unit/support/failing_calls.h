/* failing_calls.h - system calls that fail when a test says so. The functions of libc below are this program's own, and
 * pass the call on unless it is its turn. For one test program each. */
#ifndef FAILING_CALLS_H
#define FAILING_CALLS_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct failing {
    unsigned turn; /* the call that fails, counted from 1; 0: none does */
    unsigned kill; /* the call before which the process is killed; 0: none */
    unsigned made; /* calls since fail_call */
    bool halfway;  /* that one is made in half where it writes */
    bool for_good; /* and all after it */
    int sys_errno;
    const char *name; /* of the one that failed first */
} failing;

static size_t bytes_written; /* bytes, by all pwrites */
static bool lockless;        /* the file system has no locks on bytes of open files */

static void fail_call(unsigned turn, bool for_good, int sys_errno)
{
    failing = (struct failing){.turn = turn, .for_good = for_good, .sys_errno = sys_errno};
}

/* True: a call failed since fail_call. From now on none does. */
static bool end_failing(void)
{
    failing.turn = 0;
    return failing.name != NULL;
}

static bool is_turn(const char *name)
{
    if (!failing.turn && !failing.kill)
        return false;
    failing.made++;
    if (failing.made == failing.kill)
        kill(getpid(), SIGKILL);
    if (!failing.turn || failing.made < failing.turn || (failing.made > failing.turn && !failing.for_good))
        return false;
    if (!failing.name)
        failing.name = name;
    errno = failing.sys_errno;
    return true;
}

#define REAL(name) (*(__typeof__(&name) *)real_call(#name))

static void *real_call(const char *name)
{
    static _Thread_local void *found;
    found = dlsym(RTLD_NEXT, name);
    return &found;
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, mode_t) : 0;
    va_end(more);
    return is_turn("open") ? -1 : REAL(open)(path, flags, mode);
}

int fcntl(int file, int command, ...)
{
    va_list more;
    va_start(more, command);
    void *argument = va_arg(more, void *);
    va_end(more);
    if (lockless && command == F_OFD_SETLK) {
        errno = ENOLCK;
        return -1;
    }
    return is_turn("fcntl") ? -1 : REAL(fcntl)(file, command, argument);
}

ssize_t pread(int file, void *data, size_t size, off_t offset)
{
    return is_turn("pread") ? -1 : REAL(pread)(file, data, size, offset);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t offset)
{
    if (failing.kill && failing.made + 1 == failing.kill && failing.halfway)
        REAL(pwrite)(file, data, size / 2, offset);
    bytes_written += size;
    return is_turn("pwrite") ? -1 : REAL(pwrite)(file, data, size, offset);
}

ssize_t copy_file_range(int from, off_t *source, int to, off_t *target, size_t size, unsigned flags)
{
    return is_turn("copy_file_range") ? -1 : REAL(copy_file_range)(from, source, to, target, size, flags);
}

int fsync(int file)
{
    (void)file;
    return is_turn("fsync") ? -1 : 0; /* nobody cuts the power here, and a real one takes its time */
}

int fdatasync(int file)
{
    (void)file;
    return is_turn("fdatasync") ? -1 : 0;
}

int ftruncate(int file, off_t size)
{
    return is_turn("ftruncate") ? -1 : REAL(ftruncate)(file, size);
}

int fallocate(int file, int mode, off_t offset, off_t size)
{
    return is_turn("fallocate") ? -1 : REAL(fallocate)(file, mode, offset, size);
}

int fstat(int file, struct stat *status)
{
    return is_turn("fstat") ? -1 : REAL(fstat)(file, status);
}

int stat(const char *restrict path, struct stat *restrict status)
{
    return is_turn("stat") ? -1 : REAL(stat)(path, status);
}

int fchmod(int file, mode_t mode)
{
    return is_turn("fchmod") ? -1 : REAL(fchmod)(file, mode);
}

int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags)
{
    return is_turn("linkat") ? -1 : REAL(linkat)(from_directory, from, to_directory, to, flags);
}

int rename(const char *from, const char *to)
{
    return is_turn("rename") ? -1 : REAL(rename)(from, to);
}

static void (*before_renameat2)(void); /* called once before the next one */

static bool renameat2_fails(void)
{
    void (*before)(void) = before_renameat2;
    before_renameat2 = NULL;
    if (before)
        before();
    return is_turn("renameat2");
}

#ifdef RENAME_NOREPLACE
int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags)
{
    return renameat2_fails() ? -1 : REAL(renameat2)(from_directory, from, to_directory, to, flags);
}
#else /* musl has no such function */
long syscall(long number, ...)
{
    long arguments[6];
    va_list list;
    va_start(list, number);
    for (size_t i = 0; i < 6; i++)
        arguments[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_renameat2 && renameat2_fails())
        return -1;
    return REAL(syscall)(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}
#endif

int dup3(int from, int to, int flags)
{
    return is_turn("dup3") ? -1 : REAL(dup3)(from, to, flags);
}

int flock(int file, int operation)
{
    if (lockless) { /* of which locks on bytes are made where the system has none */
        errno = ENOLCK;
        return -1;
    }
    return is_turn("flock") ? -1 : REAL(flock)(file, operation);
}

ssize_t getrandom(void *data, size_t size, unsigned flags)
{
    return is_turn("getrandom") ? -1 : REAL(getrandom)(data, size, flags);
}

int access(const char *path, int mode)
{
    return is_turn("access") ? -1 : REAL(access)(path, mode);
}

#endif
