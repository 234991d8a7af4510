/* test_os_lock_file.c - locks on bytes where they are files in /var/tmp (lock_file_posix.c), and something is wrong
 * there. Each case is in a child with a /var/tmp of its own, which root alone can make. */
#include "base/os/file.h"
#include "base/os/file_system.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "own_var_tmp.h"

#define GATE      "/var/tmp/.vol-zarr-lock"
#define OWNER     4321
#define ANOTHER   1234
#define LOCKS_MAX 4096

static char path[] = "/tmp/vz-lock-file-XXXXXX";

static int make_path(void **state)
{
    (void)state;
    const int file = mkstemp(path);
    return file < 0 || fchmod(file, 0666) != 0 || close(file) != 0;
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

static bool takes(int file, uint64_t byte, vz_os_lock_kind kind)
{
    return vz_os_lock_byte(file, byte, kind) == 0;
}

static bool says(const char *words)
{
    return strstr(vz_os_lock_trouble(), words) != NULL;
}

static int open_it(void)
{
    const int file = vz_os_open(path, O_RDWR);
    MUST(file >= 0);
    return file;
}

/* ---- a place that is not there ---- */

static void lock_where_nothing_can_be_made(void)
{
    const int file = open_it();
    bool held;
    make_var_tmp_read_only();
    MUST(!takes(file, 1, VZ_OS_LOCK_SHARED) && errno == ENOLCK);
    MUST(says("needs the file " GATE ": Read-only file system"));
    MUST(vz_os_find_byte_lock(file, 1, VZ_OS_LOCK_EXCLUSIVE, &held) == 0 && !held);
}

static void lock_where_nothing_may_be_made(void)
{
    const int file = open_it();
    MUST(seteuid(OWNER) == 0);
    MUST(!takes(file, 1, VZ_OS_LOCK_SHARED) && errno == ENOLCK && says(GATE ": Permission denied"));
    MUST(seteuid(0) == 0 && takes(file, 1, VZ_OS_LOCK_SHARED) && !*vz_os_lock_trouble());
}

static void test_unwritable_place(void **state)
{
    (void)state;
    in_own_var_tmp("mode=1777", lock_where_nothing_can_be_made);
    in_own_var_tmp("mode=0755", lock_where_nothing_may_be_made);
}

/* ---- files of others ---- */

static void lock_behind_a_link(void)
{
    const int file = open_it();
    MUST(symlink("/etc/passwd", GATE) == 0);
    MUST(!takes(file, 1, VZ_OS_LOCK_SHARED) && errno == ENOLCK && says(GATE ": Too many levels"));
}

static void lock_in_a_closed_file(void)
{
    const int file = open_it();
    MUST(close(open(GATE, O_RDWR | O_CREAT, 0600)) == 0 && seteuid(OWNER) == 0);
    MUST(!takes(file, 1, VZ_OS_LOCK_SHARED) && errno == ENOLCK && says(GATE ": Permission denied"));
}

/* Whoever made the lock's file, everybody who meets there is locked out, and nothing is left that is in the way. */
static void lock_as_two_users(void)
{
    const int file = open_it();
    const int other = open_it();
    umask(077);
    MUST(seteuid(ANOTHER) == 0 && takes(other, 1, VZ_OS_LOCK_EXCLUSIVE) && seteuid(0) == 0);
    MUST(seteuid(OWNER) == 0 && !takes(file, 1, VZ_OS_LOCK_SHARED) && errno == EAGAIN && !*vz_os_lock_trouble());
    MUST(takes(other, 1, VZ_OS_UNLOCK)); /* OWNER may not remove the file of ANOTHER */
    MUST(takes(file, 1, VZ_OS_LOCK_EXCLUSIVE) && !takes(other, 1, VZ_OS_LOCK_SHARED));
    MUST(takes(file, 1, VZ_OS_UNLOCK) && takes(other, 1, VZ_OS_LOCK_SHARED));
}

static void test_files_of_others(void **state)
{
    (void)state;
    in_own_var_tmp("mode=1777", lock_behind_a_link);
    in_own_var_tmp("mode=1777", lock_in_a_closed_file);
    in_own_var_tmp("mode=1777", lock_as_two_users);
}

/* ---- the gate ---- */

static void lock_while_the_gate_is_held(void)
{
    const int file = open_it();
    const int gate = open(GATE, O_RDWR | O_CREAT, 0666);
    MUST(gate >= 0 && flock(gate, LOCK_EX) == 0);
    MUST(!takes(file, 1, VZ_OS_LOCK_SHARED) && errno == EAGAIN && says("another process has held " GATE " for"));
    MUST(flock(gate, LOCK_UN) == 0 && takes(file, 1, VZ_OS_LOCK_SHARED) && !*vz_os_lock_trouble());
}

static pid_t start_to_lock(int answer)
{
    const pid_t child = fork();
    if (child == 0) {
        const int file = vz_os_open(path, O_RDWR);
        const bool ok = takes(file, 1, VZ_OS_LOCK_SHARED);
        _exit(write(answer, ok ? "y" : "n", 1) != 1);
    }
    return child;
}

/* Somebody empties /var/tmp. A process that waited at the old gate goes on to the new one. */
static void lock_behind_a_removed_gate(void)
{
    const int file = open_it();
    int answer[2], status;
    char byte;
    const int old = open(GATE, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    MUST(pipe(answer) == 0 && flock(old, LOCK_EX) == 0);
    const pid_t child = start_to_lock(answer[1]);
    usleep(50000); /* it comes to the old gate; if not, nothing is shown */
    MUST(unlink(GATE) == 0);
    const int new = open(GATE, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    MUST(flock(new, LOCK_EX) == 0 && flock(old, LOCK_UN) == 0); /* the child has a copy of `old` */
    struct pollfd answered = {.fd = answer[0], .events = POLLIN};
    MUST(poll(&answered, 1, 100) == 0);
    MUST(close(new) == 0 && read(answer[0], &byte, 1) == 1 && byte == 'y');
    MUST(waitpid(child, &status, 0) == child && takes(file, 1, VZ_OS_LOCK_EXCLUSIVE));
}

static void test_gate(void **state)
{
    (void)state;
    in_own_var_tmp("mode=1777", lock_while_the_gate_is_held);
    in_own_var_tmp("mode=1777", lock_behind_a_removed_gate);
}

/* ---- programs with another TMPDIR ---- */

static void lock_with_another_tmpdir(void)
{
    const int file = open_it();
    int status;
    MUST(setenv("TMPDIR", "/nowhere", 1) == 0 && takes(file, 1, VZ_OS_LOCK_EXCLUSIVE));
    const pid_t child = fork();
    if (child == 0) {
        const int other = vz_os_open(path, O_RDWR);
        setenv("TMPDIR", "/tmp", 1);
        _exit(takes(other, 1, VZ_OS_LOCK_SHARED) || errno != EAGAIN);
    }
    MUST(waitpid(child, &status, 0) == child && status == 0);
}

static void test_tmpdir(void **state)
{
    (void)state;
    in_own_var_tmp("mode=1777", lock_with_another_tmpdir);
}

/* ---- too many ---- */

static void allow_files(rlim_t count)
{
    struct rlimit limit;
    MUST(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = count < limit.rlim_max ? count : limit.rlim_max;
    MUST(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

/* The number of locks that could be taken. */
static int take_many(int file, int most)
{
    int count = 0;
    while (count < most && takes(file, (uint64_t)count, VZ_OS_LOCK_EXCLUSIVE))
        count++;
    return count;
}

static void lock_without_descriptors(void)
{
    const int file = open_it();
    allow_files(64);
    const int count = take_many(file, 64);
    MUST(count > 40 && count < 64 && errno == EMFILE && says(": Too many open files"));
    MUST(takes(file, 0, VZ_OS_UNLOCK) && takes(file, 1000, VZ_OS_LOCK_SHARED));
}

static bool is_there(const char *name)
{
    struct stat status;
    return stat(name, &status) == 0;
}

static void lock_in_a_full_table(void)
{
    const int file = open_it();
    char name[200];
    struct stat status;
    allow_files(LOCKS_MAX + 100);
    const int count = take_many(file, LOCKS_MAX + 10);
    if (count < LOCKS_MAX - 100) /* so many files may not be open here */
        _exit(OWN_VAR_TMP_MISSING);
    MUST(count == LOCKS_MAX && errno == EMFILE && says("this process has 4096 locks"));
    MUST(fstat(file, &status) == 0);
    snprintf(name, sizeof name, GATE "-%llx-%llx-%x", (unsigned long long)status.st_dev,
             (unsigned long long)status.st_ino, LOCKS_MAX);
    MUST(!is_there(name));
    MUST(takes(file, 7, VZ_OS_UNLOCK) && takes(file, LOCKS_MAX, VZ_OS_LOCK_SHARED) && is_there(name));
}

/* A number that cannot have the locks is not given away. */
static void copy_into_a_full_table(void)
{
    const int file = open_it();
    struct stat before, after;
    const int number = open("/dev/null", O_RDONLY);
    allow_files(64);
    MUST(take_many(file, 40) == 40 && fstat(number, &before) == 0);
    MUST(vz_os_dup_to(file, number) == -1 && errno == EMFILE);
    MUST(fstat(number, &after) == 0 && before.st_ino == after.st_ino);
    const int other = vz_os_open(path, O_RDWR);
    vz_os_close(number);
    MUST(other >= 0 && !takes(other, 39, VZ_OS_LOCK_SHARED) && errno == EAGAIN);
    vz_os_close(file);
    MUST(takes(other, 39, VZ_OS_LOCK_SHARED));
}

static void test_too_many(void **state)
{
    (void)state;
    in_own_var_tmp("mode=1777", lock_without_descriptors);
    in_own_var_tmp("mode=1777", lock_in_a_full_table);
    in_own_var_tmp("mode=1777", copy_into_a_full_table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unwritable_place), cmocka_unit_test(test_files_of_others), cmocka_unit_test(test_gate),
        cmocka_unit_test(test_tmpdir),           cmocka_unit_test(test_too_many),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
