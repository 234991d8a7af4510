/* test_filecache_parts.c - parts of a large value in memory, compared with a table of its bytes; windows around
 * reads. */
#include "remote/filecache/file_cache.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

enum { SIZE = 2000 };

static uint8_t byte_at(uint64_t place)
{
    return (uint8_t)(place * 2654435761u >> 11);
}

static vz_buffer part(uint64_t first, size_t size)
{
    vz_buffer bytes = {0};
    assert_true(vz_buffer_reserve(&bytes, size, NULL));
    for (; bytes.size < size; bytes.size++)
        bytes.data[bytes.size] = byte_at(first + bytes.size);
    return bytes;
}

static void add(vz_filecache *cache, uint64_t first, size_t size)
{
    vz_buffer bytes = part(first, size);
    assert_true(vz_filecache_add(cache, first, &bytes, NULL));
    assert_null(bytes.data);
}

static size_t copied(vz_filecache *cache, uint64_t first, size_t size)
{
    uint8_t out[SIZE];
    memset(out, 0xEE, sizeof out);
    const size_t done = vz_filecache_copy(cache, first, size, out);
    for (size_t i = 0; i < done; i++)
        assert_int_equal(out[i], byte_at(first + i));
    for (size_t i = done; i < sizeof out; i++)
        assert_int_equal(out[i], 0xEE);
    return done;
}

static void assert_gap(vz_filecache *cache, uint64_t at, uint64_t low, uint64_t high)
{
    uint64_t from, to;
    vz_filecache_gap(cache, at, &from, &to);
    assert_int_equal(from, low);
    assert_int_equal(to, high);
}

static void test_parts(void **state)
{
    (void)state;
    vz_filecache *cache = vz_filecache_new(SIZE, NULL);
    assert_int_equal(copied(cache, 0, 10), 0);
    assert_gap(cache, 5, 0, UINT64_MAX);
    add(cache, 100, 50);
    add(cache, 300, 50);
    add(cache, 150, 10); /* follows */
    assert_int_equal(copied(cache, 100, 60), 60);
    assert_int_equal(copied(cache, 120, 100), 40);
    assert_int_equal(copied(cache, 99, 10), 0);
    assert_int_equal(copied(cache, 349, 10), 1);
    assert_int_equal(copied(cache, 350, 10), 0);
    assert_gap(cache, 99, 0, 100);
    assert_gap(cache, 200, 160, 300);
    assert_gap(cache, 350, 350, UINT64_MAX);
    assert_int_equal(vz_filecache_bytes(cache), 110);
    add(cache, 140, 100); /* begins where something is: not added */
    assert_int_equal(vz_filecache_bytes(cache), 110);
    add(cache, 200, 400); /* cut off where something is */
    assert_int_equal(vz_filecache_bytes(cache), 210);
    assert_int_equal(copied(cache, 200, 400), 150);
    vz_filecache_free(cache);
}

/* What was not used the longest goes; what does not fit at all is not added. */
static void test_bound(void **state)
{
    (void)state;
    vz_filecache *cache = vz_filecache_new(300, NULL);
    add(cache, 0, 100);
    add(cache, 200, 100);
    add(cache, 400, 100);
    assert_int_equal(copied(cache, 0, 1), 1);
    add(cache, 600, 50);
    assert_int_equal(vz_filecache_bytes(cache), 250);
    assert_int_equal(copied(cache, 200, 100), 0);
    assert_int_equal(copied(cache, 0, 100), 100);
    add(cache, 1000, 301);
    assert_int_equal(vz_filecache_bytes(cache), 250);
    add(cache, 1000, 300);
    assert_int_equal(vz_filecache_bytes(cache), 300);
    assert_int_equal(copied(cache, 1000, 300), 300);
    vz_filecache_free(cache);
}

/* Any order of parts and reads, against a table of which bytes may be there. */
static void test_at_random(void **state)
{
    (void)state;
    uint32_t seed = 7;
    vz_filecache *cache = vz_filecache_new(700, NULL);
    bool may_be[SIZE] = {false};
    for (int turn = 0; turn < 20000; turn++) {
        seed = seed * 1664525 + 1013904223;
        const uint64_t first = (seed >> 8) % (SIZE - 150);
        const size_t size = 1 + (seed >> 3) % 150;
        if (seed >> 31) {
            add(cache, first, size);
            for (size_t i = 0; i < size; i++)
                may_be[first + i] = true;
        } else {
            const size_t done = copied(cache, first, size);
            for (size_t i = 0; i < done; i++)
                assert_true(may_be[first + i]);
        }
        assert_true(vz_filecache_bytes(cache) <= 700);
    }
    vz_filecache_free(cache);
}

#define LARGE ((uint64_t)1 << 31)

static uint64_t window(vz_filecache_ahead *ahead, bool near, uint64_t first, uint64_t size)
{
    uint64_t low, high;
    vz_filecache_ahead_plan(ahead, near, first, size, LARGE, &low, &high);
    assert_true(low <= first && high >= first + size && high <= LARGE);
    return high - low;
}

static void test_small_file(void **state)
{
    (void)state;
    vz_filecache_ahead ahead = {0};
    uint64_t low, high;
    vz_filecache_ahead_plan(&ahead, true, 1000, 10, VZ_FILECACHE_WHOLE, &low, &high);
    assert_int_equal(low, 0);
    assert_int_equal(high, VZ_FILECACHE_WHOLE);
}

static void test_windows_grow_and_shrink(void **state)
{
    (void)state;
    vz_filecache_ahead ahead = {0};
    assert_int_equal(window(&ahead, true, 100, 10), VZ_FILECACHE_AHEAD_BASE);
    vz_filecache_ahead_hit(&ahead, VZ_FILECACHE_AHEAD_BASE - 100, 10);
    assert_int_equal(window(&ahead, true, LARGE / 2, 10), 2 * VZ_FILECACHE_AHEAD_BASE);
    for (uint64_t i = 1; i < 10; i++) { /* each brings something */
        vz_filecache_ahead_hit(&ahead, ahead.end - 10, 10);
        window(&ahead, true, LARGE / 4 + i * (32 << 20) + 5000, 10);
    }
    vz_filecache_ahead_hit(&ahead, ahead.for_end + ahead.size / 4, 10); /* some of it */
    window(&ahead, true, LARGE / 8, 10);
    assert_int_equal(ahead.size, VZ_FILECACHE_AHEAD_MAX);
    for (uint64_t i = 1; i < 10; i++) { /* none but near */
        window(&ahead, true, LARGE / 2 + i * (32 << 20), 10);
        vz_filecache_ahead_hit(&ahead, ahead.for_end + 100, 10);
    }
    assert_int_equal(ahead.size, VZ_FILECACHE_AHEAD_MIN);
    assert_true(window(&ahead, true, LARGE - 10, 10) <= VZ_FILECACHE_AHEAD_MIN);
    assert_true(window(&ahead, true, 100, 3 << 20) >= 3 << 20);
}

static void test_elements(void **state)
{
    (void)state;
    vz_filecache_ahead ahead = {0};
    assert_int_equal(window(&ahead, false, 10 << 20, 1000), VZ_FILECACHE_AHEAD_MIN);
    assert_int_equal(window(&ahead, false, 30 << 20, 1000), VZ_FILECACHE_AHEAD_MIN); /* somewhere else */
    assert_int_equal(window(&ahead, false, (30 << 20) + 1000, 1000), VZ_FILECACHE_AHEAD_BASE);
    assert_int_equal(window(&ahead, false, (30 << 20) + 2000, 1000), 2 * VZ_FILECACHE_AHEAD_BASE);
    vz_filecache_ahead_hit(&ahead, (30 << 20) + 3000, 1000);
    assert_int_equal(window(&ahead, false, (30 << 20) + 4000, 1000), VZ_FILECACHE_AHEAD_MAX / 2);
    assert_int_equal(window(&ahead, false, 5 << 20, 1000), VZ_FILECACHE_AHEAD_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_at_random),
        cmocka_unit_test(test_small_file),
        cmocka_unit_test(test_windows_grow_and_shrink),
        cmocka_unit_test(test_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
