/* Parts of arrays, as Python understands the same text: range(*slice.indices(length)). */
#include "command/sample/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static const vz_sample_facts cube = {.rank = 3, .shape = {10, 5, 4}};

static void check(const char *text, const vz_sample_part *wanted, const char *again)
{
    vz_error err = VZ_ERROR_NONE;
    vz_sample_part part;
    vz_buffer shown = {0};
    assert_true(vz_sample_part_parse(text, &cube, &part, &err));
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(part.start[i], wanted->start[i]);
        assert_int_equal(part.count[i], wanted->count[i]);
        assert_int_equal(part.step[i], wanted->step[i]);
        assert_int_equal(part.is_index[i], wanted->is_index[i]);
    }
    assert_true(vz_sample_part_text(&cube, &part, &shown, &err));
    assert_string_equal((char *)shown.data, again);
    vz_buffer_clear(&shown);
}

static void test_parts(void **state)
{
    (void)state;
    const vz_sample_part all = {.count = {10, 5, 4}, .step = {1, 1, 1}};
    check("[:, :, :]", &all, "[:, :, :]");
    check("", &all, "[:, :, :]");
    check("[]", &all, "[:, :, :]");
    check("[...]", &all, "[:, :, :]");
    check("  [ : , ... ] ", &all, "[:, :, :]");
    const vz_sample_part one = {.start = {3, 4, 0}, .count = {1, 1, 4}, .step = {1, 1, 1}, .is_index = {true, true}};
    check("3,-1", &one, "[3, 4, :]");
    const vz_sample_part last = {.start = {0, 0, 3}, .count = {10, 5, 1}, .step = {1, 1, 1}, .is_index[2] = true};
    check("[..., -1]", &last, "[:, :, 3]");
    check("[..., 3,]", &last, "[:, :, 3]");
    const vz_sample_part steps = {.start = {1, 0, 0}, .count = {3, 3, 4}, .step = {3, 2, 1}};
    check("[1:9:3, ::2]", &steps, "[1:8:3, 0:5:2, :]");
    const vz_sample_part ends = {.start = {7, 0, 0}, .count = {3, 5, 4}, .step = {1, 1, 1}};
    check("[-3:]", &ends, "[7:10, :, :]");
    check("[7:99]", &ends, "[7:10, :, :]");
    const vz_sample_part none = {.start = {8, 0, 0}, .count = {0, 5, 4}, .step = {1, 1, 1}};
    check("[8:2]", &none, "[8:8, :, :]");
    const vz_sample_part before = {.count = {7, 5, 4}, .step = {1, 1, 1}};
    check("[-99:-3]", &before, "[0:7, :, :]");
}

static void test_what_is_no_part(void **state)
{
    static const char *const texts[] = {"[10]",
                                        "[-11]",
                                        "[0, 0, 0, 0]",
                                        "[0",
                                        "0]",
                                        "[a]",
                                        "[1.5]",
                                        "[::-1]",
                                        "[::0]",
                                        "[-]",
                                        "[1 2]",
                                        "[::::]",
                                        "[..., ...]",
                                        "[,]",
                                        "[[0]]",
                                        "[99999999999999999999]",
                                        "[0:99999999999999999999999]",
                                        "[True]"};
    char large[5000];
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        vz_error err = VZ_ERROR_NONE;
        vz_sample_part part;
        if (vz_sample_part_parse(texts[i], &cube, &part, &err))
            fail_msg("%s", texts[i]);
        assert_int_equal(err.class, VZ_INVALID);
    }
    memset(large, ':', sizeof large);
    large[sizeof large - 1] = '\0';
    vz_error err = VZ_ERROR_NONE;
    vz_sample_part part;
    assert_false(vz_sample_part_parse(large, &cube, &part, &err));
}

/* The largest shapes: nothing overflows. */
static void test_large(void **state)
{
    static const vz_sample_facts large = {.rank = 2, .shape = {UINT64_MAX, (uint64_t)1 << 62}};
    vz_error err = VZ_ERROR_NONE;
    vz_sample_part part;
    (void)state;
    vz_sample_part_all(&large, &part);
    assert_true(vz_sample_part_count(&part) == UINT64_MAX);
    assert_true(vz_sample_part_parse("[-1, ::1000000]", &large, &part, &err));
    assert_true(part.start[0] == UINT64_MAX - 1 && part.count[1] == (((uint64_t)1 << 62) - 1) / 1000000 + 1);
    part.count[1] = 0;
    assert_int_equal(vz_sample_part_count(&part), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_what_is_no_part),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
