/* test_numeric_convert.c - number conversion where no HDF5 is at hand: known values, strides, alignment. The comparison
 * of every pair with H5Tconvert is test/c/test_convert.c. */
#include "array_support.h"
#include "array/numeric/numeric.h"
#include <math.h>

static vz_number_conversion from_to(vz_number_kind from, size_t from_size, vz_number_kind to, size_t to_size)
{
    vz_number_conversion conversion;
    assert_true(vz_conversion_find((vz_number_format){from, from_size, false}, (vz_number_format){to, to_size, false},
                                   &conversion));
    return conversion;
}

static void test_clamping(void **state)
{
    (void)state;
    const double in[] = {NAN, INFINITY, -INFINITY, 1.9, -1.9, 127.9, 128, -128.9, -129, 0x1p63, -0x1p63, 1e300};
    const int8_t bytes[] = {0, 127, -128, 1, -1, 127, 127, -128, -128, 127, -128, 127};
    const uint64_t words[] = {0, UINT64_MAX, 0, 1, 0, 127, 128, 0, 0, (uint64_t)1 << 63, 0, UINT64_MAX};
    int8_t small[12];
    uint64_t large[12];
    vz_number_conversion conversion = from_to(VZ_NUMBER_FLOAT, 8, VZ_NUMBER_INT, 1);
    conversion.run(&conversion, in, 8, small, 1, 12);
    assert_memory_equal(small, bytes, sizeof bytes);
    conversion = from_to(VZ_NUMBER_FLOAT, 8, VZ_NUMBER_UINT, 8);
    conversion.run(&conversion, in, 8, large, 8, 12);
    assert_memory_equal(large, words, sizeof words);
    const int64_t wide[] = {INT64_MIN, -1, 0, 255, 256, INT64_MAX};
    const uint8_t narrow[] = {0, 0, 0, 255, 255, 255};
    conversion = from_to(VZ_NUMBER_INT, 8, VZ_NUMBER_UINT, 1);
    conversion.run(&conversion, wide, 8, small, 1, 6);
    assert_memory_equal(small, narrow, sizeof narrow);
}

/* Every half is a double that comes back as itself; in between, ties go to even. */
static void test_halves(void **state)
{
    (void)state;
    const vz_number_conversion widen = from_to(VZ_NUMBER_FLOAT, 2, VZ_NUMBER_FLOAT, 8),
                               narrow = from_to(VZ_NUMBER_FLOAT, 8, VZ_NUMBER_FLOAT, 2);
    static uint16_t halves[65536], back[65536];
    static double wide[65536];
    for (unsigned i = 0; i < 65536; i++)
        halves[i] = (uint16_t)i;
    widen.run(&widen, halves, 2, wide, 8, 65536);
    narrow.run(&narrow, wide, 8, back, 2, 65536);
    for (unsigned i = 0; i < 65536; i++) {
        const bool nan = (i & 0x7c00) == 0x7c00 && (i & 0x3ff);
        assert_int_equal(isnan(wide[i]) != 0, nan);
        assert_int_equal(back[i], nan ? i | 0x200 : i);
    }
    for (unsigned i = 0; i < 0x7bff; i++) { /* halfway up to the next one, and a bit below and above */
        const double tie = (wide[i] + wide[i + 1]) / 2, in[] = {tie, nextafter(tie, 0), nextafter(tie, 1e9), -tie};
        uint16_t out[4];
        narrow.run(&narrow, in, 8, out, 2, 4);
        assert_int_equal(out[0], i & 1 ? i + 1 : i);
        assert_int_equal(out[1], i);
        assert_int_equal(out[2], i + 1);
        assert_int_equal(out[3], out[0] | 0x8000);
    }
}

/* Strides, gaps, odd addresses, more than one strip, both byte orders. */
static void test_strides(void **state)
{
    (void)state;
    enum { COUNT = 2000, GAP = 3 };
    for (unsigned orders = 0; orders < 4; orders++) {
        vz_number_conversion conversion;
        assert_true(vz_conversion_find((vz_number_format){VZ_NUMBER_INT, 2, orders & 1},
                                       (vz_number_format){VZ_NUMBER_FLOAT, 4, orders & 2}, &conversion));
        uint8_t *src = malloc(1 + COUNT * (2 + GAP)), *dst = calloc(1, 1 + COUNT * (4 + GAP));
        assert_true(src && dst);
        for (unsigned i = 0; i < COUNT; i++) {
            uint16_t value = (uint16_t)(i * 31);
            value = orders & 1 ? __builtin_bswap16(value) : value;
            memcpy(src + 1 + i * (2 + GAP), &value, 2);
        }
        conversion.run(&conversion, src + 1, 2 + GAP, dst + 1, 4 + GAP, COUNT);
        for (unsigned i = 0; i < COUNT; i++) {
            uint32_t bits;
            float value;
            memcpy(&bits, dst + 1 + i * (4 + GAP), 4);
            bits = orders & 2 ? __builtin_bswap32(bits) : bits;
            memcpy(&value, &bits, 4);
            assert_true(value == (float)(int16_t)(i * 31));
            for (unsigned k = 4; k < 4 + GAP; k++)
                assert_int_equal(dst[1 + i * (4 + GAP) + k], 0);
        }
        free(src);
        free(dst);
    }
}

static void test_same_type(void **state)
{
    (void)state;
    vz_number_conversion conversion;
    const vz_number_format little = {VZ_NUMBER_UINT, 4, false}, big = {VZ_NUMBER_UINT, 4, true},
                           odd = {VZ_NUMBER_UINT, 3, false};
    const vz_number_format byte = {VZ_NUMBER_INT, 1, false}, same_byte = {VZ_NUMBER_INT, 1, true};
    assert_false(vz_conversion_find(little, little, &conversion));
    assert_false(vz_conversion_find(byte, same_byte, &conversion)); /* a byte has no order */
    assert_false(vz_conversion_find(odd, little, &conversion));
    assert_true(vz_conversion_find(little, big, &conversion));
    const uint32_t in[3] = {1, 0x01020304, 0xffffff00};
    uint32_t out[3];
    conversion.run(&conversion, in, 4, out, 4, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(out[i], __builtin_bswap32(in[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clamping),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_strides),
        cmocka_unit_test(test_same_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
