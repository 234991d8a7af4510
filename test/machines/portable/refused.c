/* refused.c - does the filter of refuse_linux.c refuse all that it should? Prints what the kernel does nevertheless.
 *
 *   refused [--no-proc] [--keep-locks]
 *
 * A directory for files is made below /tmp. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

static int done; /* calls that were done */

static void must_fail(const char *name, long result)
{
    if (result < 0)
        return;
    fprintf(stderr, "refused: the kernel does %s\n", name);
    done++;
}

static void try_files(int directory, int file, int other)
{
    struct open_how how = {.flags = O_RDONLY};
    struct statx status;
    must_fail("openat2", syscall(SYS_openat2, directory, ".", &how, sizeof how));
    must_fail("renameat2 that replaces nothing", syscall(SYS_renameat2, directory, "a", directory, "c", 1));
    must_fail("renameat2 that exchanges", syscall(SYS_renameat2, directory, "a", directory, "b", 2));
    must_fail("memfd_create", syscall(SYS_memfd_create, "x", 0));
    must_fail("statx", syscall(SYS_statx, directory, ".", 0, STATX_BASIC_STATS, &status));
    must_fail("copy_file_range", syscall(SYS_copy_file_range, file, NULL, other, NULL, 1, 0));
    must_fail("fallocate", syscall(SYS_fallocate, file, 0, 0, 10));
    must_fail("syncfs", syscall(SYS_syncfs, file));
    must_fail("O_TMPFILE", openat(directory, ".", O_TMPFILE | O_RDWR, 0600));
    must_fail("fsetxattr", fsetxattr(file, "user.a", "b", 1, 0));
    must_fail("flistxattr", flistxattr(file, NULL, 0));
}

static void try_locks(int file, bool are_kept)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};
    if (are_kept) {
        must_fail("no F_OFD_SETLK", fcntl(file, F_OFD_SETLK, &lock) == 0 ? -1 : 0);
        return;
    }
    must_fail("F_OFD_SETLK", fcntl(file, F_OFD_SETLK, &lock));
    must_fail("F_OFD_SETLKW", fcntl(file, F_OFD_SETLKW, &lock));
    must_fail("F_OFD_GETLK", fcntl(file, F_OFD_GETLK, &lock));
}

static void try_processes(bool without_proc)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must_fail("pidfd_open", syscall(SYS_pidfd_open, getpid(), 0));
    must_fail("PR_SET_PDEATHSIG", prctl(PR_SET_PDEATHSIG, 9));
    must_fail("MADV_WIPEONFORK", page == MAP_FAILED ? -1 : madvise(page, 4096, MADV_WIPEONFORK));
    if (without_proc) {
        must_fail("/proc/self", access("/proc/self", F_OK));
        must_fail("/sys/devices", access("/sys/devices", F_OK));
    }
}

static bool has_word(char **words, const char *word)
{
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words;
}

int main(int argc, char **argv)
{
    (void)argc;
    char place[] = "/tmp/vz-refused-XXXXXX";
    const int directory = mkdtemp(place) ? open(place, O_RDONLY | O_DIRECTORY) : -1;
    const int file = openat(directory, "a", O_RDWR | O_CREAT, 0600);
    const int other = openat(directory, "b", O_RDWR | O_CREAT, 0600);
    if (file < 0 || other < 0 || write(file, "12345", 5) != 5) {
        perror(place);
        return 2;
    }
    try_files(directory, file, other);
    try_locks(file, has_word(argv, "--keep-locks"));
    try_processes(has_word(argv, "--no-proc"));
    unlinkat(directory, "a", 0);
    unlinkat(directory, "b", 0);
    unlinkat(directory, "c", 0);
    rmdir(place);
    return done ? 1 : 0;
}
