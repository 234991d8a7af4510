/* test_os_byte_lock.c - locks on single bytes of a file, between opens of one process and between processes. Where they
 * are files of their own (byte_lock_posix.c) they must do what the kernel's do. */
#include "base/os/file.h"
#include "base/os/file_system.h"
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define FAR ((uint64_t)1 << 62)

static char path[] = "/tmp/vz-byte-lock-XXXXXX";

static int make_path(void **state)
{
    (void)state;
    const int file = mkstemp(path);
    return file < 0 || close(file) != 0;
}

/* No lock leaves a file behind. */
static int remove_path(void **state)
{
    (void)state;
    struct stat status;
    char pattern[80];
    glob_t left;
    if (stat(path, &status) != 0 || unlink(path) != 0)
        return -1;
    snprintf(pattern, sizeof pattern, "/var/tmp/.vol-zarr-lock-*-%llx-*", (unsigned long long)status.st_ino);
    const int found = glob(pattern, 0, NULL, &left);
    if (found == 0)
        fprintf(stderr, "%s stays\n", left.gl_pathv[0]);
    globfree(&left);
    return found == GLOB_NOMATCH ? 0 : -1;
}

static int open_it(void)
{
    const int file = vz_os_open(path, O_RDWR);
    assert_true(file >= 0);
    return file;
}

static bool takes(int file, uint64_t byte, vz_os_lock_kind kind)
{
    const bool ok = vz_os_lock_byte(file, byte, kind) == 0;
    if (!ok)
        assert_true(errno == EAGAIN || errno == EACCES);
    return ok;
}

static bool is_held(int file, uint64_t byte, vz_os_lock_kind kind)
{
    bool held;
    assert_int_equal(vz_os_find_byte_lock(file, byte, kind, &held), 0);
    return held;
}

/* Does a process that opens the file for itself find the byte locked? */
static bool others_find(uint64_t byte)
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        bool held = false;
        const int file = vz_os_open(path, O_RDWR);
        _exit(file < 0 || vz_os_find_byte_lock(file, byte, VZ_OS_LOCK_EXCLUSIVE, &held) != 0 ? 2 : held);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
    return WEXITSTATUS(status);
}

/* ---- one process ---- */

static void test_two_opens(void **state)
{
    (void)state;
    const int a = open_it(), b = open_it();
    assert_false(is_held(a, FAR, VZ_OS_LOCK_EXCLUSIVE));
    assert_true(takes(a, FAR, VZ_OS_LOCK_SHARED) && takes(b, FAR, VZ_OS_LOCK_SHARED));
    assert_false(is_held(a, FAR, VZ_OS_LOCK_SHARED));
    assert_true(is_held(a, FAR, VZ_OS_LOCK_EXCLUSIVE) && is_held(b, FAR, VZ_OS_LOCK_EXCLUSIVE));
    assert_false(takes(a, FAR, VZ_OS_LOCK_EXCLUSIVE));
    assert_true(is_held(b, FAR, VZ_OS_LOCK_EXCLUSIVE)); /* it stays a shared one */
    assert_true(takes(b, FAR, VZ_OS_UNLOCK));
    assert_false(is_held(a, FAR, VZ_OS_LOCK_EXCLUSIVE)); /* one's own is no obstacle */
    assert_true(takes(a, FAR, VZ_OS_LOCK_EXCLUSIVE));
    assert_false(takes(b, FAR, VZ_OS_LOCK_SHARED) || takes(b, FAR, VZ_OS_LOCK_EXCLUSIVE));
    assert_true(is_held(b, FAR, VZ_OS_LOCK_SHARED));
    assert_true(takes(b, FAR + 1, VZ_OS_LOCK_EXCLUSIVE) && takes(b, 0, VZ_OS_LOCK_SHARED)); /* other bytes */
    assert_true(takes(a, FAR, VZ_OS_LOCK_SHARED) && takes(b, FAR, VZ_OS_LOCK_SHARED));
    vz_os_close(a);
    assert_true(takes(b, FAR, VZ_OS_LOCK_EXCLUSIVE) && others_find(FAR) && others_find(FAR + 1));
    vz_os_close(b);
    assert_false(others_find(FAR) || others_find(FAR + 1) || others_find(0));
}

/* Somebody in the program opens the file and closes it: HDF5 looks whether it is one of its own. */
static void test_closing_another_open(void **state)
{
    (void)state;
    const int file = open_it();
    assert_true(takes(file, FAR, VZ_OS_LOCK_EXCLUSIVE));
    close(open(path, O_RDWR));
    vz_os_close(open_it());
    assert_true(others_find(FAR));
    vz_os_close(file);
    assert_false(others_find(FAR));
}

/* A descriptor that takes another one's number takes its locks, too. */
static void test_number_of_another(void **state)
{
    (void)state;
    const int a = open_it(), b = open_it();
    assert_true(takes(a, 1, VZ_OS_LOCK_EXCLUSIVE) && takes(b, 2, VZ_OS_LOCK_EXCLUSIVE));
    assert_int_equal(vz_os_dup_to(a, b), b);
    assert_true(others_find(1));
    assert_false(others_find(2));
    vz_os_close(a);
    assert_true(others_find(1));
    vz_os_close(b);
    assert_false(others_find(1));
}

/* ---- several processes ---- */

static void test_forked_child_shares(void **state)
{
    (void)state;
    int status, pipes[2];
    char byte;
    const int file = open_it();
    assert_true(takes(file, FAR, VZ_OS_LOCK_EXCLUSIVE));
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    if (child == 0) {
        close(pipes[1]);
        _exit(read(pipes[0], &byte, 1) != 0 || vz_os_lock_byte(file, FAR, VZ_OS_LOCK_SHARED) != 0);
    }
    close(pipes[0]);
    vz_os_close(file);
    assert_true(others_find(FAR));
    close(pipes[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    const int other = open_it();
    assert_true(takes(other, FAR, VZ_OS_LOCK_EXCLUSIVE));
    vz_os_close(other);
}

static void test_killed_process(void **state)
{
    (void)state;
    int status, pipes[2];
    char byte;
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    if (child == 0) {
        const int file = vz_os_open(path, O_RDWR);
        if (vz_os_lock_byte(file, FAR, VZ_OS_LOCK_EXCLUSIVE) == 0 && write(pipes[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &byte, 1), 1);
    close(pipes[0]);
    assert_true(others_find(FAR));
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_false(others_find(FAR));
}

/* Those who look never hold anybody off, and two who share a lock never find themselves alone. */
static void test_looking_disturbs_nobody(void **state)
{
    (void)state;
    enum { CHILDREN = 3, TIMES = 300 };
    pid_t children[CHILDREN];
    const int file = open_it();
    assert_true(takes(file, FAR, VZ_OS_LOCK_SHARED));
    for (int i = 0; i < CHILDREN; i++)
        if ((children[i] = fork()) == 0) {
            bool held = true;
            const int own = vz_os_open(path, O_RDWR);
            for (int k = 0; held && k < TIMES; k++) {
                if (vz_os_lock_byte(own, FAR, VZ_OS_LOCK_SHARED) != 0 ||
                    vz_os_find_byte_lock(own, FAR, VZ_OS_LOCK_EXCLUSIVE, &held) != 0 ||
                    vz_os_lock_byte(own, FAR, VZ_OS_UNLOCK) != 0)
                    held = false;
            }
            _exit(!held);
        }
    for (int i = 0; i < CHILDREN; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_false(is_held(file, FAR, VZ_OS_LOCK_EXCLUSIVE));
    vz_os_close(file);
}

/* Of many who want it for themselves one has it at a time: none of their additions is lost. */
static void test_one_at_a_time(void **state)
{
    (void)state;
    enum { CHILDREN = 3, TIMES = 100 };
    pid_t children[CHILDREN];
    unsigned sum = 0;
    const int file = open_it();
    assert_int_equal(pwrite(file, &sum, sizeof sum, 0), sizeof sum);
    for (int i = 0; i < CHILDREN; i++)
        if ((children[i] = fork()) == 0) {
            const int own = vz_os_open(path, O_RDWR);
            for (int k = 0; k < TIMES; k++) {
                unsigned now;
                while (vz_os_lock_byte(own, FAR, VZ_OS_LOCK_EXCLUSIVE) != 0)
                    if (errno != EAGAIN && errno != EACCES)
                        _exit(1);
                if (pread(own, &now, sizeof now, 0) != sizeof now || (now++, pwrite(own, &now, sizeof now, 0)) < 0 ||
                    vz_os_lock_byte(own, FAR, VZ_OS_UNLOCK) != 0)
                    _exit(1);
            }
            _exit(0);
        }
    for (int i = 0; i < CHILDREN; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(pread(file, &sum, sizeof sum, 0), sizeof sum);
    assert_int_equal(sum, CHILDREN * TIMES);
    vz_os_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_opens),         cmocka_unit_test(test_closing_another_open),
        cmocka_unit_test(test_number_of_another), cmocka_unit_test(test_forked_child_shares),
        cmocka_unit_test(test_killed_process),    cmocka_unit_test(test_looking_disturbs_nobody),
        cmocka_unit_test(test_one_at_a_time),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
