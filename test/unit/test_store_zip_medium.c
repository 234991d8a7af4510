/* A zip file whose bytes somebody else has: read through him alone, and replaced where it is. */
#include "memory_medium.h"
#include "store/zip.h"
#include "store_support.h"

#define LARGE (((size_t)2 << 20) + 1) /* copied in several parts */

static const uint8_t empty[VZ_ZIP_END_SIZE] = {'P', 'K', 5, 6};

static memory_medium medium;
static const vz_header none;

static vz_store *over(bool writable)
{
    vz_error err = VZ_ERROR_NONE;
    medium.base = (vz_medium){.class = &memory_medium_class, .identity = {{1, 2}}, .in_memory = true};
    vz_store *store = vz_zip_over_medium(&medium.base, "<the medium>", &none, writable, &err);
    if (!store)
        fail_msg("%s", err.text);
    return store;
}

static int make_empty(void **state)
{
    (void)state;
    medium = (memory_medium){.writes_left = -1};
    return vz_buffer_append(&medium.bytes, empty, sizeof empty, NULL) ? 0 : -1;
}

static int clear(void **state)
{
    (void)state;
    vz_buffer_clear(&medium.bytes);
    return 0;
}

static void commit(vz_store *store)
{
    vz_error err = VZ_ERROR_NONE;
    if (!vz_store_commit(store, &err))
        fail_msg("%s", err.text);
}

/* What is put is nowhere before the commit, and in the medium after it. */
static void test_committed(void **state)
{
    (void)state;
    char *large = calloc(1, LARGE + 1);
    memset(large, 'x', LARGE);
    vz_store *store = over(true);
    put(store, "a/b", "one");
    put(store, "large", large);
    assert_int_equal(medium.bytes.size, sizeof empty);
    commit(store);
    assert_true(medium.bytes.size > LARGE);
    put(store, "a/b", "two");
    commit(store);
    assert_value(store, "large", large);
    vz_store_del(store, "large", NULL);
    commit(store);
    assert_true(medium.bytes.size < LARGE);
    vz_store_close(store);
    assert_int_equal(medium.closes, 1);
    store = over(false);
    assert_value(store, "a/b", "two");
    assert_value(store, "large", NULL);
    vz_store_close(store);
    free(large);
}

/* A medium that takes a part of it only: the store has all its values, and the next commit brings them. */
static void test_tried_again(void **state)
{
    (void)state;
    char *large = calloc(1, LARGE + 1);
    memset(large, 'x', LARGE);
    vz_store *store = over(true);
    put(store, "first", large);
    commit(store);
    put(store, "other", large);
    put(store, "small", "1");
    medium.writes_left = 1;
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_store_commit(store, &err));
    assert_int_equal(err.class, VZ_IO);
    assert_true(vz_store_is_uncommitted(store));
    assert_value(store, "first", large);
    put(store, "small", "2");
    assert_false(vz_store_commit(store, NULL));
    medium.writes_left = -1;
    commit(store);
    assert_value(store, "other", large);
    vz_store_close(store);
    store = over(false);
    assert_value(store, "first", large);
    assert_value(store, "other", large);
    assert_value(store, "small", "2");
    vz_store_close(store);
    free(large);
}

static void test_refused(void **state)
{
    (void)state;
    vz_medium_class reading = memory_medium_class;
    reading.write = NULL;
    medium.base = (vz_medium){.class = &reading};
    vz_error err = VZ_ERROR_NONE;
    assert_null(vz_zip_over_medium(&medium.base, "x", &none, true, &err));
    assert_int_equal(err.class, VZ_READ_ONLY);
    assert_int_equal(medium.closes, 1);
    medium.base = (vz_medium){.class = &memory_medium_class};
    medium.bytes.size = 3;
    err = VZ_ERROR_NONE;
    assert_null(vz_zip_over_medium(&medium.base, "x", &none, false, &err));
    assert_int_equal(err.class, VZ_CORRUPT);
    assert_int_equal(medium.closes, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_committed, make_empty, clear),
        cmocka_unit_test_setup_teardown(test_tried_again, make_empty, clear),
        cmocka_unit_test_setup_teardown(test_refused, make_empty, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
