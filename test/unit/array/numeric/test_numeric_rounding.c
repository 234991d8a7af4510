/* test_numeric_rounding.c - rounding by hand; HDF5's own filter is the judge in test/python/test_scale_offset.py. */
#include "array/numeric/numeric.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_integers_keep_low_bits_of_the_difference(void **state)
{
    (void)state;
    const vz_rounding r = {.is_signed = true, .has_fill = true, .size = 2, .scale = 4, .fill = {0xff, 0xff}};
    int16_t values[] = {-100, -86, -85, -84, -1, -100 + 16 + 3};
    const int16_t expected[] = {-100, -86, -1, -100, -1, -97}; /* 15 stands for the fill value, 16 wraps */
    vz_round_chunk(&r, values, 6);
    assert_memory_equal(values, expected, sizeof expected);
}

static void test_floats_keep_decimals(void **state)
{
    (void)state;
    const vz_rounding r = {.is_float = true, .has_fill = false, .size = 8, .scale = 1};
    double values[] = {1.0, 1.26, 1.24, 7.77};
    vz_round_chunk(&r, values, 4);
    assert_true(values[0] == 1.0 && values[1] == 3 / 10.0 + 1.0 && values[2] == 2 / 10.0 + 1.0);
    double wide[] = {0, 1e300, 0.123};
    vz_round_chunk(&r, wide, 3);
    assert_true(wide[1] == 1e300 && wide[2] == 0.123); /* no integer holds the range */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers_keep_low_bits_of_the_difference),
        cmocka_unit_test(test_floats_keep_decimals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
