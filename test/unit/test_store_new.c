/* test_store_new.c - a directory store that was just made: what is looked at for it only when it must be. */
#include "store_directory_support.h"
#include <time.h>

static vz_store *made; /* by the case */

static void make(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    made = vz_store_create_directory(path, true, NULL);
    assert_non_null(made);
}

static void put_in_new(const char *key, const char *text)
{
    assert_true(vz_store_put(made, key, text_bytes(text), NULL));
}

static int dies_with_its_shape_untold(vz_store *store)
{
    char path[64];
    (void)store;
    snprintf(path, sizeof path, "%s/new", scratch);
    vz_store *own = vz_store_create_directory(path, true, NULL);
    return own && vz_store_begin_shape_change(own, "x", NULL) && vz_store_begin(own, "a", NULL) &&
                   vz_store_put(own, "a/0", text_bytes("left"), NULL) && vz_store_drain(own, NULL)
               ? 0
               : 1;
}

/* A store of that name died with its stage, and somebody removed its directory, not what is beside it. */
static void test_sweeps_what_was_beside_it(void **state)
{
    (void)state;
    assert_int_equal(in_child(dies_with_its_shape_untold, NULL), 0);
    shell("test -e ../.new.partial/lease && rm -r ../new");
    make("new");
    shell("test -e ../.new.partial/1/0"); /* nothing was written yet */
    put_in_new(".zgroup", "{}");
    shell("test -e ../.new.partial/lease -a ! -e ../.new.partial/1 -a ! -e ../.new-1.partial");
    vz_store_close(made);
    shell("test -z \"$(ls -A .. | grep new.*partial)\"");
}

/* What a living writer has there stays. */
static void test_leaves_a_living_stage(void **state)
{
    (void)state;
    make("new");
    vz_store *first = made;
    assert_true(vz_store_begin(first, "a", NULL) && vz_store_put(first, "a/0", text_bytes("1"), NULL) &&
                vz_store_drain(first, NULL));
    shell("mv ../new ../other");
    make("new");
    put_in_new(".zgroup", "{}");
    shell("test -e ../.new.partial/1/0 -a -e ../.new-1.partial/lease");
    vz_store_close(made);
    shell("test -e ../.new.partial/1/0 -a ! -e ../.new-1.partial");
    vz_store_close(first);
    shell("test ! -e ../.new.partial");
}

/* Of several writers one makes a document, in a store that is new, too. */
static void test_first_document_wins(void **state)
{
    vz_error err = VZ_ERROR_NONE;
    (void)state;
    make("new");
    assert_true(vz_store_put_new(made, "zarr.json", text_bytes("first"), NULL));
    assert_false(vz_store_put_new(made, "zarr.json", text_bytes("second"), &err));
    assert_int_equal(err.class, VZ_EXISTS);
    assert_int_equal(err.sys_errno, EEXIST);
    vz_store_close(made);
    assert_file("../new/zarr.json", "first");
    shell("test -z \"$(ls -A .. | grep partial)\"");
}

static bool is_recent(const char *path)
{
    char full[64];
    struct stat status;
    struct timespec now;
    snprintf(full, sizeof full, "%s/%s", scratch, path);
    clock_gettime(CLOCK_REALTIME, &now);
    assert_int_equal(stat(full, &status), 0);
    return now.tv_sec - status.st_mtim.tv_sec < 1000;
}

/* Whatever changed, the directory's time tells that something did: by a name in it, or because it is set. */
static void test_time_of_the_root(void **state)
{
    static const char *const keys[] = {".zgroup", "x/0", ".zattrs", "x/1"};
    (void)state;
    make("new");
    put_in_new("x/0", "1");
    for (size_t i = 0; i < COUNT(keys); i++) {
        put_in_new(keys[i], "2");
        shell("touch -d '2 hours ago' ../new");
        put_in_new(keys[i], "3");
        vz_store_touch(made);
        assert_true(is_recent("new"));
    }
    put_in_new(".zattrs", "4");
    put_in_new("x/1", "4"); /* after a name in the root */
    shell("touch -d '2 hours ago' ../new");
    vz_store_touch(made);
    assert_true(is_recent("new"));
    vz_store_close(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_sweeps_what_was_beside_it),
        TEST(test_leaves_a_living_stage),
        TEST(test_first_document_wins),
        TEST(test_time_of_the_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
