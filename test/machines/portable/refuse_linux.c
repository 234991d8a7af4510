/* refuse_linux.c - runs a program to which the kernel answers as one that is not Linux would.
 *
 *   refuse_linux [--no-proc] [--keep-locks] PROGRAM [ARGUMENT...]
 *
 * A filter (seccomp) refuses calls that only Linux has, in this process and in all that it starts.
 * --no-proc: /proc and /sys are empty for them, too, which root alone can do. --keep-locks: locks of open file
 * descriptions, which macOS has, too, are not refused. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STEPS_MAX      256
#define NAMELESS       020000000u /* O_TMPFILE without O_DIRECTORY, which is another number on ARM */
#define OF_CALL        offsetof(struct seccomp_data, nr)
#define OF_ARGUMENT(i) (offsetof(struct seccomp_data, args) + 8 * (i)) /* its lower half */

static struct sock_filter steps[STEPS_MAX];
static unsigned short count;

static void add(unsigned short code, unsigned value, unsigned char skip_if_equal, unsigned char skip_if_not)
{
    steps[count++] = (struct sock_filter){code, skip_if_equal, skip_if_not, value};
}

static void refuse(long call, unsigned error)
{
    add(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error, 0, 0);
}

/* Where the bits of an argument under the mask are those of `value`. */
static void refuse_argument(long call, unsigned argument, unsigned mask, unsigned value, unsigned error)
{
    add(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 5);
    add(BPF_LD | BPF_W | BPF_ABS, OF_ARGUMENT(argument), 0, 0);
    add(BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error, 0, 0);
    add(BPF_LD | BPF_W | BPF_ABS, OF_CALL, 0, 0);
}

static void refuse_files(void)
{
    static const long calls[] = {SYS_openat2, SYS_memfd_create, SYS_statx, SYS_copy_file_range, SYS_syncfs};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        refuse(calls[i], ENOSYS);
    refuse(SYS_fallocate, EOPNOTSUPP);
    refuse_argument(SYS_renameat2, 4, 1, 1, ENOSYS); /* RENAME_NOREPLACE */
    refuse_argument(SYS_renameat2, 4, 2, 2, ENOSYS); /* RENAME_EXCHANGE */
    refuse_argument(SYS_openat, 2, NAMELESS, NAMELESS, EOPNOTSUPP);
#if defined(SYS_open)
    refuse_argument(SYS_open, 1, NAMELESS, NAMELESS, EOPNOTSUPP);
#endif
    static const long attributes[] = {SYS_fgetxattr, SYS_flistxattr, SYS_fsetxattr};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        refuse(attributes[i], EOPNOTSUPP);
}

static void refuse_processes(void)
{
    refuse(SYS_pidfd_open, ENOSYS);
    refuse(SYS_pidfd_send_signal, ENOSYS);
    refuse_argument(SYS_prctl, 0, ~0u, PR_SET_PDEATHSIG, EINVAL);
    refuse_argument(SYS_madvise, 2, ~0u, MADV_WIPEONFORK, EINVAL);
}

/* POSIX 2024 has these locks, but where macOS has them they meet those of flock. */
static void refuse_locks(void)
{
    static const unsigned commands[] = {F_OFD_SETLK, F_OFD_GETLK, F_OFD_SETLKW};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        refuse_argument(SYS_fcntl, 1, ~0u, commands[i], EINVAL);
}

/* ---- /proc ---- */

static bool hide(const char *directory)
{
    return mount("none", directory, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4096") == 0;
}

/* In a name space of our own: nobody else misses it. */
static bool hide_proc(void)
{
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 && hide("/sys") &&
           hide("/proc");
}

/* ---- the program ---- */

static bool set_filter(bool keep_locks)
{
    add(BPF_LD | BPF_W | BPF_ABS, OF_CALL, 0, 0);
    refuse_files();
    refuse_processes();
    if (!keep_locks)
        refuse_locks();
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    struct sock_fprog filter = {count, steps};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

static bool is_option(char ***program, const char *word)
{
    const bool is = **program && strcmp(**program, word) == 0;
    *program += is;
    return is;
}

int main(int argc, char **argv)
{
    char **program = argv + (argc > 0);
    const bool without_proc = is_option(&program, "--no-proc"), keep_locks = is_option(&program, "--keep-locks");
    if (!*program) {
        fprintf(stderr, "refuse_linux [--no-proc] [--keep-locks] PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    if (without_proc && !hide_proc()) {
        perror("refuse_linux: /proc cannot be hidden");
        return 2;
    }
    if (!set_filter(keep_locks)) {
        perror("refuse_linux: the kernel takes no filter");
        return 2;
    }
    execvp(*program, program);
    perror(*program);
    return 2;
}
