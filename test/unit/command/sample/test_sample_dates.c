/* Numbers that count time, as numpy 2 and cftime print them. */
#include "command/sample/dates_internal.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void test_datetime64(void **state)
{
    static const struct {
        const char *unit;
        int64_t number;
        const char *text; /* str(numpy.datetime64(number, unit)) */
    } rows[] = {{"ns", 0, "1970-01-01T00:00:00.000000000"},
                {"ns", 1700000000123456789, "2023-11-14T22:13:20.123456789"},
                {"us", -1, "1969-12-31T23:59:59.999999"},
                {"ms", 1500, "1970-01-01T00:00:01.500"},
                {"s", 951782400, "2000-02-29T00:00:00"},
                {"m", -1, "1969-12-31T23:59"},
                {"h", 5, "1970-01-01T05"},
                {"D", -719162, "0001-01-01"},
                {"D", 11016, "2000-02-29"},
                {"W", 3, "1970-01-22"},
                {"M", -1, "1969-12"},
                {"Y", 30, "2000"},
                {"25s", 3, "1970-01-01T00:01:15"},
                {"ns", INT64_MIN, "NaT"}};
    char text[VZ_SAMPLE_DATE_SIZE];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(vz_sample_datetime(rows[i].unit, rows[i].number, text));
        assert_string_equal(text, rows[i].text);
    }
    static const char *const others[] = {"", "x", "nss", "0s", "99999999999s", "generic"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(vz_sample_datetime(others[i], 3, text));
    static const char *const long_ones[] = {"Y", "M", "W", "D", "h", "m", "s", "2s"};
    for (size_t i = 0; i < sizeof long_ones / sizeof *long_ones; i++) {
        assert_false(vz_sample_datetime(long_ones[i], INT64_MAX, text));
        assert_false(vz_sample_datetime(long_ones[i], INT64_MIN + 1, text));
    }
    assert_true(vz_sample_datetime("ns", INT64_MAX, text) && vz_sample_datetime("ns", INT64_MIN + 1, text));
}

static void test_units(void **state)
{
    static const struct {
        const char *units, *calendar;
        double number;
        const char *text; /* cftime.num2date, without a time that is zero */
    } rows[] = {{"days since 2000-01-01", "", 59, "2000-02-29"},
                {"hours since 1970-01-01 06:30:00", "standard", -1, "1970-01-01 05:30:00"},
                {"seconds since 2000-02-28 23:59:59.5 UTC", "gregorian", 1, "2000-02-29 00:00:00.5"},
                {"days since 0001-01-01", "proleptic_gregorian", 738000, "2021-07-30"},
                {"days since 1850-01-01", "noleap", 59, "1850-03-01"},
                {"days since 2001-01-01", "360_day", 59, "2001-02-30"},
                {"days since 1582-10-15", "standard", 0, "1582-10-15"},
                {"days since 2000-01-01", "noleap", -1, "1999-12-31"},
                {"days since 2000-01-01", "360_day", -361, "1998-12-30"},
                {"days since 2000-01-01", "", 0.25, "2000-01-01 06:00:00"},
                {"minutes since 2000-01-01T00:00:00Z", "", 1.5, "2000-01-01 00:01:30"},
                {"days since 1600-02-29", "", 146097, "2000-02-29"}};
    char text[VZ_SAMPLE_DATE_SIZE];
    vz_sample_clock clock;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(vz_sample_clock_parse(rows[i].units, rows[i].calendar, &clock));
        assert_true(vz_sample_clock_real(&clock, rows[i].number, text));
        assert_string_equal(text, rows[i].text);
        if (rows[i].number != (double)(int64_t)rows[i].number)
            continue;
        assert_true(vz_sample_clock_integer(&clock, (int64_t)rows[i].number, text));
        assert_string_equal(text, rows[i].text);
    }
}

static void test_what_counts_no_time(void **state)
{
    static const char *const units[] = {"",
                                        "days",
                                        "K",
                                        "months since 2000-01-01",
                                        "days since",
                                        "days since yesterday",
                                        "days since 2000-13-01",
                                        "days since 2000-01-01 25:00",
                                        "days since 2000-01-01 +05:00",
                                        "days since 1500-01-01",
                                        "days  since 2000-01-01",
                                        "days since 2000-01-01 00:00:00 and more"};
    char text[VZ_SAMPLE_DATE_SIZE];
    vz_sample_clock clock;
    (void)state;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        assert_false(vz_sample_clock_parse(units[i], "", &clock));
    assert_false(vz_sample_clock_parse("days since 2000-01-01", "julian", &clock));
    assert_true(vz_sample_clock_parse("days since 2000-01-01", "standard", &clock));
    assert_false(vz_sample_clock_integer(&clock, INT64_MAX, text) || vz_sample_clock_integer(&clock, INT64_MIN, text));
    assert_false(vz_sample_clock_integer(&clock, -200000, text)); /* before the calendar changed */
    const double reals[] = {1e300, -1e300, (double)INFINITY, (double)NAN, 9.969209968386869e+36};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        assert_false(vz_sample_clock_real(&clock, reals[i], text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_datetime64),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_what_counts_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
