/* test_codec_narrow.c - numbers of few bits: the codes and values that ml_dtypes gives to hard floats, and codes of all
 * types. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "codec/codec/narrow.h"

#include "../../data/codec/narrow_vectors.h"
#include <math.h>
#include <string.h>

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void floats_are_those_of_ml_dtypes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const vz_narrow narrow = vz_narrow_named(vectors[i].type);
        float value;
        memcpy(&value, &vectors[i].bits, sizeof value);
        assert_true(narrow != VZ_NARROW_NONE);
        assert_int_equal(vz_narrow_code(narrow, value), vectors[i].code);
        assert_int_equal(bits_of((float)vz_narrow_value(narrow, vectors[i].code)), vectors[i].value);
    }
}

/* Many at once and one by one; every value leads back to its code, but for codes of one NaN. */
static void codes_and_values_are_pairs(void **state)
{
    (void)state;
    for (unsigned n = VZ_NARROW_BFLOAT16; n <= VZ_NARROW_FLOAT4_E2M1FN; n++) {
        const vz_narrow_form *form = vz_narrow_form_of((vz_narrow)n);
        const size_t count = (size_t)1 << form->bits;
        uint8_t *codes = calloc(count, form->size), *again = calloc(count, form->size);
        float *values = calloc(count, sizeof *values);
        for (size_t i = 0; i < count; i++)
            memcpy(codes + i * form->size, &i, form->size);
        vz_narrow_to_floats((vz_narrow)n, codes, values, count);
        vz_narrow_from_floats((vz_narrow)n, values, again, count);
        for (size_t i = 0; i < count; i++) {
            const float value = (float)vz_narrow_value((vz_narrow)n, (uint16_t)i);
            assert_int_equal(isnan(values[i]), isnan(value));
            if (isnan(value))
                continue;
            assert_int_equal(bits_of(values[i]), bits_of(value));
            assert_memory_equal(codes + i * form->size, again + i * form->size, form->size);
        }
        free(values);
        free(again);
        free(codes);
    }
}

static void integers_have_their_sign(void **state)
{
    (void)state;
    assert_true(vz_narrow_value(VZ_NARROW_INT4, 0xf8) == -8);
    assert_true(vz_narrow_value(VZ_NARROW_INT4, 7) == 7);
    assert_true(vz_narrow_value(VZ_NARROW_UINT4, 0xf8) == 8);
    assert_true(vz_narrow_value(VZ_NARROW_INT2, 3) == -1);
    assert_true(vz_narrow_value(VZ_NARROW_UINT2, 3) == 3);
}

static void names(void **state)
{
    (void)state;
    for (unsigned n = VZ_NARROW_NONE + 1; n < VZ_NARROW_COUNT; n++)
        assert_int_equal(vz_narrow_named(vz_narrow_form_of((vz_narrow)n)->name), n);
    assert_int_equal(vz_narrow_named("float8"), VZ_NARROW_NONE);
    assert_int_equal(vz_narrow_named(""), VZ_NARROW_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_are_those_of_ml_dtypes),
        cmocka_unit_test(codes_and_values_are_pairs),
        cmocka_unit_test(integers_have_their_sign),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
