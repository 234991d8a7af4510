/* store_directory_support.h - what the tests of the directory store share: its root, and looks at it with POSIX calls.
 */
#ifndef STORE_DIRECTORY_SUPPORT_H
#define STORE_DIRECTORY_SUPPORT_H

#include "store_support.h"
#include "own_directory.h"
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define NOBODY       65534

static char scratch[32], root[40]; /* the store lies in a directory of its own, since it has things beside it */

static inline void shell(const char *command) /* in the store's root */
{
    char text[1024];
    if (snprintf(text, sizeof text, "cd %s && %s", root, command) >= (int)sizeof text || system(text) != 0)
        fail_msg("%s", text);
}

static inline int setup(void **state)
{
    strcpy(scratch, P_tmpdir "/vz_store_XXXXXX");
    if (!mkdtemp(scratch) || chmod(scratch, 0777) != 0)
        return -1;
    snprintf(root, sizeof root, "%s/s", scratch);
    if (mkdir(root, 0777) != 0 || chmod(root, 0777) != 0)
        return -1;
    *state = vz_store_open_directory(root, true, NULL);
    return *state ? 0 : -1;
}

static inline int teardown(void **state)
{
    vz_store_close(*state);
    return remove_tree(scratch);
}

static inline vz_bytes text_bytes(const char *text)
{
    return (vz_bytes){.data = (const uint8_t *)text, .size = strlen(text)};
}

static inline void assert_file(const char *path, const char *text)
{
    char full[512], content[512] = "";
    snprintf(full, sizeof full, "%s/%s", root, path);
    FILE *file = fopen(full, "r");
    if (!file)
        fail_msg("no file %s", full);
    assert_int_equal(fread(content, 1, sizeof content - 1, file), strlen(text));
    fclose(file);
    assert_string_equal(content, text);
}

/* What is at the key; NULL: nothing. */
static inline void assert_got(vz_store *store, const char *key, const char *expected)
{
    vz_buffer out = {0};
    bool found;
    assert_true(vz_store_get(store, key, VZ_WHOLE, &out, &found, NULL));
    assert_int_equal(found, expected != NULL);
    if (expected) {
        assert_int_equal(out.size, strlen(expected));
        assert_memory_equal(out.data, expected, out.size);
    }
    vz_buffer_clear(&out);
}

static inline void begin_prefix(vz_store *store, const char *prefix)
{
    assert_true(vz_store_begin(store, prefix, NULL));
}

static inline bool exists(const char *path)
{
    char full[512];
    struct stat status;
    snprintf(full, sizeof full, "%s/%s", root, path);
    return lstat(full, &status) == 0;
}

/* Runs `child` in a process of its own; what it returns is its exit status. */
static inline int in_child(int (*child)(vz_store *), vz_store *store)
{
    const pid_t pid = fork();
    if (pid == 0)
        _exit(child(store));
    int status = -1;
    waitpid(pid, &status, 0);
    return status;
}

static inline int return_at_once(vz_store *store)
{
    (void)store;
    return 0;
}

static inline pid_t dead_pid(void)
{
    const pid_t pid = fork();
    if (pid == 0)
        _exit(return_at_once(NULL));
    waitpid(pid, NULL, 0);
    return pid;
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif
