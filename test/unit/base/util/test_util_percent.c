/* Percent-encoding. */
#include "base/util/bytes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <string.h>

static void assert_encoded(const char *text, const char *also, const char *expected)
{
    vz_buffer out = {0};
    assert_true(vz_percent_encode(&out, text, also, NULL));
    assert_int_equal(out.size, strlen(expected));
    assert_memory_equal(out.data ? (const char *)out.data : "", expected, out.size);
    vz_buffer_clear(&out);
}

static void test_encode(void **state)
{
    (void)state;
    assert_encoded("", "", "");
    assert_encoded("a/b", "/", "a/b");
    assert_encoded("a/b", "", "a%2Fb");
    assert_encoded("AZaz09-._~", "", "AZaz09-._~");
    assert_encoded("year=2024 a:b+c%~-._", "/", "year%3D2024%20a%3Ab%2Bc%25~-._");
    assert_encoded("\xc3\xa4\x01\x7f", "/", "%C3%A4%01%7F");
}

static void test_zero(void **state)
{
    (void)state;
    vz_buffer out = {0};
    assert_true(vz_percent_append(&out, 0, "/", NULL));
    assert_int_equal(out.size, 3);
    assert_memory_equal(out.data, "%00", 3);
    vz_buffer_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_encode), cmocka_unit_test(test_zero)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
