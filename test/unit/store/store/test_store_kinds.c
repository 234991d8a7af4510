/* What every kind of store must do equal with values, run over each of them; the directory's results are also looked at
 * with POSIX calls in test_directory_values.c. */
#include "store_kinds_support.h"

/* ---- the tests ---- */

static void test_put_get(void **state)
{
    vz_store *store = *state;
    assert_value(store, "a", NULL);
    assert_value(store, "a/b/c", NULL);
    put(store, "a/b/c", "one");
    assert_value(store, "a/b/c", "one");
    put(store, "a/b/c", "second");
    assert_value(store, "a/b/c", "second");
    put(store, "a/b/c", "");
    assert_value(store, "a/b/c", "");
    assert_value(store, "a/b", NULL);     /* a prefix is no value */
    assert_value(store, "a/b/c/d", NULL); /* nothing is below a value */
    put(store, ".zgroup", "{}");
    assert_list(store, "", ".zgroup a/");
    assert_list(store, "a", "b/");
    assert_list(store, "a/b", "c");
    assert_list(store, "a/b/c", "");
    assert_list(store, "none", "");
}

static void test_get_appends(void **state)
{
    vz_store *store = *state;
    put(store, "k", "value");
    vz_buffer out = {0};
    bool found;
    assert_true(vz_buffer_append(&out, "<", 1, NULL));
    assert_true(vz_store_get(store, "k", VZ_WHOLE, &out, &found, NULL));
    assert_true(vz_store_get(store, "k", VZ_WHOLE, &out, &found, NULL));
    assert_int_equal(out.size, 11);
    assert_memory_equal(out.data, "<valuevalue", 11);
    vz_buffer_clear(&out);
}

static void test_borrowed(void **state)
{
    vz_store *store = *state;
    put(store, "k", "12345678");
    char place[8];
    bool found;
    vz_buffer exact = vz_buffer_borrow(place, 8), small = vz_buffer_borrow(place, 7), limited = {.limit = 7};
    assert_true(vz_store_get(store, "k", VZ_WHOLE, &exact, &found, NULL));
    assert_ptr_equal(exact.data, place);
    assert_memory_equal(place, "12345678", 8);
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_store_get(store, "k", VZ_WHOLE, &small, &found, &err));
    assert_int_equal(err.class, VZ_LIMIT);
    assert_string_equal(err.object, "k");
    assert_string_equal(err.store, store->path);
    err = VZ_ERROR_NONE;
    assert_false(vz_store_get(store, "k", VZ_WHOLE, &limited, &found, &err));
    assert_int_equal(err.class, VZ_LIMIT);
    assert_int_equal(limited.size, 0);
}

static void test_ranges(void **state)
{
    static const struct {
        vz_range range;
        const char *text; /* NULL: VZ_CORRUPT */
    } cases[] = {
        {{VZ_RANGE_AT, 0, 10}, "0123456789"},
        {{VZ_RANGE_AT, 3, 4}, "3456"},
        {{VZ_RANGE_AT, 10, 0}, ""},
        {{VZ_RANGE_AT, 9, 1}, "9"},
        {{VZ_RANGE_AT, 9, 2}, NULL},
        {{VZ_RANGE_AT, 11, 0}, NULL},
        {{VZ_RANGE_AT, 0, 11}, NULL},
        {{VZ_RANGE_AT, UINT64_MAX, 2}, NULL},
        {{VZ_RANGE_AT, 2, UINT64_MAX}, NULL},
        {{VZ_RANGE_AT, UINT64_MAX, UINT64_MAX}, NULL},
        {{VZ_RANGE_SUFFIX, 0, 3}, "789"},
        {{VZ_RANGE_SUFFIX, 0, 10}, "0123456789"},
        {{VZ_RANGE_SUFFIX, 0, 0}, ""},
        {{VZ_RANGE_SUFFIX, 0, 11}, NULL},
        {{VZ_RANGE_SUFFIX, 0, UINT64_MAX}, NULL},
        {{VZ_RANGE_ALL, 5, 5}, "0123456789"},
    };
    vz_store *store = *state;
    put(store, "a/k", "0123456789");
    for (size_t i = 0; i < COUNT(cases); i++) {
        vz_error err = VZ_ERROR_NONE;
        vz_buffer out = {0};
        bool found;
        const bool ok = vz_store_get(store, "a/k", cases[i].range, &out, &found, &err);
        assert_int_equal(ok, cases[i].text != NULL);
        assert_int_equal(err.class, ok ? VZ_OK : VZ_CORRUPT);
        assert_int_equal(out.size, ok ? strlen(cases[i].text) : 0);
        if (out.size)
            assert_memory_equal(out.data, cases[i].text, out.size);
        vz_buffer_clear(&out);
    }
    const vz_range ranges[] = {{VZ_RANGE_SUFFIX, 0, 2}, {VZ_RANGE_AT, 1, 3}};
    vz_buffer out[2] = {{0}};
    bool found;
    assert_true(vz_store_get_ranges(store, "a/k", ranges, 2, out, &found, NULL));
    assert_true(found && out[0].size == 2 && out[1].size == 3);
    assert_memory_equal(out[0].data, "89", 2);
    assert_memory_equal(out[1].data, "123", 3);
    assert_true(vz_store_get_ranges(store, "a/x", ranges, 2, out, &found, NULL));
    assert_false(found);
    vz_buffer_clear(&out[0]);
    vz_buffer_clear(&out[1]);
}

enum { PIECES = 600, PIECE = 7 };

/* Of a value with so many pieces: all but number `left_out`, each into a buffer of its own that has something already.
 */
static void check_pieces(vz_store *store, const uint8_t *value, size_t left_out, bool is_held)
{
    static vz_range ranges[PIECES];
    static vz_buffer out[PIECES];
    static uint8_t places[PIECES][PIECE + 1];
    vz_store_value held;
    size_t count = 0;
    bool found;
    vz_error err = VZ_ERROR_NONE;
    for (size_t i = 0; i < PIECES; i++) {
        if (i == left_out)
            continue;
        ranges[count] = (vz_range){VZ_RANGE_AT, i * PIECE, PIECE};
        out[count] = vz_buffer_borrow(places[count], sizeof places[count]);
        assert_true(vz_buffer_append(&out[count++], "=", 1, NULL));
    }
    assert_true(!is_held || (vz_store_open_value(store, "a/k", VZ_VALUE_READ, &held, &found, NULL) && found));
    assert_true(is_held ? vz_store_read_value(store, "a/k", &held, ranges, count, out, &err)
                        : vz_store_get_ranges(store, "a/k", ranges, count, out, &found, &err) && found);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(out[i].size, PIECE + 1);
        assert_int_equal(places[i][0], '=');
        assert_memory_equal(places[i] + 1, value + ranges[i].offset, PIECE);
    }
    ranges[count - 1].size++; /* one byte more than there is */
    for (size_t i = 0; i < count; i++)
        out[i] = (vz_buffer){0};
    assert_false(is_held ? vz_store_read_value(store, "a/k", &held, ranges, count, out, &err)
                         : vz_store_get_ranges(store, "a/k", ranges, count, out, &found, &err));
    assert_int_equal(err.class, VZ_CORRUPT);
    for (size_t i = 0; i < count; i++)
        vz_buffer_clear(&out[i]);
    if (is_held)
        vz_store_close_value(store, &held);
}

/* More of them than go into one call of the system, and with a gap. */
static void test_ranges_that_follow(void **state)
{
    vz_store *store = *state;
    uint8_t value[PIECES * PIECE];
    for (size_t i = 0; i < sizeof value; i++)
        value[i] = (uint8_t)(i * 31 + i / 251);
    assert_true(vz_store_put(store, "a/k", (vz_bytes){value, sizeof value}, NULL));
    for (unsigned held = 0; held < 2; held++) {
        check_pieces(store, value, PIECES, held);
        check_pieces(store, value, 300, held);
        check_pieces(store, value, 1, held);
        check_pieces(store, value, 0, held);
    }
}

static void test_stamp(void **state)
{
    vz_store *store = *state;
    vz_stamp before, same, after, none;
    assert_true(vz_store_stat(store, "k", &none, NULL));
    assert_false(none.exists);
    put(store, "k", "abc");
    assert_true(vz_store_stat(store, "k", &before, NULL));
    assert_true(vz_store_stat(store, "k", &same, NULL));
    assert_true(before.exists && before.size == 3);
    assert_true(vz_stamp_equal(&before, &same));
    assert_false(vz_stamp_equal(&before, &none));
    usleep(20000); /* a file system's clock may tick slowly */
    put(store, "k", "xyz");
    assert_true(vz_store_stat(store, "k", &after, NULL));
    assert_false(vz_stamp_equal(&before, &after));
    put(store, "d/k", "");
    assert_true(vz_store_stat(store, "d", &none, NULL));
    assert_false(none.exists); /* a prefix is no value */
    assert_true(vz_stamp_equal(&none, &(vz_stamp){.exists = false, .size = 7}));
}

static void test_put_new(void **state)
{
    vz_store *store = *state;
    const vz_bytes value = {.data = (const uint8_t *)"new", .size = 3};
    assert_true(vz_store_put_new(store, "a/b", value, NULL));
    assert_value(store, "a/b", "new");
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_store_put_new(store, "a/b", (vz_bytes){.data = value.data, .size = 1}, &err));
    assert_int_equal(err.class, VZ_EXISTS);
    assert_value(store, "a/b", "new");
    assert_list(store, "a", "b");
}

static void test_counts(void **state)
{
    vz_store *store = *state;
    const vz_store_counts before = vz_store_counted(store);
    put(store, "a", "12345");
    assert_value(store, "a", "12345");
    assert_value(store, "b", NULL);
    assert_list(store, "", "a");
    vz_stamp stamp;
    vz_store_stat(store, "a", &stamp, NULL);
    vz_store_rename_tree(store, "a", "c", NULL);
    vz_store_del(store, "c", NULL);
    const vz_store_counts after = vz_store_counted(store);
    assert_int_equal(after.gets - before.gets, 2);
    assert_int_equal(after.misses - before.misses, 1);
    assert_int_equal(after.puts - before.puts, 1);
    assert_int_equal(after.dels - before.dels, 1);
    assert_int_equal(after.lists - before.lists, 1);
    assert_int_equal(after.stats - before.stats, 1);
    assert_int_equal(after.renames - before.renames, 1);
    assert_int_equal(after.bytes_read - before.bytes_read, 5);
    assert_int_equal(after.bytes_written - before.bytes_written, 5);
}

/* Readers always see one whole value of one writer. */
#define VALUE_SIZE 20000

struct contest {
    vz_store *store;
    char letter;
    bool wrong;
};

static void *write_values(void *argument)
{
    struct contest *contest = argument;
    char value[VALUE_SIZE];
    memset(value, contest->letter, sizeof value);
    for (int i = 0; i < 200; i++)
        if (!vz_store_put(contest->store, "p/q", (vz_bytes){.data = (uint8_t *)value, .size = sizeof value}, NULL))
            contest->wrong = true;
    return NULL;
}

static void *read_values(void *argument)
{
    struct contest *contest = argument;
    for (int i = 0; i < 300; i++) {
        vz_buffer out = {0};
        bool found;
        if (!vz_store_get(contest->store, "p/q", VZ_WHOLE, &out, &found, NULL))
            contest->wrong = true;
        if (found && (out.size != VALUE_SIZE || memcmp(out.data, out.data + 1, VALUE_SIZE - 1) != 0))
            contest->wrong = true;
        vz_buffer_clear(&out);
    }
    return NULL;
}

static void test_parallel(void **state)
{
    struct contest contests[4] = {{*state, 'a', false}, {*state, 'b', false}, {*state, 0, false}, {*state, 0, false}};
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, contests[i].letter ? write_values : read_values, &contests[i]);
    for (size_t i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_false(contests[i].wrong);
    }
    assert_list(*state, "p", "q");
}

static void *put_new_one(void *argument)
{
    struct contest *contest = argument;
    contest->wrong =
        vz_store_put_new(contest->store, "only/one", (vz_bytes){.data = (uint8_t *)&contest->letter, .size = 1}, NULL);
    return NULL;
}

static void test_one_creator_wins(void **state)
{
    for (int round = 0; round < 30; round++) {
        struct contest contests[4] = {
            {*state, 'a', false}, {*state, 'b', false}, {*state, 'c', false}, {*state, 'd', false}};
        pthread_t threads[4];
        int won = 0;
        for (size_t i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, put_new_one, &contests[i]);
        for (size_t i = 0; i < 4; i++) {
            pthread_join(threads[i], NULL);
            won += contests[i].wrong;
            if (contests[i].wrong)
                assert_value(*state, "only/one", (char[]){contests[i].letter, '\0'});
        }
        assert_int_equal(won, 1);
        assert_true(vz_store_del_tree(*state, "only", NULL));
    }
}

/* A version that is held is read as it was, or not at all; what is there later is another version. */
static void test_held_versions(void **state)
{
    static const vz_range parts[] = {{VZ_RANGE_AT, 1, 2}, {VZ_RANGE_SUFFIX, 0, 3}};
    vz_error err = VZ_ERROR_NONE;
    vz_store_value first, second;
    bool found = true;
    assert_true(vz_store_open_value(*state, "v/0", VZ_VALUE_READ, &first, &found, &err) && !found);
    put(*state, "v/0", "abcdef");
    assert_true(vz_store_open_value(*state, "v/0", VZ_VALUE_READ, &first, &found, &err) && found);
    assert_int_equal(first.stamp.size, 6);
    vz_buffer out[2] = {0};
    assert_true(vz_store_read_value(*state, "v/0", &first, parts, 2, out, &err));
    assert_int_equal(out[0].size, 2);
    assert_memory_equal(out[0].data, "bc", 2);
    assert_int_equal(out[1].size, 3);
    assert_memory_equal(out[1].data, "def", 3);
    out[0].size = out[1].size = 0;
    put(*state, "v/0", "ABCDEF");
    assert_true(vz_store_open_value(*state, "v/0", VZ_VALUE_REPLACE, &second, &found, &err) && found);
    assert_false(vz_stamp_equal(&first.stamp, &second.stamp));
    if (vz_store_read_value(*state, "v/0", &first, parts, 2, out, &err)) {
        assert_memory_equal(out[0].data, "bc", 2);
        assert_memory_equal(out[1].data, "def", 3);
    } else {
        assert_int_equal(err.class, VZ_CHANGED);
        assert_true(vz_store_value_changed(*state, "v/0", &first));
    }
    vz_store_close_value(*state, &first);
    out[0].size = 0;
    assert_true(vz_store_read_value(*state, "v/0", &second, parts, 1, out, NULL));
    assert_memory_equal(out[0].data, "BC", 2);
    vz_store_close_value(*state, &second);
    vz_store_close_value(*state, &second);
    vz_buffer_clear(&out[0]);
    vz_buffer_clear(&out[1]);
}

static void test_sync(void **state)
{
    assert_true(vz_store_sync(*state, NULL));
    put(*state, "a/b", "1");
    assert_true(vz_store_sync(*state, NULL));
    vz_store_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALL(test_put_get), ALL(test_get_appends),   ALL(test_borrowed),
        ALL(test_ranges),  ALL(test_stamp),         ALL(test_put_new),
        ALL(test_counts),  ALL(test_parallel),      ALL(test_one_creator_wins),
        ALL(test_sync),    ALL(test_held_versions), ALL(test_ranges_that_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
