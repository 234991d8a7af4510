/* A zip file or a one-file store that is read while somebody else writes it: a renewal shows what he flushed,
 * committed, packed into another file, or emptied; and what failed leaves the reader with what it had. */
#include "store/zip/zip_internal.h"
#include "store/zip/state_internal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#define FILE_NAME "a.h5"

#include "zip_file_support.h"

static void renew(vz_store *store)
{
    vz_error err = VZ_ERROR_NONE;
    if (!vz_store_renew(store, &err))
        fail_msg("%s", err.text);
}

static void flush(vz_store *store)
{
    vz_error err = VZ_ERROR_NONE;
    if (!vz_store_flush(store, &err))
        fail_msg("%s", err.text);
}

static vz_store *make(bool one_file)
{
    char key[32];
    vz_store *store = one_file ? vz_zip_create_one_file(path, false, 0, NULL) : vz_zip_create(path, false, NULL);
    assert_non_null(store);
    for (int i = 0; i < 300; i++) {
        snprintf(key, sizeof key, "names/%d", i);
        put(store, key, "old");
    }
    put(store, "a", "0");
    put(store, "gone", "0");
    commit(store);
    return store;
}

static void test_each_flush_and_commit_is_found(void **state)
{
    (void)state;
    for (int one_file = 0; one_file < 2; one_file++) {
        vz_store *writer = make(one_file), *reader = open_zip(false);
        for (int step = 1; step < 30; step++) {
            char text[16], key[16];
            snprintf(text, sizeof text, "%d", step);
            snprintf(key, sizeof key, "new/%d", step);
            put(writer, "a", text);
            put(writer, key, text);
            if (step == 5)
                assert_true(vz_store_del(writer, "gone", NULL));
            if (step == 7)
                assert_true(vz_store_rename_tree(writer, "names", "moved", NULL));
            if (step % 10 == 9)
                commit(writer);
            else
                flush(writer);
            assert_value(reader, key, NULL);
            renew(reader);
            assert_value(reader, "a", text);
            assert_value(reader, key, text);
            assert_value(reader, "gone", step < 5 ? "0" : NULL);
            assert_value(reader, "names/7", step < 7 ? "old" : NULL);
            assert_value(reader, "moved/7", step < 7 ? NULL : "old");
            renew(reader);
            assert_value(reader, "a", text);
        }
        vz_store_close(writer);
        renew(reader);
        assert_value(reader, "a", "29");
        vz_store_close(reader);
    }
}

/* A flush among many names costs a reader what was flushed. */
static void test_a_flush_is_read_alone(void **state)
{
    (void)state;
    vz_store *writer = make(true), *reader = open_zip(false);
    put(writer, "a", "1");
    flush(writer);
    renew(reader);
    const uint64_t versions = ((vz_zip *)reader)->versions;
    put(writer, "a", "2");
    flush(writer);
    renew(reader);
    assert_int_equal(((vz_zip *)reader)->versions, versions + 1);
    assert_value(reader, "a", "2");
    vz_store_close(writer);
    vz_store_close(reader);
}

static void test_versions_tell_what_changed(void **state)
{
    (void)state;
    vz_stamp before, after;
    vz_store *writer = make(true), *reader = open_zip(false);
    assert_true(vz_store_stat(reader, "a", &before, NULL));
    put(writer, "a", "1");
    commit(writer);
    renew(reader);
    assert_true(vz_store_stat(reader, "a", &after, NULL));
    assert_false(vz_stamp_equal(&before, &after));
    vz_store_close(writer);
    vz_store_close(reader);
}

/* Packed, or written without locks, the store is another file under the same name. */
static void test_another_file_in_its_place(void **state)
{
    (void)state;
    for (int one_file = 0; one_file < 2; one_file++) {
        uint64_t size, packed;
        vz_store *writer = make(one_file), *reader = open_zip(false);
        const vz_identity before = reader->identity;
        const int descriptor = *reader->descriptor;
        put(writer, "a", "1");
        assert_true(vz_store_compact(writer, &size, &packed, NULL));
        renew(reader);
        assert_value(reader, "a", "1");
        assert_value(reader, "names/299", "old");
        assert_false(vz_identity_equal(&before, &reader->identity));
        assert_true(vz_identity_equal(&writer->identity, &reader->identity));
        assert_int_equal(*reader->descriptor, descriptor);
        put(writer, "a", "2");
        commit(writer);
        renew(reader);
        assert_value(reader, "a", "2");
        vz_store_close(writer);
        vz_store_close(reader);
    }
}

static void write_file(const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* Whatever else takes the name, or nothing: what is open is read on, as of any deleted file. */
static void test_no_store_in_its_place(void **state)
{
    (void)state;
    vz_store_close(make(true));
    vz_store *reader = open_zip(false);
    assert_int_equal(remove(path), 0);
    renew(reader);
    assert_value(reader, "a", "0");
    write_file("no store", 8);
    renew(reader);
    assert_value(reader, "names/5", "old");
    vz_store_close(reader);
}

static void test_emptied_in_place(void **state)
{
    (void)state;
    vz_store_close(make(true));
    vz_store *reader = open_zip(false);
    vz_store *writer = vz_zip_create_one_file(path, false, 4096, NULL);
    assert_non_null(writer);
    put(writer, "b", "1");
    commit(writer);
    renew(reader);
    assert_value(reader, "a", NULL);
    assert_value(reader, "b", "1");
    assert_int_equal(reader->user_block, 4096);
    vz_store_close(writer);
    vz_store_close(reader);
}

/* The file is cut short, or is something else: that is reported, and the reader keeps the list that it had. */
static void test_what_cannot_be_read_changes_nothing(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    vz_store_close(make(true));
    vz_store *reader = open_zip(false);
    assert_int_equal(truncate(path, 9000), 0);
    assert_false(vz_store_renew(reader, &err));
    assert_int_equal(err.class, VZ_CORRUPT);
    vz_stamp stamp;
    assert_true(vz_store_stat(reader, "names/5", &stamp, NULL));
    assert_true(stamp.exists);
    err = VZ_ERROR_NONE;
    write_file("no store", 8);
    assert_false(vz_store_renew(reader, &err));
    assert_int_equal(err.class, VZ_CORRUPT);
    vz_store_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_flush_and_commit_is_found),
        cmocka_unit_test(test_a_flush_is_read_alone),
        cmocka_unit_test(test_versions_tell_what_changed),
        cmocka_unit_test(test_another_file_in_its_place),
        cmocka_unit_test(test_no_store_in_its_place),
        cmocka_unit_test(test_emptied_in_place),
        cmocka_unit_test(test_what_cannot_be_read_changes_nothing),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
