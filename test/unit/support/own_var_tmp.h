/* own_var_tmp.h - a case in a child process that has a /var/tmp of its own, which root alone can make: there are the
 * locks of the portable build (base/os/lock_file_posix.c). Include <cmocka.h> before. */
#ifndef OWN_VAR_TMP_H
#define OWN_VAR_TMP_H

#include "base/os/file_system.h"
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#define OWN_VAR_TMP_MISSING 77 /* the child's exit status where it cannot do the case */

/* In the child. */
static void must(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "not so: %s (errno %d, '%s')\n", what, errno, vz_os_lock_trouble());
    _exit(1);
}

#define MUST(condition) must(condition, #condition)

static bool has_own_var_tmp(const char *options)
{
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", "/var/tmp", "tmpfs", 0, options) == 0;
}

static void make_var_tmp_read_only(void)
{
    MUST(mount("none", "/var/tmp", NULL, MS_REMOUNT | MS_RDONLY, NULL) == 0);
}

/* Skipped where locks on bytes are in the file, and where /var/tmp cannot be replaced. */
static void in_own_var_tmp(const char *options, void (*act)(void))
{
    int status;
    if (vz_os_byte_locks_are_in_file())
        skip();
    const pid_t child = fork();
    if (child == 0) {
        if (!has_own_var_tmp(options))
            _exit(OWN_VAR_TMP_MISSING);
        act();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == OWN_VAR_TMP_MISSING) {
        print_message("no /var/tmp of one's own can be made here, or too few files can be open\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

#endif
