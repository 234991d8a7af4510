/* test_native_filters.c - the bytes of our HDF5 filters: against bytes of others, and there and back. */
#include "hdf5/native/filters_internal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define SIZE 100000

static void fill(uint8_t *data, size_t size)
{
    uint32_t state = 1;
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525u + 1013904223u;
        data[i] = i % 8 < 6 ? (uint8_t)(i / 800) : (uint8_t)(state >> 24);
    }
}

typedef struct round_trip {
    const char *name;
    vz_filters_work work;
    size_t value_count;
    unsigned values[7];
} round_trip;

static const round_trip round_trips[] = {
    {"bzip2", vz_filters_bzip2, 0, {0}},
    {"bzip2, small blocks", vz_filters_bzip2, 1, {1}},
    {"zstd", vz_filters_zstd, 0, {0}},
    {"zstd, negative level", vz_filters_zstd, 1, {(unsigned)-5}},
    {"blosc", vz_filters_blosc, 0, {0}},
    {"blosc zstd, shuffled bits", vz_filters_blosc, 7, {2, 2, 8, SIZE, 3, 2, 5}},
    {"lz4", vz_filters_lz4, 0, {0}},
    {"lz4, many blocks", vz_filters_lz4, 1, {777}},
    {"lz4, block beyond the library's limit", vz_filters_lz4, 1, {0xFFFFFFFF}},
};

static void there_and_back(const round_trip *trip, const uint8_t *data, size_t size)
{
    vz_error err = VZ_ERROR_NONE;
    vz_buffer encoded = {0}, decoded = {0};
    if (!trip->work(false, trip->value_count, trip->values, (vz_bytes){data, size}, &encoded, &err) ||
        !trip->work(true, trip->value_count, trip->values, (vz_bytes){encoded.data, encoded.size}, &decoded, &err))
        fail_msg("%s, %zu bytes: %s", trip->name, size, err.text);
    assert_int_equal(decoded.size, size);
    assert_memory_equal(decoded.data, data, size);
    vz_buffer_clear(&encoded);
    vz_buffer_clear(&decoded);
}

static void test_round_trips(void **state)
{
    (void)state;
    static uint8_t data[SIZE];
    fill(data, sizeof data);
    for (size_t i = 0; i < sizeof round_trips / sizeof *round_trips; i++) {
        there_and_back(&round_trips[i], data, 1);
        there_and_back(&round_trips[i], data, 777 * 3);
        there_and_back(&round_trips[i], data, SIZE);
    }
}

/* 16 zeros and 4 other bytes in blocks of 16, written by hand after the filter's description: one compressed block (a
 * literal and a match of 10 at distance 1, then the 5 literals a block must end with), one stored block. */
static const uint8_t lz4_frame[] = {0, 0, 0, 0,    0, 0, 0, 20, 0, 0, 0, 16, 0, 0, 0, 10, 0x16,
                                    0, 1, 0, 0x50, 0, 0, 0, 0,  0, 0, 0, 0,  4, 1, 2, 3,  4};

static void test_lz4_framing(void **state)
{
    (void)state;
    static const uint8_t expected[20] = {[16] = 1, 2, 3, 4};
    vz_error err = VZ_ERROR_NONE;
    vz_buffer decoded = {0};
    if (!vz_filters_lz4(true, 0, NULL, (vz_bytes){lz4_frame, sizeof lz4_frame}, &decoded, &err))
        fail_msg("%s", err.text);
    assert_int_equal(decoded.size, sizeof expected);
    assert_memory_equal(decoded.data, expected, sizeof expected);
    vz_buffer_clear(&decoded);
}

static void test_lz4_header(void **state)
{
    (void)state;
    static const uint8_t data[20] = {0};
    static const uint8_t header[] = {0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 16};
    vz_error err = VZ_ERROR_NONE;
    vz_buffer encoded = {0};
    assert_true(vz_filters_lz4(false, 1, (unsigned[]){16}, (vz_bytes){data, sizeof data}, &encoded, &err));
    assert_memory_equal(encoded.data, header, sizeof header);
    vz_buffer_clear(&encoded);
}

/* Every cut of the frame, and every byte changed: an error or other bytes, never a read or write out of place. */
static void test_lz4_damage(void **state)
{
    (void)state;
    uint8_t *copy = malloc(sizeof lz4_frame);
    for (size_t size = 0; size < sizeof lz4_frame; size++) {
        vz_error err = VZ_ERROR_NONE;
        vz_buffer decoded = {0};
        uint8_t *cut = malloc(size ? size : 1);
        memcpy(cut, lz4_frame, size);
        assert_false(vz_filters_lz4(true, 0, NULL, (vz_bytes){cut, size}, &decoded, &err));
        assert_int_not_equal(err.class, VZ_OK);
        vz_buffer_clear(&decoded);
        free(cut);
    }
    for (size_t i = 0; i < sizeof lz4_frame * 8; i++) {
        vz_error err = VZ_ERROR_NONE;
        vz_buffer decoded = {0};
        memcpy(copy, lz4_frame, sizeof lz4_frame);
        copy[i / 8] ^= (uint8_t)(1u << i % 8);
        vz_filters_lz4(true, 0, NULL, (vz_bytes){copy, sizeof lz4_frame}, &decoded, &err);
        vz_buffer_clear(&decoded);
    }
    free(copy);
}

static void test_unknown_inner_codec(void **state)
{
    (void)state;
    vz_error err = VZ_ERROR_NONE;
    vz_buffer encoded = {0};
    assert_false(
        vz_filters_blosc(false, 7, (unsigned[]){2, 2, 4, 16, 5, 1, 99}, (vz_bytes){lz4_frame, 16}, &encoded, &err));
    assert_int_equal(err.class, VZ_INVALID);
    vz_buffer_clear(&encoded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),         cmocka_unit_test(test_lz4_framing),
        cmocka_unit_test(test_lz4_header),          cmocka_unit_test(test_lz4_damage),
        cmocka_unit_test(test_unknown_inner_codec),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
