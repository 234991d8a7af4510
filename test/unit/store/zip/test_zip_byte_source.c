/* A zip file whose bytes somebody else has: read and written through him alone, and changed where it is. */
#include "memory_source.h"
#include "store/zip/state_internal.h"
#include "store_support.h"

#define LARGE (((size_t)2 << 20) + 1) /* copied in several parts */

static const uint8_t empty[VZ_ZIP_END_SIZE] = {'P', 'K', 5, 6};

static memory_source source;
static const vz_signature none;

static vz_store *over_with(const vz_signature *header, bool writable)
{
    vz_error err = VZ_ERROR_NONE;
    source.base = (vz_byte_source){.class = &memory_source_class, .identity = {{1, 2}}, .in_memory = true};
    vz_store *store = vz_zip_over_byte_source(&source.base, "<the source>", header, writable, &err);
    if (!store)
        fail_msg("%s", err.text);
    return store;
}

static vz_store *over(bool writable)
{
    return over_with(&none, writable);
}

static int make_empty(void **state)
{
    (void)state;
    source = (memory_source){.writes_left = -1};
    return vz_buffer_append(&source.bytes, empty, sizeof empty, NULL) ? 0 : -1;
}

static int clear(void **state)
{
    (void)state;
    vz_buffer_clear(&source.bytes);
    return 0;
}

static void commit(vz_store *store)
{
    vz_error err = VZ_ERROR_NONE;
    if (!vz_store_commit(store, &err))
        fail_msg("%s", err.text);
}

/* Of a directory that is longer than the last bytes of the file, which are looked through for its end record. */
static void test_directory_is_read_once(void **state)
{
    enum { ENTRIES = 3000 };
    (void)state;
    char key[32];
    vz_store *store = over(true);
    for (unsigned i = 0; i < ENTRIES; i++) {
        snprintf(key, sizeof key, "key %04u", i);
        put(store, key, "x");
    }
    commit(store);
    vz_store_close(store);
    const uint64_t directory = ENTRIES * (VZ_ZIP_CENTRAL_SIZE + 8);
    assert_true(directory > 2 * VZ_ZIP_COMMENT_MAX);
    source.bytes_read = 0;
    store = over(false);
    assert_value(store, "key 1234", "x");
    assert_in_range(source.bytes_read, directory, directory + VZ_ZIP_COMMENT_MAX + 4096);
    vz_store_close(store);
}

/* What is put is nowhere before the commit, and in the byte source after it. */
static void test_committed(void **state)
{
    (void)state;
    char *large = calloc(1, LARGE + 1);
    memset(large, 'x', LARGE);
    vz_store *store = over(true);
    put(store, "a/b", "one");
    put(store, "large", large);
    assert_int_equal(source.bytes.size, sizeof empty);
    commit(store);
    assert_true(source.bytes.size > LARGE);
    put(store, "a/b", "two");
    commit(store);
    assert_value(store, "large", large);
    vz_store_del(store, "large", NULL);
    commit(store);
    vz_store_close(store);
    assert_int_equal(source.closes, 1);
    store = over(false);
    assert_value(store, "a/b", "two");
    assert_value(store, "large", NULL);
    vz_store_close(store);
    free(large);
}

/* What is there is not written again. */
static void test_a_commit_writes_what_is_new(void **state)
{
    (void)state;
    char *large = calloc(1, LARGE + 1);
    memset(large, 'x', LARGE);
    vz_store *store = over(true);
    put(store, "large", large);
    put(store, "moved/a", "a");
    commit(store);
    source.written = 0;
    put(store, "small", "1");
    assert_true(vz_store_rename_tree(store, "moved", "there", NULL));
    commit(store);
    assert_in_range(source.written, 100, 2000);
    vz_store_close(store);
    store = over(false);
    assert_value(store, "large", large);
    assert_value(store, "small", "1");
    assert_value(store, "there/a", "a");
    assert_value(store, "moved/a", NULL);
    vz_store_close(store);
    free(large);
}

/* In memory room comes back when most of it is dead. */
static void test_packed_in_memory(void **state)
{
    (void)state;
    char *large = calloc(1, LARGE + 1);
    memset(large, 'x', LARGE);
    vz_store *store = over(true);
    put(store, "kept", "k");
    size_t largest = 0;
    for (unsigned i = 0; i < 50; i++) {
        put(store, "large", large);
        commit(store);
        largest = largest < source.bytes.size ? source.bytes.size : largest;
    }
    assert_in_range(largest, (size_t)64 << 20, (size_t)70 << 20);
    assert_true(source.bytes.size < largest);
    assert_value(store, "kept", "k");
    assert_value(store, "large", large);
    put(store, "more", "m");
    commit(store);
    vz_store_close(store);
    store = over(false);
    assert_value(store, "kept", "k");
    assert_value(store, "large", large);
    assert_value(store, "more", "m");
    vz_store_close(store);
    free(large);
}

/* What a reader finds in the bytes as they are: a new value, or else the old one. */
static bool is_new(const vz_signature *header)
{
    memory_source copy = source;
    vz_error err = VZ_ERROR_NONE;
    copy.base.identity = (vz_identity){{3, 4}};
    vz_store *store = vz_zip_over_byte_source(&copy.base, "<a copy>", header, false, &err);
    if (!store)
        fail_msg("%s", err.text);
    vz_buffer value = {0};
    bool found;
    assert_true(vz_store_get(store, "value", VZ_WHOLE, &value, &found, NULL) && found);
    const bool is_new = value.size == 3 && memcmp(value.data, "new", 3) == 0;
    assert_true(is_new || (value.size == 3 && memcmp(value.data, "old", 3) == 0));
    value.size = 0;
    assert_true(vz_store_get(store, "added", VZ_WHOLE, &value, &found, NULL));
    assert_true(found == is_new);
    vz_buffer_clear(&value);
    vz_store_close(store);
    return is_new;
}

/* A writer that ends anywhere in a commit leaves what was there, or what is new; and the next one goes on from it. */
static void check_ended_anywhere(const vz_signature *header)
{
    vz_store *store = over_with(header, true);
    put(store, "value", "old");
    put(store, "other", "o");
    commit(store);
    vz_store_close(store);
    const vz_buffer before = source.bytes;
    int writes = 0;
    for (bool done = false; !done; writes++) {
        source.bytes = (vz_buffer){0};
        assert_true(vz_buffer_append(&source.bytes, before.data, before.size, NULL));
        store = over_with(header, true);
        put(store, "value", "new");
        put(store, "added", "a");
        source.writes_left = writes;
        done = vz_store_commit(store, NULL);
        assert_true(is_new(header) == done);
        vz_store_close(store); /* a byte source that lets nothing be written cannot be tidied up either */
        source.writes_left = -1;
        assert_true(is_new(header) == done);
        store = over_with(header, true);
        put(store, "next", "n");
        commit(store);
        assert_value(store, "other", "o");
        assert_value(store, "value", done ? "new" : "old");
        vz_store_close(store);
        assert_true(is_new(header) == done);
        vz_buffer_clear(&source.bytes);
    }
    assert_in_range(writes, 5, 20);
    source.bytes = before;
}

static void test_ended_anywhere(void **state)
{
    (void)state;
    check_ended_anywhere(&none);
}

static void test_one_file_ended_anywhere(void **state)
{
    (void)state;
    const vz_signature header = {.kind = VZ_SIGNATURE_STORE, .base = 512};
    source.base = (vz_byte_source){.class = &memory_source_class};
    source.bytes.size = 0;
    assert_true(vz_store_make_over(&source.base, true, header.base, NULL));
    check_ended_anywhere(&header);
}

/* Nothing is written over what somebody else wrote. */
static void test_changed_by_somebody(void **state)
{
    (void)state;
    vz_store *store = over(true);
    put(store, "a", "1");
    commit(store);
    assert_true(vz_buffer_append(&source.bytes, "more", 4, NULL));
    put(store, "b", "2");
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_store_commit(store, &err));
    assert_int_equal(err.class, VZ_BUSY);
    assert_memory_equal(source.bytes.data + source.bytes.size - 4, "more", 4);
    vz_store_close(store);
}

/* A byte source that takes a part of it only: the store has all its values, and the next commit brings them. */
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
    source.writes_left = 1;
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_store_commit(store, &err));
    assert_int_equal(err.class, VZ_IO);
    assert_true(vz_store_is_uncommitted(store));
    assert_value(store, "first", large);
    put(store, "small", "2");
    assert_false(vz_store_commit(store, NULL));
    source.writes_left = -1;
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
    vz_byte_source_class reading = memory_source_class;
    reading.write = NULL;
    source.base = (vz_byte_source){.class = &reading};
    vz_error err = VZ_ERROR_NONE;
    assert_null(vz_zip_over_byte_source(&source.base, "x", &none, true, &err));
    assert_int_equal(err.class, VZ_READ_ONLY);
    assert_int_equal(source.closes, 1);
    source.base = (vz_byte_source){.class = &memory_source_class};
    source.bytes.size = 3;
    err = VZ_ERROR_NONE;
    assert_null(vz_zip_over_byte_source(&source.base, "x", &none, false, &err));
    assert_int_equal(err.class, VZ_CORRUPT);
    assert_int_equal(source.closes, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_committed, make_empty, clear),
        cmocka_unit_test_setup_teardown(test_directory_is_read_once, make_empty, clear),
        cmocka_unit_test_setup_teardown(test_tried_again, make_empty, clear),
        cmocka_unit_test_setup_teardown(test_a_commit_writes_what_is_new, make_empty, clear),
        cmocka_unit_test_setup_teardown(test_packed_in_memory, make_empty, clear),
        cmocka_unit_test_setup_teardown(test_ended_anywhere, make_empty, clear),
        cmocka_unit_test_setup_teardown(test_one_file_ended_anywhere, make_empty, clear),
        cmocka_unit_test_setup_teardown(test_changed_by_somebody, make_empty, clear),
        cmocka_unit_test_setup_teardown(test_refused, make_empty, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
