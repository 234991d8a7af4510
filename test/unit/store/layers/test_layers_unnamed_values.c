/* test_layers_unnamed_values.c - what is put under a name that nobody looks for and renamed before it was sent. */
#include "behind_support.h"

#define UNNAMED "0123456789abcdef0123456789abcdef-1.partial"

static void must_rename(vz_store *store, const char *from, const char *to)
{
    vz_error err = VZ_ERROR_NONE;
    if (!vz_store_rename_tree(store, from, to, &err))
        fail_msg("%s", err.text);
}

/* It is sent once, under its name, and a look for what is missing asks nobody. */
static void named_later(void **state)
{
    far *f = *state;
    vz_buffer bytes = {0};
    vz_request get = {.key = UNNAMED "/x/2"};
    vz_stamp before, after;
    put(f->store, UNNAMED "/x/0", "zero");
    put(f->store, UNNAMED "/x/1", "one");
    put(f->store, UNNAMED "/x/3", "goes");
    assert_true(vz_store_del(f->store, UNNAMED "/x/3", NULL));
    assert_true(vz_request_do(f->store, &get, &bytes, NULL) && !get.found);
    assert_value(f->store, UNNAMED "/x/0", "zero");
    assert_value(f->store, UNNAMED "/x/3", NULL);
    must_drain(f->store);
    assert_int_equal(f->slow->requests, 0);
    assert_true(vz_store_stat(f->store, UNNAMED "/x/1", &before, NULL));
    assert_true(vz_store_del(f->store, "a/0", NULL));
    must_rename(f->store, UNNAMED "/x", "a");
    assert_true(vz_store_stat(f->store, "a/1", &after, NULL) && vz_stamp_equal(&before, &after));
    assert_value(f->store, UNNAMED "/x/0", NULL);
    assert_true(vz_store_has_unwritten(f->store, "a"));
    must_drain(f->store);
    assert_int_equal(f->slow->requests, 2);
    assert_value(f->memory, "a/0", "zero");
    assert_value(f->memory, "a/1", "one");
    assert_value(f->memory, "a/3", NULL);
    vz_buffer_clear(&bytes);
}

static void never_named(void **state)
{
    far *f = *state;
    put(f->store, UNNAMED "/0", "zero");
    assert_true(vz_store_del_tree(f->store, UNNAMED, NULL));
    put(f->store, UNNAMED "/0", "at the end of the store");
    must_drain(f->store);
    assert_int_equal(f->slow->requests, 0);
}

/* What waits under the new name is in the way; nothing changes then. */
static void name_is_taken(void **state)
{
    far *f = *state;
    vz_error err = VZ_ERROR_NONE;
    put(f->store, UNNAMED "/0", "mine");
    put(f->store, "a/7", "other");
    assert_false(vz_store_rename_tree(f->store, UNNAMED, "a", &err));
    assert_int_equal(err.class, VZ_EXISTS);
    err = VZ_ERROR_NONE;
    assert_false(vz_store_rename_tree(f->store, UNNAMED "/x", "b", &err));
    assert_int_equal(err.class, VZ_NOT_FOUND);
    assert_value(f->store, UNNAMED "/0", "mine");
    must_rename(f->store, UNNAMED, "b");
    must_drain(f->store);
    assert_value(f->memory, "b/0", "mine");
    assert_value(f->memory, "a/7", "other");
}

/* Conditions of what has no name yet are held by the table, too. */
static void unnamed_conditions(void **state)
{
    far *f = *state;
    vz_error err = VZ_ERROR_NONE;
    vz_request new = {
        .op = VZ_REQUEST_PUT, .key = UNNAMED "/0", .value = {(const uint8_t *)"x", 1}, .when = VZ_WHEN_ABSENT};
    assert_true(vz_request_do(f->store, &new, NULL, NULL));
    assert_false(vz_request_do(f->store, &new, NULL, NULL));
    assert_int_equal(new.failed, VZ_CHANGED);
    assert_false(vz_store_put_new(f->store, UNNAMED "/0", new.value, &err));
    assert_int_equal(err.class, VZ_EXISTS);
    assert_true(vz_store_put_new(f->store, UNNAMED "/1", new.value, NULL));
    assert_int_equal(f->slow->requests, 0);
    must_rename(f->store, UNNAMED, "a");
    must_drain(f->store);
    assert_value(f->memory, "a/0", "x");
    assert_value(f->memory, "a/1", "x");
}

/* A caller that lists it has it sent; from then on the store below moves it. */
static void unnamed_is_listed(void **state)
{
    far *f = *state;
    vz_entry *entries;
    size_t count;
    put(f->store, UNNAMED "/0", "zero");
    assert_true(vz_store_list(f->store, UNNAMED, &entries, &count, NULL));
    assert_int_equal(count, 1);
    vz_entries_free(entries, count);
    assert_value(f->memory, UNNAMED "/0", "zero");
    put(f->store, UNNAMED "/1", "one");
    must_rename(f->store, UNNAMED, "a");
    must_drain(f->store);
    assert_value(f->memory, "a/0", "zero");
    assert_value(f->memory, "a/1", "one");
    assert_value(f->memory, UNNAMED "/0", NULL);
}

/* More than there is room for is sent under the partial name. */
static void unnamed_has_bounds(void **state)
{
    far *f = *state;
    enum { SIZE = 32 << 20, COUNT = 10 };
    uint8_t *bytes = calloc(1, SIZE);
    char key[100];
    for (unsigned i = 0; i < COUNT; i++) {
        snprintf(key, sizeof key, UNNAMED "/%u", i);
        assert_true(vz_store_put(f->store, key, (vz_bytes){bytes, SIZE}, NULL));
        assert_int_equal(f->slow->requests > 0, i >= 8);
    }
    free(bytes);
    must_rename(f->store, UNNAMED, "a");
    must_drain(f->store);
    vz_stamp stamp;
    assert_true(vz_store_stat(f->memory, "a/0", &stamp, NULL) && stamp.size == SIZE);
    assert_true(vz_store_stat(f->memory, "a/9", &stamp, NULL) && stamp.size == SIZE);
}

int main(void)
{
#define FAR(test) cmocka_unit_test_setup_teardown(test, open_far, close_far)
    const struct CMUnitTest tests[] = {
        FAR(named_later),        FAR(never_named),       FAR(name_is_taken),
        FAR(unnamed_conditions), FAR(unnamed_is_listed), FAR(unnamed_has_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
