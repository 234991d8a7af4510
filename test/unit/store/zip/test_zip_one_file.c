/* A one-file store that is changed in place: what a flush and a close promise, whenever the writer is killed, whatever
 * call fails; what other programs do to the file; what stays of it. */
#include "store/zip/zip_internal.h"
#include "failing_calls.h"
#include "store/zip/central_internal.h"
#include <libdeflate.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <cmocka.h>

#define FILE_NAME "a.h5"

#include "zip_file_support.h"

static void done(bool ok, const vz_error *err)
{
    if (!ok)
        fail_msg("%s", err->text);
}

static void flush(vz_store *store)
{
    vz_error err = VZ_ERROR_NONE;
    done(vz_store_flush(store, &err), &err);
}

static struct stat status_of(void)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status;
}

/* Enough names that a directory is no small thing, so that flushes write delta records. */
static void make_old(void)
{
    char key[32];
    vz_store *store = vz_zip_create_one_file(path, false, 0, NULL);
    assert_non_null(store);
    for (int i = 0; i < 500; i++) {
        snprintf(key, sizeof key, "many/names/of/%d", i);
        put(store, key, "old");
    }
    put(store, "state", "0");
    put(store, "gone", "0");
    put(store, "dir/a", large);
    commit(store);
    vz_store_close(store);
}

/* One of the steps of a writer: each leaves `state` behind it. */
static void change(vz_store *store, int step)
{
    char text[16];
    snprintf(text, sizeof text, "%d", step);
    if (step == 1) {
        put(store, "new/1", "1");
        assert_true(vz_store_rename_tree(store, "dir", "moved", NULL));
    } else if (step == 2) {
        assert_true(vz_store_del(store, "gone", NULL));
        put(store, "new/1", "2");
        put(store, "big", large);
    } else {
        assert_true(vz_store_del_tree(store, "new", NULL));
        put(store, "new/3", "3");
    }
    put(store, "state", text);
}

static void check(vz_store *store, int step)
{
    assert_value(store, "many/names/of/7", "old");
    assert_value(store, "gone", step < 2 ? "0" : NULL);
    assert_value(store, "dir/a", step < 1 ? large : NULL);
    assert_value(store, "moved/a", step < 1 ? NULL : large);
    assert_value(store, "new/1", step == 1 ? "1" : step == 2 ? "2" : NULL);
    assert_value(store, "big", step < 2 ? NULL : large);
    assert_value(store, "new/3", step < 3 ? NULL : "3");
}

static int state_of(vz_store *store)
{
    vz_buffer out = {0};
    bool found;
    assert_true(vz_store_get(store, "state", VZ_WHOLE, &out, &found, NULL));
    assert_true(found && out.size == 1);
    const int state = out.data[0] - '0';
    vz_buffer_clear(&out);
    return state;
}

/* ---- what a flush promises ---- */

static void test_flush_is_seen_by_this_connector(void **state)
{
    (void)state;
    make_old();
    const struct stat before = status_of();
    vz_store *store = open_zip(true);
    for (int step = 1; step <= 3; step++) {
        change(store, step);
        flush(store);
        vz_store *reader = open_zip(false);
        check(reader, step);
        vz_store_close(reader);
    }
    check(store, 3);
    commit(store);
    vz_store_close(store);
    store = open_zip(false);
    check(store, 3);
    vz_store_close(store);
    assert_int_equal(before.st_ino, status_of().st_ino);
}

/* What was not committed goes, and the file is as it was. */
static void test_without_a_commit_nothing_stays(void **state)
{
    (void)state;
    make_old();
    const struct stat before = status_of();
    vz_store *store = open_zip(true);
    change(store, 1);
    change(store, 2);
    assert_true(status_of().st_size > before.st_size);
    vz_store_close(store);
    assert_int_equal(before.st_size, status_of().st_size);
    store = open_zip(true);
    check(store, 0);
    vz_store_close(store);
}

static void write_all(int report)
{
    vz_store *store = vz_zip_open_path(path, true, NULL);
    for (int step = 1; step <= 3; step++) {
        change(store, step);
        if (!(step == 3 ? vz_store_commit(store, NULL) : vz_store_flush(store, NULL)))
            _exit(1);
        const char told = (char)step;
        if (write(report, &told, 1) != 1)
            _exit(1);
    }
    vz_store_close(store);
    _exit(0);
}

/* The last step that was reported to be done when the writer was killed at its `turn`-th call; false: it ended before.
 */
static bool kill_at(unsigned turn, bool halfway, int *told)
{
    int report[2];
    char step;
    *told = 0;
    assert_int_equal(pipe(report), 0);
    const pid_t child = fork();
    if (child == 0) {
        fail_call(0, false, 0);
        failing.kill = turn;
        failing.halfway = halfway;
        write_all(report[1]);
    }
    close(report[1]);
    while (read(report[0], &step, 1) == 1)
        *told = step;
    close(report[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status);
}

static void test_killed_anywhere(void **state)
{
    (void)state;
    for (int halfway = 0; halfway < 2; halfway++) {
        bool killed = true;
        unsigned turn = 1;
        for (; killed; turn++) {
            int told;
            make_old();
            killed = kill_at(turn, halfway, &told);
            vz_store *store = open_zip(false);
            const int found = state_of(store);
            if (found != told && found != told + 1)
                fail_msg("call %u: %d was promised, %d is there", turn, told, found);
            check(store, found);
            vz_store_close(store);
            store = open_zip(true); /* the next writer drops nothing */
            put(store, "later", "1");
            flush(store);
            put(store, "later", "2");
            commit(store);
            vz_store_close(store);
            store = open_zip(false);
            check(store, found);
            assert_value(store, "later", "2");
            vz_store_close(store);
        }
        assert_true(turn > 40);
    }
}

static void test_every_call_fails(void **state)
{
    (void)state;
    bool failed = true;
    for (unsigned turn = 1; failed; turn++) {
        make_old();
        vz_store *store = open_zip(true);
        change(store, 1);
        fail_call(turn, true, ENOSPC);
        const bool ok = vz_store_flush(store, NULL);
        failed = end_failing();
        assert_true(failed || ok);
        vz_store *reader = open_zip(false);
        check(reader, ok);
        vz_store_close(reader);
        flush(store);
        change(store, 2);
        flush(store);
        reader = open_zip(false);
        check(reader, 2);
        vz_store_close(reader);
        commit(store);
        vz_store_close(store);
    }
}

/* ---- how much is written ---- */

static void test_a_flush_writes_no_directory(void **state)
{
    (void)state;
    enum { NAMES = 20000, FLUSHES = 50 };
    char key[64];
    make_old();
    vz_store *store = open_zip(true);
    for (int i = 0; i < NAMES; i++) {
        snprintf(key, sizeof key, "a/rather/long/name/of/a/chunk/%d", i);
        put(store, key, "x");
    }
    commit(store);
    put(store, "tick", "start");
    flush(store);
    const struct stat before = status_of();
    for (int i = 0; i < FLUSHES; i++) {
        snprintf(key, sizeof key, "tick/%d", i);
        put(store, key, "x");
        flush(store);
    }
    assert_int_equal(before.st_size, status_of().st_size); /* all of it found room before the guard */
    vz_store *reader = open_zip(false);
    assert_value(reader, "tick/49", "x");
    vz_store_close(reader);
    commit(store);
    vz_store_close(store);
    store = open_zip(false);
    assert_value(store, "tick/0", "x");
    vz_store_close(store);
}

static void test_a_value_put_again_takes_its_room_once(void **state)
{
    (void)state;
    make_old();
    vz_store *store = open_zip(true);
    for (int i = 0; i < 30; i++)
        put(store, "again", large);
    commit(store);
    vz_store_close(store);
    assert_true(status_of().st_size < (off_t)(5 * LARGE));
}

/* A zip file with one entry of 4 GiB, which is a hole. */
static void make_huge(void)
{
    vz_buffer bytes = {0};
    const vz_keytree_value value = {.size = (uint64_t)1 << 32, .stored = (uint64_t)1 << 32, .method = VZ_ZIP_STORED};
    const int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(vz_zip_print_local(&bytes, "huge", &value, 0, NULL));
    assert_int_equal(pwrite(file, bytes.data, bytes.size, 0), bytes.size);
    vz_zip_end end = {.directory = bytes.size + value.stored, .count = 1};
    bytes.size = 0;
    assert_true(vz_zip_print_central(&bytes, "huge", &value, 0, NULL));
    end.size = bytes.size;
    end.crc = libdeflate_crc32(0, bytes.data, bytes.size);
    assert_true(vz_zip_print_end(&bytes, &end, NULL));
    assert_int_equal(pwrite(file, bytes.data, bytes.size, (off_t)end.directory), bytes.size);
    close(file);
    vz_buffer_clear(&bytes);
}

static void test_adding_little_to_much_writes_little(void **state)
{
    (void)state;
    make_huge();
    const struct stat before = status_of();
    vz_store *store = open_zip(true);
    bytes_written = 0;
    put(store, "small", large);
    commit(store);
    vz_store_close(store);
    assert_in_range(bytes_written, LARGE, LARGE + 8192);
    assert_in_range(status_of().st_size - before.st_size, LARGE, LARGE + 8192);
    assert_int_equal(before.st_ino, status_of().st_ino);
    store = open_zip(false);
    assert_value(store, "small", large);
    vz_stamp stamp;
    assert_true(vz_store_stat(store, "huge", &stamp, NULL));
    assert_true(stamp.exists && stamp.size == (uint64_t)1 << 32);
    vz_buffer out = {0};
    bool found;
    const vz_range range = {.kind = VZ_RANGE_SUFFIX, .size = 10};
    assert_true(vz_store_get(store, "huge", range, &out, &found, NULL));
    vz_buffer_clear(&out);
    vz_store_close(store);
}

/* ---- compaction ---- */

static void test_compacted_at_a_close_when_most_is_dead(void **state)
{
    (void)state;
    const size_t size = (size_t)40 << 20;
    uint8_t *bytes = calloc(1, size);
    char link_path[128];
    snprintf(link_path, sizeof link_path, "%s/link", directory);
    for (int has_link = 0; has_link < 2; has_link++) {
        vz_store *store = vz_zip_create_one_file(path, false, 0, NULL);
        if (has_link)
            assert_int_equal(link(path, link_path), 0);
        const struct stat before = status_of();
        for (int i = 0; i < 4; i++) {
            bytes[0] = (uint8_t)i;
            assert_true(vz_store_put(store, "big", (vz_bytes){.data = bytes, .size = size}, NULL));
            commit(store);
        }
        put(store, "small", "1");
        commit(store);
        vz_store_close(store);
        assert_int_equal(before.st_ino == status_of().st_ino, has_link); /* another name keeps its file */
        assert_int_equal(status_of().st_size > (off_t)(3 * size), has_link);
        store = open_zip(false);
        assert_value(store, "small", "1");
        vz_store_close(store);
    }
    free(bytes);
}

static void test_compact(void **state)
{
    (void)state;
    uint64_t before, after;
    vz_error err = VZ_ERROR_NONE;
    make_old();
    vz_store *store = open_zip(true);
    change(store, 1);
    commit(store);
    change(store, 2);
    commit(store);
    assert_true(vz_store_del(store, "big", NULL));
    commit(store);
    done(vz_store_compact(store, &before, &after, &err), &err);
    assert_true(before > after + LARGE);
    assert_int_equal(after, status_of().st_size);
    put(store, "big", large);
    flush(store);
    commit(store);
    vz_store_close(store);
    store = open_zip(false);
    check(store, 2);
    vz_store_close(store);
}

/* ---- others ---- */

static void test_emptied_in_place(void **state)
{
    (void)state;
    make_old();
    const struct stat before = status_of();
    vz_store *writer = open_zip(true);
    put(writer, "x", "1");
    vz_error err = VZ_ERROR_NONE;
    assert_null(vz_zip_create_one_file(path, false, 0, &err));
    assert_int_equal(err.class, VZ_BUSY);
    vz_store_close(writer);
    vz_store *store = vz_zip_create_one_file(path, false, 1024, NULL);
    assert_non_null(store);
    assert_int_equal(before.st_ino, status_of().st_ino);
    assert_value(store, "state", NULL);
    put(store, "state", "1");
    commit(store);
    vz_store_close(store);
    store = open_zip(false);
    assert_value(store, "state", "1");
    assert_int_equal(store->user_block, 1024);
    vz_store_close(store);
}

/* HDF5 truncates a file that it creates, whoever has it open. */
static void test_truncated_by_another(void **state)
{
    (void)state;
    for (int written = 0; written < 2; written++) {
        vz_error err = VZ_ERROR_NONE;
        make_old();
        vz_store *store = open_zip(true);
        if (written)
            change(store, 1);
        assert_int_equal(truncate(path, 0), 0);
        if (!written)
            assert_false(vz_store_put(store, "x", (vz_bytes){.data = (const uint8_t *)"1", .size = 1}, &err));
        else
            assert_false(vz_store_commit(store, &err));
        assert_int_equal(err.class, VZ_BUSY);
        vz_store_close(store);
        assert_int_equal(status_of().st_size, 0);
        unlink(path);
    }
}

/* A copy that ends early tells nothing old. */
static void test_cut_short(void **state)
{
    (void)state;
    make_old();
    vz_store *store = open_zip(true);
    change(store, 1);
    commit(store);
    vz_store_close(store);
    for (off_t size = status_of().st_size - 1; size > 4096; size = size > 300 ? size - size / 50 - 1 : 0) {
        vz_error err = VZ_ERROR_NONE;
        assert_int_equal(truncate(path, size), 0);
        assert_null(vz_zip_open_path(path, false, &err));
        assert_int_equal(err.class, VZ_CORRUPT);
    }
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, make_directory, remove_directory)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_flush_is_seen_by_this_connector),
        TEST(test_without_a_commit_nothing_stays),
        TEST(test_killed_anywhere),
        TEST(test_every_call_fails),
        TEST(test_a_flush_writes_no_directory),
        TEST(test_a_value_put_again_takes_its_room_once),
        TEST(test_adding_little_to_much_writes_little),
        TEST(test_compacted_at_a_close_when_most_is_dead),
        TEST(test_compact),
        TEST(test_emptied_in_place),
        TEST(test_truncated_by_another),
        TEST(test_cut_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
