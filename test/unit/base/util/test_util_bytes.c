/* Errors, buffers, arenas, base64, UTF-8, hashes and the maps. */
#include "base/util/bytes.h"
#include "base/util/hash.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "util_base64_cases.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- errors ---- */

static void test_first_error_wins(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_fail(&err, VZ_CORRUPT, "first %d", 1));
    assert_false(vz_fail(&err, VZ_LIMIT, "second"));
    assert_false(vz_fail_errno(&err, ENOSPC, "third"));
    assert_int_equal(err.class, VZ_CORRUPT);
    assert_int_equal(err.sys_errno, 0);
    assert_string_equal(err.text, "first 1");
    vz_error_where(&err, NULL, "a/0.0");
    vz_error_where(&err, "/s.zarr", "b");
    char text[64];
    assert_string_equal(vz_error_message(&err, text, sizeof text), "/s.zarr: a/0.0: first 1");
    assert_string_equal(vz_error_message(&err, text, 8), "/s.zarr");
    assert_false(vz_fail(NULL, VZ_LIMIT, "nobody listens"));
    assert_false(vz_fail_errno(NULL, ENOENT, "nobody listens"));
    vz_error none = VZ_ERROR_NONE;
    vz_error_where(&none, "s", "o");
    assert_string_equal(none.store, "");
}

static void test_errno_classes(void **state)
{
    (void)state;
    static const struct {
        int sys_errno;
        vz_error_class class;
    } cases[] = {{ENOENT, VZ_NOT_FOUND}, {EACCES, VZ_PERMISSION}, {EPERM, VZ_PERMISSION}, {EROFS, VZ_PERMISSION},
                 {EEXIST, VZ_EXISTS},    {ENOMEM, VZ_NO_MEMORY},  {ENOSPC, VZ_IO},        {EIO, VZ_IO}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        vz_error err = VZ_ERROR_NONE;
        assert_false(vz_fail_errno(&err, cases[i].sys_errno, "cannot %s", "write"));
        assert_int_equal(err.class, cases[i].class);
        assert_int_equal(err.sys_errno, cases[i].sys_errno);
        char expected[128];
        snprintf(expected, sizeof expected, "cannot write: %s", strerror(cases[i].sys_errno));
        assert_string_equal(err.text, expected);
    }
}

static void test_long_error(void **state)
{
    (void)state;
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    vz_error err = VZ_ERROR_NONE;
    vz_fail_errno(&err, EIO, "%s", text);
    vz_error_where(&err, text, text);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_int_equal(strlen(err.store), sizeof err.store - 1);
    char message[16];
    assert_int_equal(strlen(vz_error_message(&err, message, sizeof message)), 15);
}

/* Over memory that held another one: nothing of that is reported. */
static void test_error_begins_empty(void **state)
{
    (void)state;
    vz_error err;
    memset(&err, 'x', sizeof err);
    err = VZ_ERROR_NONE;
    assert_int_equal(err.class, VZ_OK);
    assert_int_equal(err.sys_errno, 0);
    char message[16];
    assert_string_equal(vz_error_message(&err, message, sizeof message), "");
    assert_false(vz_fail(&err, VZ_LIMIT, "more"));
    vz_error_where(&err, NULL, "a/b");
    assert_string_equal(vz_error_message(&err, message, sizeof message), "a/b: more");
}

/* ---- buffers ---- */

static void test_buffer_grows(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    vz_buffer buffer = {0};
    assert_true(vz_buffer_append(&buffer, NULL, 0, &err));
    for (int i = 0; i < 100000; i++)
        assert_true(vz_buffer_append(&buffer, &i, sizeof i, &err));
    for (int i = 0; i < 100000; i++)
        assert_memory_equal(buffer.data + sizeof i * (size_t)i, &i, sizeof i);
    assert_true(vz_buffer_reserve(&buffer, 1 << 20, &err));
    assert_int_equal(buffer.size, 400000);
    assert_true(buffer.capacity >= 1 << 20);
    vz_buffer_clear(&buffer);
    assert_null(buffer.data);
}

static void test_buffer_limit(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    vz_buffer buffer = {.limit = 100};
    for (int i = 0; i < 100; i++)
        assert_true(vz_buffer_append(&buffer, "x", 1, &err));
    assert_int_equal(buffer.capacity, 100);
    assert_false(vz_buffer_append(&buffer, "x", 1, &err));
    assert_int_equal(err.class, VZ_LIMIT);
    assert_int_equal(buffer.size, 100);
    vz_buffer_clear(&buffer);
    assert_int_equal(buffer.limit, 100);
}

static void test_borrowed_buffer(void **state)
{
    (void)state;
    char place[8];
    vz_error err = VZ_ERROR_NONE;
    vz_buffer buffer = vz_buffer_borrow(place, sizeof place);
    assert_true(vz_buffer_reserve(&buffer, 8, &err));
    assert_true(vz_buffer_printf(&buffer, &err, "%s", "12345678")); /* no room for a NUL is needed */
    assert_memory_equal(place, "12345678", 8);
    assert_false(vz_buffer_append(&buffer, "9", 1, &err));
    assert_int_equal(err.class, VZ_LIMIT);
    vz_buffer_clear(&buffer);
}

static void test_buffer_printf(void **state)
{
    (void)state;
    vz_buffer buffer = {0};
    char text[700];
    memset(text, 'a', sizeof text);
    assert_true(vz_buffer_printf(&buffer, NULL, "<%.*s>", (int)sizeof text, text));
    assert_true(vz_buffer_printf(&buffer, NULL, "%d", 7));
    assert_int_equal(buffer.size, sizeof text + 3);
    assert_memory_equal(buffer.data + sizeof text, "a>7", 3);
    vz_buffer_clear(&buffer);
}

static void test_checked_arithmetic(void **state)
{
    (void)state;
    uint64_t result = 5;
    assert_false(vz_mul(UINT64_MAX, 2, &result));
    assert_false(vz_add(UINT64_MAX, 1, &result));
    assert_int_equal(result, 5);
    assert_true(vz_mul(UINT32_MAX, UINT32_MAX, &result));
    assert_true(result == (uint64_t)UINT32_MAX * UINT32_MAX);
    uint8_t bytes[8];
    vz_bytes_store_le64(bytes, UINT64_C(0x0102030405060708));
    assert_memory_equal(bytes, "\10\7\6\5\4\3\2\1", 8);
    assert_true(vz_bytes_load_le64(bytes) == UINT64_C(0x0102030405060708));
}

/* ---- arenas ---- */

static void test_arena(void **state)
{
    (void)state;
    vz_arena arena = {0}, other = {0};
    enum { THINGS = 5000 };
    static uint8_t *things[THINGS];
    static size_t sizes[THINGS];
    srand(1);
    for (size_t i = 0; i < THINGS; i++) {
        sizes[i] = i % 100 == 0 ? (size_t)rand() % 300000 : (size_t)rand() % 200;
        things[i] = vz_arena_alloc(i % 2 ? &arena : &other, sizes[i], NULL);
        assert_non_null(things[i]);
        assert_int_equal((uintptr_t)things[i] % _Alignof(max_align_t), 0);
        memset(things[i], (int)(i % 251), sizes[i]);
    }
    const size_t used = arena.used + other.used;
    vz_arena_adopt(&arena, &other);
    assert_int_equal(arena.used, used);
    assert_null(other.blocks);
    vz_arena_adopt(&arena, &other);
    for (size_t i = 0; i < THINGS; i++)
        for (size_t at = 0; at < sizes[i]; at++)
            if (things[i][at] != i % 251)
                fail();
    assert_memory_equal(vz_arena_copy(&arena, "abc", 4, NULL), "abc", 4);
    assert_non_null(vz_arena_copy(&arena, NULL, 0, NULL));
    vz_error err = VZ_ERROR_NONE;
    assert_null(vz_arena_alloc(&arena, SIZE_MAX, &err));
    assert_int_equal(err.class, VZ_LIMIT);
    vz_arena_clear(&arena);
    assert_int_equal(arena.used, 0);
}

/* ---- base64 ---- */

static void test_base64(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(base64_cases); i++) {
        char *text = vz_base64_encode(base64_cases[i].data, base64_cases[i].size, NULL);
        assert_string_equal(text, base64_cases[i].text);
        vz_buffer out = {0};
        assert_true(vz_buffer_append(&out, "x", 1, NULL));
        assert_true(vz_base64_decode(text, strlen(text), &out, NULL));
        assert_int_equal(out.size, base64_cases[i].size + 1);
        assert_memory_equal(out.data + 1, base64_cases[i].data, base64_cases[i].size);
        vz_buffer_clear(&out);
        free(text);
    }
    static const char *const wrong[] = {"A",     "AA",       "AAA",   "A===", "====", "AA=A",      "=AAA",
                                        "AAAA=", "AA==AAAA", "AAA\n", "AA A", "AA-_", "AA\xC3\xA9"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        vz_error err = VZ_ERROR_NONE;
        vz_buffer out = {0};
        if (vz_base64_decode(wrong[i], strlen(wrong[i]), &out, &err))
            fail_msg("accepted: %s", wrong[i]);
        assert_int_equal(err.class, VZ_CORRUPT);
        assert_int_equal(out.size, 0);
        vz_buffer_clear(&out);
    }
    vz_buffer small = {.limit = 2};
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_base64_decode("AAAA", 4, &small, &err));
    assert_int_equal(err.class, VZ_LIMIT);
}

/* ---- UTF-8 and hash ---- */

static void test_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool valid;
    } cases[] = {{"", true},
                 {"abc\x7F", true},
                 {"\xC2\x80\xDF\xBF", true},
                 {"\xE0\xA0\x80\xEF\xBF\xBF", true},
                 {"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", true},
                 {"\xED\x9F\xBF\xEE\x80\x80", true},
                 {"\xC0\x80", false},
                 {"\xC1\xBF", false},
                 {"\xE0\x9F\xBF", false},
                 {"\xF0\x8F\xBF\xBF", false},
                 {"\xF4\x90\x80\x80", false},
                 {"\xED\xA0\x80", false},
                 {"\xC3", false},
                 {"\xE2\x82", false},
                 {"\xF0\x9F\x98", false},
                 {"\x80", false},
                 {"\xC3\xC3", false},
                 {"\xFE", false}};
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(vz_utf8_valid(cases[i].text, strlen(cases[i].text)), cases[i].valid);
    assert_int_equal(vz_utf8_sequence("\xED\xA0\x80", 3, true), 3);
    assert_int_equal(vz_utf8_sequence("\xED\xA0\x80", 2, true), 0);
}

/* ---- the maps ---- */

/* The keys of one that borrows them change when they are not in it, and another copy may take an entry's place. */
static void check_strmap(vz_strmap *map, bool borrows)
{
    enum { KEYS = 200 };
    static int values[KEYS];
    static char keys[2][KEYS][16];
    int order[KEYS], count = 0; /* what should be in it, by insertion */
    srand(2);
    for (int step = 0; step < 50000; step++) {
        const int pick = rand() % KEYS, copy = borrows ? rand() % 2 : 0;
        char *key = keys[copy][pick];
        snprintf(key, sizeof keys[0][0], "%d", pick);
        int at = 0;
        while (at < count && order[at] != pick)
            at++;
        if (rand() % 2) {
            assert_true(vz_strmap_put(map, key, &values[pick], NULL));
            strcpy(keys[1 - copy][pick], "gone");
            if (at == count)
                order[count++] = pick;
        } else {
            assert_ptr_equal(vz_strmap_remove(map, key), at < count ? &values[pick] : NULL);
            if (at < count)
                memmove(&order[at], &order[at + 1], sizeof *order * (size_t)(--count - at));
            strcpy(key, "gone");
        }
        assert_int_equal(vz_strmap_count(map), count);
        if (step % 100)
            continue;
        size_t cursor = 0;
        const char *name;
        void *value;
        for (int i = 0; i < count; i++) {
            assert_true(vz_strmap_next(map, &cursor, &name, &value));
            assert_int_equal(atoi(name), order[i]);
            assert_ptr_equal(value, &values[order[i]]);
            assert_ptr_equal(vz_strmap_get(map, name), value);
        }
        assert_false(vz_strmap_next(map, &cursor, &name, &value));
    }
    vz_strmap_free(map, NULL);
}

static void test_strmap(void **state)
{
    (void)state;
    check_strmap(vz_strmap_new(), false);
    check_strmap(vz_strmap_new_borrowing(), true);
    vz_strmap *large = vz_strmap_new_borrowing();
    assert_true(vz_strmap_reserve(large, 1000, NULL));
    check_strmap(large, true);
    vz_strmap_free(NULL, NULL);
}

static void test_nummap(void **state)
{
    (void)state;
    enum { NUMBERS = 5000 };
    static int values[NUMBERS];
    static bool met[NUMBERS];
    vz_nummap map = {0};
    size_t cursor = 0;
    void *value;
    assert_null(vz_nummap_find(&map, 0));
    assert_false(vz_nummap_next(&map, &cursor, &value));
    for (size_t i = 0; i < NUMBERS; i++) { /* 0 and the largest number, too */
        void **place = vz_nummap_put(&map, (uint64_t)0 - i * 512, NULL);
        assert_null(*place);
        *place = &values[i];
        assert_ptr_equal(*vz_nummap_put(&map, (uint64_t)0 - i / 2 * 512, NULL), &values[i / 2]);
    }
    for (size_t i = 0; i < NUMBERS; i++) {
        assert_ptr_equal(*vz_nummap_find(&map, (uint64_t)0 - i * 512), &values[i]);
        assert_null(vz_nummap_find(&map, i * 512 + 1));
    }
    cursor = 0;
    size_t count = 0;
    for (; vz_nummap_next(&map, &cursor, &value); count++) {
        assert_false(met[(int *)value - values]);
        met[(int *)value - values] = true;
    }
    assert_int_equal(count, NUMBERS);
    for (size_t i = 0; i < NUMBERS; i += 3) {
        vz_nummap_remove(&map, (uint64_t)0 - i * 512);
        vz_nummap_remove(&map, i * 512 + 1);
    }
    for (size_t i = 0; i < NUMBERS; i++) {
        void **place = vz_nummap_find(&map, (uint64_t)0 - i * 512);
        assert_ptr_equal(place ? *place : NULL, i % 3 ? &values[i] : NULL);
    }
    vz_nummap_clear(&map);
    assert_null(vz_nummap_find(&map, 0));
}

static void test_strmap_walk_and_remove(void **state)
{
    (void)state;
    vz_strmap *map = vz_strmap_new();
    assert_null(vz_strmap_get(map, "a"));
    assert_null(vz_strmap_remove(map, "a"));
    char key[16];
    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "%d", i);
        assert_true(vz_strmap_put(map, key, strdup(key), NULL));
    }
    size_t cursor = 0;
    const char *name;
    void *value;
    int seen = 0;
    while (vz_strmap_next(map, &cursor, &name, &value)) {
        assert_int_equal(atoi(name), seen++);
        assert_string_equal(name, value);
        if (seen % 2)
            free(vz_strmap_remove(map, name));
    }
    assert_int_equal(seen, 100);
    assert_int_equal(vz_strmap_count(map), 50);
    vz_strmap_free(map, free);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_error_wins),
        cmocka_unit_test(test_errno_classes),
        cmocka_unit_test(test_long_error),
        cmocka_unit_test(test_error_begins_empty),
        cmocka_unit_test(test_buffer_grows),
        cmocka_unit_test(test_buffer_limit),
        cmocka_unit_test(test_borrowed_buffer),
        cmocka_unit_test(test_buffer_printf),
        cmocka_unit_test(test_checked_arithmetic),
        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_base64),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_strmap),
        cmocka_unit_test(test_nummap),
        cmocka_unit_test(test_strmap_walk_and_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
