/* Times in the headers of HTTP. */
#include "base/util/http_date.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <locale.h>

static void test_times(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t seconds;
    } cases[] = {
        {"Sun, 06 Nov 1994 08:49:37 GMT", 784111777},  {"Thu, 01 Jan 1970 00:00:00 GMT", 0},
        {"Thu, 29 Feb 2024 23:59:59 GMT", 1709251199}, {"Sat, 31 Dec 2016 23:59:60 GMT", 1483228800},
        {"Wed, 31 Dec 1969 23:59:59 GMT", -1},
    };
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where there is one: its names of months differ */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t seconds = 7;
        assert_true(vz_http_date_parse(cases[i].text, &seconds));
        assert_int_equal(seconds, cases[i].seconds);
    }
}

static void test_no_times(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",
        "now",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 GMT+1",
        "Sun, 06 Nvv 1994 08:49:37 GMT",
        "Sun, 32 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun, -6 Nov 1994 08:49:37 GMT",
        "Sun, 06 ovD 1994 08:49:37 GMT",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t seconds = 7;
        assert_false(vz_http_date_parse(cases[i], &seconds));
        assert_int_equal(seconds, 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_times), cmocka_unit_test(test_no_times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
