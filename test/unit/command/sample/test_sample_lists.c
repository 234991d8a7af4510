/* Lists of chunks, of one shape and of different ones; counted values; PNG files: without HDF5. */
#include "command/sample/sample_internal.h"
#include <libdeflate.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- chunks ---- */

static void test_chunk_list(void **state)
{
    vz_sample_chunk_list list = {
        .rank = 2, .chunk = {4, 3}, .grid = {5, 7}, .is_complete = true, .possible = 35, .until = INT64_MAX};
    static const uint64_t numbers[] = {33, 0, 8, 34, 2};
    (void)state;
    for (size_t i = 0; i < 5; i++)
        assert_true(vz_sample_chunk_add(&list, numbers[i], 10 * i));
    vz_sample_chunk_sort(&list);
    for (size_t i = 0; i < 5; i++) {
        const vz_sample_stored *found = vz_sample_chunk_find(&list, numbers[i]);
        assert_true(found && found->number == numbers[i] && found->size == 10 * i);
    }
    assert_null(vz_sample_chunk_find(&list, 1));
    const uint64_t at[] = {3, 2}, count[] = {2, 2}, all[] = {20, 21}, zero[] = {0, 0};
    assert_int_equal(vz_sample_chunks_touched(&list, at, count), 4); /* 0, 1, 7, 8 */
    assert_int_equal(vz_sample_chunks_stored(&list, at, count, 9), 2);
    assert_int_equal(vz_sample_chunks_touched(&list, zero, all), 35);
    assert_int_equal(vz_sample_chunks_stored(&list, zero, all, 9), 5);
    assert_int_equal(vz_sample_chunks_stored(&list, zero, all, 3), 3);
    assert_int_equal(vz_sample_chunk_decoded(&list, 8, 8), 4 * 3 * 8);
    vz_sample_chunk_list_clear(&list);
}

/* Once the time is over no more is listed, which the list says. */
static void test_time_is_over(void **state)
{
    vz_sample_chunk_list list = {.rank = 1, .chunk = {1}, .grid = {1 << 20}, .until = 0};
    (void)state;
    uint64_t number = 0;
    while (vz_sample_chunk_add(&list, number, 1))
        number++;
    assert_true(number < 10000 && strstr(list.why, "seconds"));
    vz_sample_chunk_list_clear(&list);
}

static void test_uneven_chunks(void **state)
{
    vz_meta_run rows[] = {{.edge = 4, .count = 2, .first = 0, .start = 0},
                          {.edge = 2, .count = 1, .first = 2, .start = 8}},
                columns[] = {{.edge = 1, .count = 1, .first = 0, .start = 0},
                             {.edge = 5, .count = 2, .first = 1, .start = 1}};
    vz_meta_edges edges[] = {{.count = 2, .runs = rows}, {.count = 2, .runs = columns}};
    const vz_meta meta = {.rank = 2, .shape = {10, 9}, .chunks = {4, 5}, .edges = edges}, other = {.rank = 3};
    vz_sample_chunk_list list = {.rank = 2, .chunk = {4, 5}};
    (void)state;
    assert_false(vz_sample_chunk_take_grid(&list, &other));
    assert_true(vz_sample_chunk_take_grid(&list, &meta));
    assert_true(list.grid[0] == 3 && list.grid[1] == 3 && list.possible == 9);
    static const uint64_t starts[] = {0, 1, 6};
    for (uint64_t at = 0; at < 9; at++)
        assert_int_equal(vz_sample_chunk_at(&list, 1, at), at < 1 ? 0 : at < 6 ? 1 : 2);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(vz_sample_chunk_start(&list, 1, i), starts[i]);
    assert_int_equal(vz_sample_chunk_decoded(&list, 7, 8), 2 * 5 * 8); /* the last row, the middle column */
    const uint64_t at[] = {7, 0}, count[] = {2, 2};
    assert_int_equal(vz_sample_chunks_touched(&list, at, count), 4);
}

/* ---- values ---- */

static void test_distinct(void **state)
{
    vz_error err = VZ_ERROR_NONE;
    vz_sample_counter *counter = vz_sample_counter_new(&err);
    const vz_sample_counted *items;
    (void)state;
    static const char *const words[] = {"b", "a", "b", "", "c", "a", "b"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_true(vz_sample_counter_add(counter, words[i], strlen(words[i]), &err));
    assert_int_equal(vz_sample_counter_distinct(counter), 4);
    assert_int_equal(vz_sample_counter_list(counter, &items), 4);
    static const char *const order[] = {"b", "a", "", "c"};
    static const uint64_t counts[] = {3, 2, 1, 1};
    for (size_t i = 0; i < 4; i++)
        assert_true(items[i].count == counts[i] && items[i].size == strlen(order[i]) &&
                    memcmp(items[i].bytes, order[i], items[i].size) == 0);
    vz_sample_counter_free(counter);
    counter = vz_sample_counter_new(&err);
    for (uint64_t i = 0; i < 5000; i++)
        assert_true(vz_sample_counter_add(counter, &i, sizeof i, &err));
    assert_int_equal(vz_sample_counter_distinct(counter), VZ_SAMPLE_DISTINCT_MAX + 1);
    vz_sample_counter_free(counter);
    /* long texts that begin alike are different ones */
    char *one = malloc(5000), *other = malloc(5000);
    memset(one, 'x', 5000);
    memcpy(other, one, 5000);
    other[4999] = 'y';
    counter = vz_sample_counter_new(&err);
    assert_true(vz_sample_counter_add(counter, one, 5000, &err) && vz_sample_counter_add(counter, other, 5000, &err));
    assert_int_equal(vz_sample_counter_distinct(counter), 2);
    vz_sample_counter_free(counter);
    free(one);
    free(other);
}

/* ---- pictures ---- */

/* zlib's stream is unpacked by libdeflate; pixels without a value are transparent. */
static void test_png(void **state)
{
    uint8_t pixels[] = {0, 100, 255, 7, 8, 9},
            states[] = {VZ_PIXEL_VALUE, VZ_PIXEL_NAN, VZ_PIXEL_VALUE, VZ_PIXEL_ABSENT, VZ_PIXEL_VALUE, VZ_PIXEL_VALUE};
    const vz_sample_picture picture = {.width = 3, .height = 2, .channels = 1, .pixels = pixels, .states = states};
    vz_error err = VZ_ERROR_NONE;
    vz_buffer file = {0};
    (void)state;
    assert_true(vz_sample_png(&picture, 2, &file, &err));
    assert_memory_equal(file.data, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\6\0\0\0\4\10\4\0\0\0", 29);
    const uint8_t *data = file.data + 33; /* behind the header's checksum */
    const size_t size = (size_t)data[0] << 24 | (size_t)data[1] << 16 | (size_t)data[2] << 8 | data[3];
    assert_memory_equal(data + 4, "IDAT", 4);
    uint8_t rows[4 * 13];
    struct libdeflate_decompressor *unpack = libdeflate_alloc_decompressor();
    size_t unpacked = 0;
    assert_int_equal(libdeflate_zlib_decompress(unpack, data + 8, size, rows, sizeof rows, &unpacked),
                     LIBDEFLATE_SUCCESS);
    libdeflate_free_decompressor(unpack);
    assert_int_equal(unpacked, sizeof rows);
    for (size_t y = 0; y < 4; y++) {
        assert_int_equal(rows[13 * y], 0);
        for (size_t x = 0; x < 6; x++) {
            const size_t pixel = y / 2 * 3 + x / 2;
            assert_int_equal(rows[13 * y + 1 + 2 * x], pixels[pixel]);
            assert_int_equal(rows[13 * y + 2 + 2 * x], states[pixel] == VZ_PIXEL_VALUE ? 255 : 0);
        }
    }
    vz_buffer_clear(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chunk_list), cmocka_unit_test(test_time_is_over), cmocka_unit_test(test_uneven_chunks),
        cmocka_unit_test(test_distinct),   cmocka_unit_test(test_png),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
