/* Boxes over arrays: they cover each element once, whole units, within the memory; and the rules of --chunks. */
#include "command/convert/copy.h"
#include "command/convert/access.h"
#include "command/convert/copy_internal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define ELEMENTS_MAX 4096

/* Every box begins at a unit and is whole, but at the edges; all together they are the array. */
static void check(unsigned rank, const uint64_t *dims, const uint64_t *unit, uint64_t elements_max, uint64_t later)
{
    static uint8_t seen[ELEMENTS_MAX];
    uint64_t start[VZ_SLABS_RANK_MAX], extent[VZ_SLABS_RANK_MAX];
    vz_slabs slabs;
    const uint64_t all = vz_slabs_count(rank, dims), one = vz_slabs_count(rank, unit);
    assert_true(all <= ELEMENTS_MAX);
    memset(seen, 0, sizeof seen);
    vz_slabs_begin(&slabs, rank, dims, unit, elements_max);
    uint64_t limit = elements_max;
    while (vz_slabs_next(&slabs, start, extent)) {
        const uint64_t count = vz_slabs_count(rank, extent);
        assert_true(count > 0 && (count <= limit || count <= one));
        for (unsigned i = 0; i < rank; i++) {
            assert_int_equal(start[i] % unit[i], 0);
            assert_true(extent[i] % unit[i] == 0 || start[i] + extent[i] == dims[i]);
        }
        for (uint64_t e = 0; e < count; e++) {
            uint64_t rest = e, place = 0, at[VZ_SLABS_RANK_MAX];
            for (unsigned i = rank; i-- > 0; rest /= extent[i])
                at[i] = start[i] + rest % extent[i];
            for (unsigned i = 0; i < rank; i++)
                place = place * dims[i] + at[i];
            assert_int_equal(seen[place]++, 0);
        }
        limit = later;
        vz_slabs_limit(&slabs, later);
    }
    for (uint64_t e = 0; e < all; e++)
        assert_int_equal(seen[e], 1);
}

static void test_boxes_cover_all_once(void **state)
{
    (void)state;
    static const uint64_t shapes[][3] = {{1, 1, 1}, {7, 11, 13}, {16, 16, 16}, {1, 1000, 3}, {30, 1, 40}, {5, 4, 3}};
    static const uint64_t units[][3] = {{1, 1, 1}, {2, 3, 4}, {1, 11, 2}, {7, 1, 13}, {5, 4, 3}};
    static const uint64_t limits[] = {1, 5, 24, 100, 1000, 1u << 20};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t u = 0; u < sizeof units / sizeof *units; u++)
            for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
                uint64_t unit[3];
                for (int i = 0; i < 3; i++)
                    unit[i] = units[u][i] < shapes[s][i] ? units[u][i] : shapes[s][i];
                check(3, shapes[s], unit, limits[l], limits[l]);
                check(3, shapes[s], unit, limits[l], limits[(l + 3) % 6]);
            }
}

static void test_scalars_and_nothing(void **state)
{
    (void)state;
    uint64_t start[VZ_SLABS_RANK_MAX], extent[VZ_SLABS_RANK_MAX];
    vz_slabs slabs;
    vz_slabs_begin(&slabs, 0, NULL, NULL, 10);
    assert_true(vz_slabs_next(&slabs, start, extent));
    assert_false(vz_slabs_next(&slabs, start, extent));
    vz_slabs_begin(&slabs, 2, (const uint64_t[]){3, 0}, (const uint64_t[]){1, 1}, 10);
    assert_false(vz_slabs_next(&slabs, start, extent));
}

static void test_sizes_beyond_64_bits(void **state)
{
    (void)state;
    const uint64_t dims[3] = {UINT64_MAX / 2, UINT64_MAX / 2, 4}, unit[3] = {1024, 1024, 4};
    uint64_t start[VZ_SLABS_RANK_MAX], extent[VZ_SLABS_RANK_MAX];
    vz_slabs slabs;
    assert_true(vz_slabs_count(3, dims) == UINT64_MAX);
    vz_slabs_begin(&slabs, 3, dims, unit, 1u << 24);
    assert_true(vz_slabs_next(&slabs, start, extent));
    assert_true(vz_slabs_count(3, extent) <= 1u << 24);
}

static void test_rules_of_codecs(void **state)
{
    (void)state;
    vz_convert_rules rules;
    vz_error err = VZ_ERROR_NONE;
    assert_true(vz_convert_compress_rules_parse("/a/*:none;/b:c:zstd;zlib;/never:blosc", &rules, &err));
    assert_string_equal(vz_convert_compress_word(&rules, "/a/x"), "none");
    assert_string_equal(vz_convert_compress_word(&rules, "/b:c"), "zstd");
    assert_string_equal(vz_convert_compress_word(&rules, "/never"), "zlib");
    assert_string_equal(vz_convert_compress_word(&rules, NULL), "zlib");
    vz_convert_rules_clear(&rules);
    assert_true(vz_convert_compress_rules_parse("/a:none", &rules, &err));
    assert_string_equal(vz_convert_compress_word(&rules, "/b"), "auto");
    assert_string_equal(vz_convert_compress_word(&rules, NULL), "auto");
    vz_convert_rules_clear(&rules);
    static const char *const wrong[] = {"", ";", "gzip", "/a:", "/a:best", "none,zlib", "Zstd"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(vz_convert_compress_rules_parse(wrong[i], &rules, &err));
        assert_int_equal(err.class, VZ_INVALID);
        err = VZ_ERROR_NONE;
    }
}

static void test_rules_of_chunks(void **state)
{
    (void)state;
    const uint64_t dims[2] = {1000, 40}, fixed[2] = {1000, 40}, open[2] = {UINT64_MAX, 40};
    uint64_t chunk[VZ_CHUNKS_RANK_MAX];
    vz_convert_rules rules;
    vz_error err = VZ_ERROR_NONE;
    assert_true(vz_convert_chunk_rules_parse("/a/*:auto;/b:c:10,20;2000,7", &rules, &err));
    assert_true(vz_convert_chunk_rules_apply(&rules, "/b:c", 2, dims, fixed, 8, chunk));
    assert_true(chunk[0] == 10 && chunk[1] == 20);
    assert_true(vz_convert_chunk_rules_apply(&rules, "/other", 2, dims, fixed, 8, chunk));
    assert_true(chunk[0] == 1000 && chunk[1] == 7);
    assert_true(vz_convert_chunk_rules_apply(&rules, "/other", 2, dims, open, 8, chunk));
    assert_true(chunk[0] == 2000);
    assert_true(vz_convert_chunk_rules_apply(&rules, "/a/x", 1, (const uint64_t[]){1u << 30},
                                             (const uint64_t[]){1u << 30}, 8, chunk));
    assert_true(chunk[0] * 8 <= 1u << 20 && chunk[0] * 8 > 1u << 18);
    assert_false(vz_convert_chunk_rules_apply(&rules, "/other", 3, dims, fixed, 8, chunk));
    vz_convert_rules_clear(&rules);
    static const char *const wrong[] = {"", ";", "x", "1,", "0", "-1", "1,,2", "/a:", "99999999999999999999", "1 2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(vz_convert_chunk_rules_parse(wrong[i], &rules, &err));
        assert_int_equal(err.class, VZ_INVALID);
        err = VZ_ERROR_NONE;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes_cover_all_once), cmocka_unit_test(test_scalars_and_nothing),
        cmocka_unit_test(test_sizes_beyond_64_bits), cmocka_unit_test(test_rules_of_codecs),
        cmocka_unit_test(test_rules_of_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
