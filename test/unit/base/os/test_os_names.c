/* test_os_names.c - names in directories, as systems answer that are not Linux: macOS says EPERM of a directory that is
 * unlinked, and ENOTSUP where Linux says EOPNOTSUPP (one number on Linux). Listings go on where a batch had no room for
 * a name. */
#include "base/os/file.h"
#include "base/os/file_system.h"
#include "base/os/library_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#define NAMES 300

static int directory;
static char path[] = "/tmp/vz-names-XXXXXX";

/* ---- a system that says EPERM of directories, and of one name ---- */

static bool says_eperm;

int unlinkat(int at, const char *name, int flags)
{
    struct stat status;
    if (says_eperm && !flags && fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        (S_ISDIR(status.st_mode) || strcmp(name, "locked") == 0)) {
        errno = EPERM;
        return -1;
    }
    return (int)syscall(SYS_unlinkat, at, name, flags);
}

static int setup(void **state)
{
    (void)state;
    if (!mkdtemp(path))
        return -1;
    directory = open(path, O_RDONLY | O_DIRECTORY);
    return directory < 0 ? -1 : 0;
}

static int teardown(void **state)
{
    (void)state;
    close(directory);
    return vz_os_remove_tree(path) ? 0 : -1;
}

static void make(const char *name)
{
    const int file = openat(directory, name, O_WRONLY | O_CREAT, 0600);
    assert_true(file >= 0);
    close(file);
}

static void test_unlink(void **state)
{
    (void)state;
    make("file");
    make("locked");
    assert_int_equal(mkdirat(directory, "below", 0700), 0);
    for (int eperm = 0; eperm < 2; eperm++) {
        says_eperm = eperm;
        assert_int_equal(vz_os_unlink_at(directory, "below"), -1);
        assert_int_equal(errno, EISDIR);
    }
    assert_int_equal(vz_os_unlink_at(directory, "locked"), -1);
    assert_int_equal(errno, EPERM);
    says_eperm = false;
    assert_int_equal(vz_os_unlink_at(directory, "locked"), 0);
    assert_int_equal(vz_os_unlink_at(directory, "file"), 0);
    assert_int_equal(vz_os_rmdir_at(directory, "below"), 0);
}

/* ---- listings ---- */

static unsigned list(vz_os_listing *listing, bool removes, char seen[NAMES])
{
    vz_os_entry entry;
    unsigned count = 0;
    while (vz_os_list_next(listing, &entry)) {
        const int number = atoi(entry.name + strlen("name-"));
        assert_in_range(number, 0, NAMES - 1);
        assert_int_equal(seen[number]++, 0);
        if (removes)
            assert_int_equal(vz_os_unlink_at(directory, entry.name), 0);
        count++;
    }
    assert_int_equal(errno, 0);
    return count;
}

/* Each name once, however small a batch is, and while names go. */
static void test_batches(void **state)
{
    (void)state;
    VZ_OS_BATCH(batch, 512);
    vz_os_listing listing = {.directory = directory, .batch = batch, .room = sizeof batch};
    char name[32];
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "name-%d", i);
        make(name);
    }
    for (int removes = 0; removes < 2; removes++) {
        char seen[NAMES] = {0};
        assert_int_equal(vz_os_list_rewind(&listing), 0);
        assert_int_equal(list(&listing, removes, seen), NAMES);
    }
    char none[NAMES] = {0};
    assert_int_equal(vz_os_list_rewind(&listing), 0);
    assert_int_equal(list(&listing, false, none), 0);
    vz_os_list_end(&listing);
}

/* ---- the loader of macOS ---- */

static void test_dyld(void **state)
{
    (void)state;
    /* of macOS 11; then of macOS 13 and later, which looks in a second place */
    assert_true(vz_os_dyld_says_missing("dlopen(/p/vol_zarr_net.so, 2): image not found"));
    assert_false(vz_os_dyld_says_missing(
        "dlopen(/p/vol_zarr_net.so, 2): no suitable image found.  Did find:\n\t/p/vol_zarr_net.so: file too short"));
    assert_true(vz_os_dyld_says_missing(
        "dlopen(/p/a.so, 0x0002): tried: '/p/a.so' (no such file), '/System/Volumes/Preboot/Cryptexes/OS/p/a.so' "
        "(no such file), '/p/a.so' (no such file, not in dyld cache)"));
    assert_false(vz_os_dyld_says_missing(
        "dlopen(/p/a.so, 0x0002): tried: '/p/a.so' (mach-o file, but is an incompatible architecture (have "
        "'x86_64', need 'arm64')), '/System/Volumes/Preboot/Cryptexes/OS/p/a.so' (no such file), '/p/a.so' "
        "(mach-o file, but is an incompatible architecture (have 'x86_64', need 'arm64'))"));
    assert_false(vz_os_dyld_says_missing(
        "dlopen(/p/a.so, 0x0002): tried: '/p/a.so' (code signature in <9D> '/p/a.so' not valid for use in process)"));
    assert_true(vz_os_dyld_says_missing(
        "dlopen(/p/a.so, 0x0002): Library not loaded: @rpath/b.dylib\n  Referenced from: <UUID> /p/a.so\n"
        "  Reason: tried: '/p/b.dylib' (no such file), '/usr/lib/b.dylib' (no such file, not in dyld cache)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unlink),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_dyld),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
