/* test_directory_staging_memory.c - renaming where things wait in the staging area, when memory runs out: it happens
 * whole, or not at all. */
#include "store_directory_support.h"
#include "failing_memory.h"

#define MOST 100 /* allocations of one renaming, and more */

static const char nameless[] = "0123456789abcdef0123456789abcdef-1.partial";

static bool holds(vz_store *store, const char *prefix, const char *rest)
{
    char key[160];
    vz_buffer out = {0};
    bool found = false;
    snprintf(key, sizeof key, "%s/%s", prefix, rest);
    assert_true(vz_store_get(store, key, VZ_WHOLE, &out, &found, NULL));
    vz_buffer_clear(&out);
    return found;
}

/* A group that is stored, with two nodes below it that wait. */
static void make(vz_store *store)
{
    put(store, "g/.zgroup", "{}");
    assert_true(vz_store_begin(store, "g/a", NULL) && vz_store_begin(store, "g/b", NULL));
    put(store, "g/a/0", "1");
    put(store, "g/b/0", "2");
}

static void assert_all(vz_store *store, const char *at, const char *not_at)
{
    static const char *const rests[] = {".zgroup", "a/0", "b/0"};
    for (size_t i = 0; i < COUNT(rests); i++) {
        if (!holds(store, at, rests[i]))
            fail_msg("%s/%s is not there", at, rests[i]);
        if (holds(store, not_at, rests[i]))
            fail_msg("%s/%s is there", not_at, rests[i]);
    }
}

static void rename_failing(vz_store *store, const char *from, const char *to)
{
    unsigned turn = 0;
    bool ok = false;
    while (!ok && ++turn < MOST) {
        vz_error err = VZ_ERROR_NONE;
        allocation_turn = turn;
        ok = vz_store_rename_tree(store, from, to, &err);
        const bool failed = end_failing_memory();
        assert_true(ok || failed);
        if (!ok)
            assert_int_equal(err.class, VZ_NO_MEMORY);
        assert_all(store, ok ? to : from, ok ? from : to);
    }
    assert_in_range(turn, 3, MOST - 1);
}

static void test_stored(void **state)
{
    make(*state);
    rename_failing(*state, "g", "h");
    assert_true(exists("h/.zgroup"));
    assert_false(exists("g"));
    assert_true(vz_store_publish(*state, "h/a", NULL) && vz_store_publish(*state, "h/b", NULL));
    assert_file("h/a/0", "1");
    assert_file("h/b/0", "2");
}

static void test_out_of_sight_and_back(void **state)
{
    make(*state);
    rename_failing(*state, "g", nameless);
    assert_false(exists("g"));
    rename_failing(*state, nameless, "h");
    assert_true(vz_store_publish(*state, "h/a", NULL) && vz_store_publish(*state, "h/b", NULL));
    assert_file("h/a/0", "1");
}

static void test_waiting(void **state)
{
    assert_true(vz_store_begin(*state, "g", NULL));
    make(*state);
    rename_failing(*state, "g", "h");
    assert_true(vz_store_publish(*state, "h/a", NULL) && vz_store_publish(*state, "h/b", NULL));
    assert_true(vz_store_publish(*state, "h", NULL));
    assert_file("h/b/0", "2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_stored),
        TEST(test_out_of_sight_and_back),
        TEST(test_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
