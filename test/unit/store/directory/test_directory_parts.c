/* test_directory_parts.c - values of a directory that are put from several places. */
#include "store_directory_support.h"

#define PARTS 1500 /* more than one call of the system takes */

static const char key[] = "a/c/0/0";

/* The value is `first`, and then so many times `rest`. */
static vz_bytes list[PARTS];

static vz_parts parts(const char *first, const char *rest)
{
    for (size_t i = 0; i < PARTS; i++)
        list[i] = text_bytes(i ? rest : first);
    return (vz_parts){list, PARTS};
}

static void assert_parts(vz_store *store, const char *at, vz_parts expected)
{
    vz_error err = VZ_ERROR_NONE;
    vz_buffer back = {0};
    bool found;
    size_t place = 0;
    assert_true(vz_store_get(store, at, VZ_WHOLE, &back, &found, &err));
    assert_true(found);
    for (size_t i = 0; i < expected.count; place += expected.list[i++].size) {
        assert_true(back.size - place >= expected.list[i].size);
        assert_memory_equal(back.data + place, expected.list[i].data, expected.list[i].size);
    }
    assert_int_equal(back.size, place);
    vz_buffer_clear(&back);
}

static void put_list(vz_store *store, const char *at, vz_parts value)
{
    vz_error err = VZ_ERROR_NONE;
    assert_true(vz_store_put_parts(store, at, value, &err));
    assert_parts(store, at, value);
}

/* Where nothing is, and over what is there: counted as any put, and nothing else is left. */
static void test_put(void **state)
{
    vz_store *store = *state;
    put_list(store, key, parts("a", "bc"));
    put_list(store, key, parts("de", "f"));
    shell("test $(find . -type f | wc -l) = 1 -a $(wc -c < a/c/0/0) = 1501");
    assert_int_equal(vz_store_counted(store).puts, 2);
    assert_int_equal(vz_store_counted(store).bytes_written, 1 + 2 * 1499 + 2 + 1499);
    const vz_bytes one = text_bytes("one alone");
    put_list(store, key, vz_parts_of(&one));
    assert_value(store, key, "one alone");
}

/* A document too; and a reader that has the value before it open keeps that. */
static void test_over_what_is_held(void **state)
{
    vz_store *store = *state;
    vz_error err = VZ_ERROR_NONE;
    vz_store_value held;
    vz_buffer back = {0};
    bool found;
    put_list(store, "a/.zarray", parts("{", " "));
    put_list(store, key, parts("old", "."));
    assert_true(vz_store_open_value(store, key, VZ_VALUE_READ, &held, &found, &err));
    put_list(store, key, parts("new", "!"));
    assert_true(vz_store_read_value(store, key, &held, &(vz_range){VZ_RANGE_AT, 0, 5}, 1, &back, &err));
    assert_memory_equal(back.data, "old..", 5);
    vz_store_close_value(store, &held);
    vz_buffer_clear(&back);
    store->durable = true;
    put_list(store, key, parts("synced", "-"));
    shell("test $(find . -type f | wc -l) = 2");
}

/* In a staging area it is written in its place, after what waited there of the same key, and before what is put then.
 */
static void test_staged(void **state)
{
    vz_store *store = *state;
    vz_error err = VZ_ERROR_NONE;
    assert_true(vz_store_begin(store, "a", &err));
    assert_true(vz_store_put(store, "a/.zarray", text_bytes("{}"), &err));
    for (unsigned turn = 0; turn < 3; turn++) {
        assert_true(vz_store_put(store, key, text_bytes("small, and waits"), &err));
        put_list(store, key, parts("large", "+"));
        assert_true(vz_store_drain(store, &err));
        assert_parts(store, key, parts("large", "+"));
    }
    assert_true(vz_store_put(store, key, text_bytes("small again"), &err));
    assert_value(store, key, "small again");
    put_list(store, "a/c/0/1", parts("large", "*"));
    shell("test ! -e a");
    assert_true(vz_store_publish(store, "a", &err));
    shell("test \"$(cat a/c/0/0)\" = 'small again' -a $(wc -c < a/c/0/1) = 1504 -a $(find a -type f | wc -l) = 3");
}

/* A directory in its place, a file in that of its directory, a key that is none, a store that is only read. */
static void test_what_fails(void **state)
{
    vz_store *store = *state;
    vz_error err = VZ_ERROR_NONE;
    vz_store *reader = vz_store_open_directory(root, false, &err);
    assert_non_null(reader);
    shell("mkdir -p a/c/0/0/x b && touch b/c");
    static const char *const keys[] = {"a/c/0/0", "b/c/0", "a//b"};
    for (size_t i = 0; i < 4; i++) {
        err = VZ_ERROR_NONE;
        assert_false(vz_store_put_parts(i < 3 ? store : reader, i < 3 ? keys[i] : "c", parts("x", "y"), &err));
        assert_int_not_equal(err.class, VZ_OK);
    }
    shell("test -z \"$(find . -name '*.partial')\" -a $(find . -type f | wc -l) = 1");
    vz_store_close(reader);
}

/* They have no such call: who asks puts the value from one place. */
static void test_other_stores(void **state)
{
    vz_error err = VZ_ERROR_NONE;
    vz_store *memory = vz_store_new_memory(&err);
    (void)state;
    assert_non_null(memory);
    assert_null(memory->class->put_parts);
    vz_store_close(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_put, setup, teardown),
        cmocka_unit_test_setup_teardown(test_over_what_is_held, setup, teardown),
        cmocka_unit_test_setup_teardown(test_staged, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_fails, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_stores, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
