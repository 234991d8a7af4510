/* test_directory_pieces.c - values of a directory that are put in pieces: seen by nobody before they take their place.
 */
#include "store_directory_support.h"
#include "store/store/request.h"

static const char key[] = "a/c/0/0";

static vz_pieces *begin(vz_store *store)
{
    vz_pieces *pieces = vz_pieces_begin(store, key);
    assert_non_null(pieces);
    return pieces;
}

static void write_at(vz_store *store, vz_pieces *pieces, uint64_t offset, const char *text)
{
    vz_error err = VZ_ERROR_NONE;
    assert_true(vz_pieces_write(store, pieces, offset, text_bytes(text), &err));
}

static bool try_put(vz_store *store, vz_pieces *pieces, bool is_new, vz_error *err)
{
    *err = VZ_ERROR_NONE;
    return vz_pieces_put(store, key, pieces, is_new, err);
}

/* In any order; then all of it at once, over what is there. */
static void test_put(void **state)
{
    vz_store *store = *state;
    vz_error err;
    vz_buffer back = {0};
    for (unsigned turn = 0; turn < 2; turn++) {
        vz_pieces *pieces = begin(store);
        write_at(store, pieces, 4, "and the end");
        write_at(store, pieces, 0, turn ? "new " : "old ");
        assert_value(store, key, turn ? "old and the end" : NULL);
        assert_true(vz_pieces_read(pieces, 2, 5, &back, &err));
        assert_memory_equal(back.data, turn ? "w and" : "d and", 5);
        back.size = 0;
        assert_true(try_put(store, pieces, turn == 0, &err));
        vz_pieces_drop(pieces);
        assert_value(store, key, turn ? "new and the end" : "old and the end");
    }
    vz_buffer_clear(&back);
    assert_int_equal(vz_store_counted(store).puts, 2);
    assert_int_equal(vz_store_counted(store).bytes_written, 2 * strlen("old and the end"));
    shell("test $(find . -type f | wc -l) = 1");
}

/* What is there already stays; the attempt can be made again. */
static void test_put_new(void **state)
{
    vz_store *store = *state;
    vz_error err = VZ_ERROR_NONE;
    vz_pieces *pieces = begin(store);
    write_at(store, pieces, 0, "mine");
    assert_true(vz_store_put(store, key, text_bytes("theirs"), &err));
    assert_false(try_put(store, pieces, true, &err));
    assert_int_equal(err.class, VZ_EXISTS);
    assert_value(store, key, "theirs");
    assert_true(vz_store_del(store, key, &err));
    assert_true(try_put(store, pieces, true, &err));
    assert_value(store, key, "mine");
    vz_pieces_drop(pieces);
    assert_value(store, key, "mine");
}

/* Nothing of what was not put stays, nor the directories that were made for it. */
static void test_drop(void **state)
{
    vz_store *store = *state;
    vz_pieces *pieces = begin(store);
    write_at(store, pieces, 0, "nothing");
    shell("test $(find . -name '*.partial' | wc -l) = 1");
    vz_pieces_drop(pieces);
    assert_value(store, key, NULL);
    shell("test -z \"$(find . -type f)\" -a ! -e a/c");
    vz_pieces_drop(NULL);
}

/* In a staging area nobody sees it either, also not a child that was forked: it has its place when it is put. */
static void test_staged(void **state)
{
    vz_store *store = *state;
    vz_error err = VZ_ERROR_NONE;
    assert_true(vz_store_begin(store, "a", &err));
    assert_true(vz_store_put(store, "a/.zarray", text_bytes("{}"), &err));
    vz_pieces *pieces = begin(store);
    write_at(store, pieces, 0, "staged");
    assert_value(store, key, NULL);
    assert_true(try_put(store, pieces, false, &err));
    vz_pieces_drop(pieces);
    assert_value(store, key, "staged");
    shell("test ! -e a");
    assert_true(vz_store_publish(store, "a", &err));
    assert_value(store, key, "staged");
    shell("test -e a/c/0/0 -a $(find a -type f | wc -l) = 2");
}

/* What its parent has begun is not a forked child's to remove. */
static void test_forked(void **state)
{
    vz_store *store = *state;
    vz_error err;
    int status;
    vz_pieces *pieces = begin(store);
    write_at(store, pieces, 0, "parent's");
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        vz_pieces_drop(pieces);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(try_put(store, pieces, false, &err));
    vz_pieces_drop(pieces);
    assert_value(store, key, "parent's");
}

/* A writer that died with one leaves a file that the next one removes. */
static void test_dead(void **state)
{
    vz_store *store = *state;
    vz_error err = VZ_ERROR_NONE;
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        vz_store *own = vz_store_open_directory(root, true, NULL);
        vz_pieces *pieces = own ? vz_pieces_begin(own, key) : NULL;
        _exit(pieces && vz_pieces_write(own, pieces, 0, text_bytes("half"), NULL) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    shell("test $(find a -name '*.partial' | wc -l) = 1");
    assert_value(store, key, NULL);
    vz_store *next = vz_store_open_directory(root, true, &err);
    assert_non_null(next);
    vz_store_close(next);
    shell("test -z \"$(find . -name '*.partial')\"");
}

/* Values of other stores are put as a whole, and so is what may not be written. */
static void test_other_stores(void **state)
{
    vz_error err = VZ_ERROR_NONE;
    vz_store *memory = vz_store_new_memory(&err), *reader = vz_store_open_directory(root, false, &err);
    (void)state;
    assert_non_null(memory);
    assert_non_null(reader);
    assert_null(vz_pieces_begin(memory, key));
    assert_null(vz_pieces_begin(reader, key));
    assert_null(vz_pieces_begin(*state, "a//b"));
    vz_store_close(memory);
    vz_store_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_put, setup, teardown),
        cmocka_unit_test_setup_teardown(test_put_new, setup, teardown),
        cmocka_unit_test_setup_teardown(test_drop, setup, teardown),
        cmocka_unit_test_setup_teardown(test_staged, setup, teardown),
        cmocka_unit_test_setup_teardown(test_forked, setup, teardown),
        cmocka_unit_test_setup_teardown(test_dead, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_stores, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
