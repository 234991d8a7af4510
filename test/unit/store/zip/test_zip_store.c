/* What only a zip store does: packing, damage, hostile directories. test_store_kinds.c has what every kind does; the
 * Python tests have zipfile and zarr-python on the other side. */
#include "store_support.h"
#include "own_directory.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static char directory[64], path[96];

static int make_directory(void **state)
{
    (void)state;
    if (!own_directory(directory))
        return -1;
    snprintf(path, sizeof path, "%s/a.zip", directory);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    return remove_tree(directory);
}

static void commit(vz_store *store)
{
    vz_error err = VZ_ERROR_NONE;
    if (!vz_store_commit(store, &err))
        fail_msg("%s", err.text);
}

static vz_store *reopen(vz_store *store, bool writable)
{
    vz_error err = VZ_ERROR_NONE;
    vz_store_close(store);
    store = vz_zip_open_path(path, writable, &err);
    if (!store)
        fail_msg("%s", err.text);
    return store;
}

static size_t read_file(uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "rb");
    const size_t got = fread(data, 1, size, file);
    fclose(file);
    return got;
}

static void write_file(const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

static int count_files(void)
{
    char command[128], line[16] = "";
    snprintf(command, sizeof command, "ls -A %s | wc -l", directory);
    FILE *pipe = popen(command, "r");
    const bool read = fgets(line, sizeof line, pipe) != NULL;
    pclose(pipe);
    return read ? atoi(line) : -1;
}

/* ---- packing ---- */

static void test_commit(void **state)
{
    (void)state;
    vz_store *store = vz_zip_create(path, true, NULL);
    put(store, ".zgroup", "{}");
    put(store, "a/0.0", "chunk");
    put(store, "a/0.0", "another chunk");
    put(store, "gone", "x");
    assert_true(vz_store_del(store, "gone", NULL));
    assert_true(vz_store_rename_tree(store, "a", "b", NULL));
    assert_int_equal(count_files(), 1); /* the spool has no name */
    put(store, "host-1-1.partial/0", "of nobody's business");
    commit(store);
    store = reopen(store, true);
    assert_value(store, "b/0.0", "another chunk");
    put(store, "b/0.1", "later");
    assert_true(vz_store_sync(store, NULL));
    commit(store);
    store = reopen(store, true);
    assert_value(store, "host-1-1.partial/0", NULL);
    assert_value(store, ".zgroup", "{}");
    assert_value(store, "b/0.0", "another chunk");
    assert_value(store, "b/0.1", "later");
    assert_value(store, "a/0.0", NULL);
    assert_value(store, "gone", NULL);
    put(store, "b/0.1", "not committed");
    store = reopen(store, false);
    assert_value(store, "b/0.1", "later");
    assert_int_equal(count_files(), 1);
    vz_store_close(store);
}

static void test_commit_without_change_writes_nothing(void **state)
{
    (void)state;
    struct stat before, after;
    vz_store *store = vz_zip_create(path, true, NULL);
    put(store, "a", "1");
    commit(store);
    assert_int_equal(stat(path, &before), 0);
    store = reopen(store, true);
    assert_true(vz_store_del(store, "none", NULL));
    commit(store);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    vz_store_close(store);
}

static void test_mode_is_kept(void **state)
{
    (void)state;
    struct stat status;
    vz_store *store = vz_zip_create(path, true, NULL);
    assert_int_equal(chmod(path, 0640), 0);
    store = reopen(store, true);
    put(store, "a", "1");
    commit(store);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    vz_store_close(store);
}

static void test_changed_by_another(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    vz_store *store = vz_zip_create(path, true, NULL);
    put(store, "a", "1");
    commit(store);
    store = reopen(store, true);
    vz_store *other = vz_zip_open_path(path, true, NULL);
    put(other, "b", "2");
    commit(other);
    vz_store_close(other);
    other = NULL;
    assert_false(vz_store_put(store, "c", (vz_bytes){.data = (const uint8_t *)"3", .size = 1}, &err));
    assert_int_equal(err.class, VZ_BUSY);
    assert_true(vz_store_del(store, "a", NULL));
    assert_false(vz_store_commit(store, &err));
    vz_store_close(store);
    other = reopen(other, false);
    assert_value(other, "b", "2");
    assert_int_equal(count_files(), 1);
    vz_store_close(other);
}

/* More entries than 16 bits count: a zip64 end record. */
static void test_many(void **state)
{
    (void)state;
    enum { MANY = 66000 };
    char key[32];
    vz_store *store = vz_zip_create(path, true, NULL);
    for (int i = 0; i < MANY; i++) {
        snprintf(key, sizeof key, "d%d/%d", i % 100, i);
        put(store, key, key);
    }
    commit(store);
    store = reopen(store, false);
    for (int i = 0; i < MANY; i += 777) {
        snprintf(key, sizeof key, "d%d/%d", i % 100, i);
        assert_value(store, key, key);
    }
    vz_entry *entries;
    size_t count;
    assert_true(vz_store_list(store, "d7", &entries, &count, NULL));
    assert_int_equal(count, MANY / 100);
    vz_entries_free(entries, count);
    vz_store_close(store);
}

static void test_create_exclusive(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    vz_store_close(vz_zip_create(path, true, NULL));
    assert_null(vz_zip_create(path, true, &err));
    assert_int_equal(err.class, VZ_EXISTS);
}

/* ---- damage ---- */

static size_t small_zip(uint8_t *data, size_t size)
{
    vz_store *store = vz_zip_create(path, false, NULL);
    put(store, ".zgroup", "{\"zarr_format\": 2}");
    put(store, "a/.zarray", "{}");
    put(store, "a/0", "0123456789");
    commit(store);
    vz_store_close(store);
    return read_file(data, size);
}

/* Whatever the file holds, it opens or is refused with words, and so does each value. */
static void try_to_read(bool *opened)
{
    static const char *const keys[] = {".zgroup", "a/.zarray", "a/0", "b"};
    vz_error err = VZ_ERROR_NONE;
    vz_store *store = vz_zip_open_path(path, false, &err);
    *opened = store != NULL;
    if (!store) {
        assert_int_not_equal(err.class, VZ_OK);
        return;
    }
    for (size_t i = 0; i < COUNT(keys); i++) {
        vz_buffer out = {0};
        bool found;
        err = VZ_ERROR_NONE;
        if (!vz_store_get(store, keys[i], VZ_WHOLE, &out, &found, &err))
            assert_int_not_equal(err.class, VZ_OK);
        vz_buffer_clear(&out);
    }
    vz_store_close(store);
}

static void test_every_byte_damaged(void **state)
{
    (void)state;
    static const uint8_t flips[] = {0x01, 0x80, 0xff};
    uint8_t whole[2048], damaged[sizeof whole];
    const size_t size = small_zip(whole, sizeof whole);
    bool opened;
    int refused = 0;
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < COUNT(flips); j++) {
            memcpy(damaged, whole, size);
            damaged[i] ^= flips[j];
            write_file(damaged, size);
            try_to_read(&opened);
            refused += !opened;
        }
    assert_true(refused > 50);
}

static void test_every_truncation_is_refused(void **state)
{
    (void)state;
    uint8_t whole[2048];
    const size_t size = small_zip(whole, sizeof whole);
    bool opened;
    for (size_t i = 0; i < size; i++) {
        write_file(whole, i);
        try_to_read(&opened);
        assert_false(opened);
    }
}

/* In ranges that come to all of a value, too; bytes that are a part of it have no sum. */
static void read_in_ranges(vz_store *store, uint64_t size, bool ok)
{
    const vz_range ranges[] = {{VZ_RANGE_AT, 0, 4}, {VZ_RANGE_AT, 4, 1}, {VZ_RANGE_AT, 5, size - 5}};
    vz_error err = VZ_ERROR_NONE;
    vz_buffer out[3] = {{0}};
    bool found;
    assert_int_equal(vz_store_get_ranges(store, "a/0", ranges, 3, out, &found, &err), ok);
    assert_int_equal(err.class, ok ? VZ_OK : VZ_CORRUPT);
    for (size_t i = 0; i < 3; i++)
        vz_buffer_clear(&out[i]);
}

static void test_damaged_data_is_noticed(void **state)
{
    (void)state;
    uint8_t whole[2048];
    const size_t size = small_zip(whole, sizeof whole);
    uint8_t *digits = memmem(whole, size, "0123456789", 10);
    assert_non_null(digits);
    digits[3] = 'x';
    write_file(whole, size);
    vz_store *store = vz_zip_open_path(path, false, NULL);
    vz_error err = VZ_ERROR_NONE;
    vz_buffer out = {0};
    bool found;
    assert_false(vz_store_get(store, "a/0", VZ_WHOLE, &out, &found, &err));
    assert_int_equal(err.class, VZ_CORRUPT);
    assert_string_equal(err.object, "a/0");
    vz_buffer_clear(&out);
    read_in_ranges(store, 10, false);
    read_in_ranges(store, 9, true);
    vz_store_close(store);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, make_directory, remove_directory)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_commit),
        TEST(test_commit_without_change_writes_nothing),
        TEST(test_mode_is_kept),
        TEST(test_changed_by_another),
        TEST(test_many),
        TEST(test_create_exclusive),
        TEST(test_every_byte_damaged),
        TEST(test_every_truncation_is_refused),
        TEST(test_damaged_data_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
