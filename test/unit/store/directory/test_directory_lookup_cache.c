/* test_directory_lookup_cache.c - what was found in a directory is believed again only where the directory's times
 * would tell of a change. The times are given here, so that it does not depend on how fine the kernel's are. */
#include "store/directory/directory_internal.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static char path[64], document[96];

static int set_up(void **state)
{
    (void)state;
    strcpy(path, P_tmpdir "/vz_seen_XXXXXX");
    if (!mkdtemp(path))
        return -1;
    snprintf(document, sizeof document, "%s/.zgroup", path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(document);
    return rmdir(path);
}

static void put_document(bool exists)
{
    const int file = exists ? open(document, O_CREAT | O_WRONLY, 0666) : -1;
    assert_true(exists ? file >= 0 && close(file) == 0 : unlink(document) == 0);
}

/* A look at the directory, as if it had those times. */
static bool look(const struct stat *status, bool settled)
{
    vz_error err = VZ_ERROR_NONE;
    bool has = false;
    vz_store *store = vz_store_open_directory(path, false, &err);
    assert_non_null(store);
    vz_directory_see(vz_directory_of(store), status, settled);
    assert_true(vz_directory_has(store, ".zgroup", &has, &err));
    vz_store_close(store);
    return has;
}

static void young_times_are_not_believed(void **state)
{
    (void)state;
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    for (int i = 0; i < 3; i++) { /* the times stay what they are, as within a tick of the clock */
        put_document(true);
        assert_true(look(&status, false));
        put_document(false);
        assert_false(look(&status, false));
    }
}

static void old_times_are_believed(void **state)
{
    (void)state;
    struct stat status;
    put_document(true);
    assert_int_equal(stat(path, &status), 0);
    assert_true(look(&status, true));
    put_document(false);
    assert_true(look(&status, true)); /* nobody looked again */
    status.st_mtim.tv_nsec ^= 1;
    assert_false(look(&status, true));
    put_document(true);
    assert_false(look(&status, true));
    status.st_ctim.tv_nsec ^= 1;
    assert_true(look(&status, true));
    put_document(false);
    status.st_ino++;
    assert_false(look(&status, true));
}

static struct timespec before(long long ns)
{
    struct timespec now;
    assert_int_equal(clock_gettime(CLOCK_REALTIME_COARSE, &now), 0);
    const long long then = now.tv_sec * 1000000000LL + now.tv_nsec - ns;
    return (struct timespec){.tv_sec = then / 1000000000LL, .tv_nsec = then % 1000000000LL};
}

static void times_settle(void **state)
{
    (void)state;
    vz_store *store = vz_store_open_directory(path, false, NULL);
    assert_non_null(store);
    struct vz_directory *directory = vz_directory_of(store);
    const struct timespec young = before(0), future = before(-3000000000LL), old = before(5000000000LL);
    assert_false(vz_directory_is_settled(directory, &young));
    assert_false(vz_directory_is_settled(directory, &future));
    assert_true(vz_directory_is_settled(directory, &old));
    struct timespec coarse = before(1000000000LL);
    coarse.tv_nsec -= coarse.tv_nsec % 1000; /* of a file system that counts in microseconds, or longer */
    assert_false(vz_directory_is_settled(directory, &coarse));
    vz_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(young_times_are_not_believed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(old_times_are_believed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(times_settle, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
