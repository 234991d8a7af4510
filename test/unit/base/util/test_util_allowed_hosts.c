/* Which endpoints and regions there can be, and whose credentials a redirect file may lead to a server. */
#include "base/util/name_policy.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void test_regions(void **state)
{
    (void)state;
    static const char *const good[] = {"us-east-1", "auto", "eu-central-1", "x"};
    static const char *const bad[] = {
        "",    "us east", "a.b",      "evil.com/", "a/b",
        "a@b", "a:1",     "\xc3\xa9", "a\n",       "x1234567890123456789012345678901234567890123456789012345678901234"};
    for (size_t i = 0; i < COUNT(good); i++)
        assert_true(vz_endpoint_region_valid(good[i]));
    for (size_t i = 0; i < COUNT(bad); i++)
        if (vz_endpoint_region_valid(bad[i]))
            fail_msg("taken for a region: %s", bad[i]);
}

static void test_endpoints(void **state)
{
    (void)state;
    static const char *const good[] = {
        "https://s3.example.com", "http://127.0.0.1:9000",           "HTTPS://Minio_1.local:443/",
        "http://[::1]:9000",      "https://x.example/storage/v1/s3", "http://a",
    };
    static const char *const bad[] = {
        "",
        "s3.example.com",
        "ftp://a",
        "https://",
        "https:///a",
        "http://a:",
        "http://a:0",
        "http://a:65536",
        "http://a:99999999999999999999",
        "http://a:1x",
        "http://user@host",
        "http://user:pass@host",
        "http://host?x=1",
        "http://host/?sig=secret",
        "http://host#x",
        "http://ho st",
        "http://host/a b",
        "http://host\r\nX: y",
        "http://[::1",
        "http://[]",
        "http://[::1]x",
        "http://h\xc3\xb6st",
        "http://host\\evil",
        "http://host/%2e",
    };
    for (size_t i = 0; i < COUNT(good); i++)
        if (!vz_endpoint_valid(good[i]))
            fail_msg("refused: %s", good[i]);
    for (size_t i = 0; i < COUNT(bad); i++)
        if (vz_endpoint_valid(bad[i]))
            fail_msg("accepted: %s", bad[i]);
    char text[1100] = "http://a/";
    memset(text + 9, 'x', 1023 - 9);
    assert_true(vz_endpoint_valid(text));
    text[1023] = 'x';
    assert_false(vz_endpoint_valid(text));
}

static void test_same_endpoint(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool same;
    } cases[] = {
        {"https://a.example", "HTTPS://A.EXAMPLE:443//", true},
        {"http://a", "http://a:80/", true},
        {"http://[::1]:9000", "http://[::1]:9000", true},
        {"http://a", "https://a", false},
        {"http://a:443", "https://a", false},
        {"https://a", "https://a:444", false},
        {"https://a", "https://ab", false},
        {"https://a.example", "https://a.example.evil.org", false},
        {"https://a/x", "https://a/x/", true},
        {"https://a/x", "https://a/X", false},
        {"https://a/x", "https://a/xy", false},
        {"https://a", "https://u@a", false},
        {"nothing", "nothing", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        if (vz_endpoint_same(cases[i].a, cases[i].b) != cases[i].same ||
            vz_endpoint_same(cases[i].b, cases[i].a) != cases[i].same)
            fail_msg("%s, %s", cases[i].a, cases[i].b);
}

static void test_reach_of_doorway(void **state)
{
    (void)state;
    static const char own[] = "https://minio.example", other[] = "https://evil.example";
    static const struct {
        vz_option_doorways doorways;
        const char *option, *settings, *redirect;
        bool owned;
        vz_reach expected;
    } cases[] = {
        /* nobody said that redirect files may lead away */
        {VZ_DOORWAYS_BELOW, "", NULL, NULL, false, VZ_REACH_REFUSED},
        {VZ_DOORWAYS_BELOW, own, NULL, own, false, VZ_REACH_REFUSED},
        {VZ_DOORWAYS_BELOW, "", NULL, NULL, true, VZ_REACH_ANONYMOUS},
        {VZ_DOORWAYS_BELOW, own, own, own, true, VZ_REACH_ANONYMOUS},
        {VZ_DOORWAYS_BELOW, "", NULL, other, true, VZ_REACH_ANONYMOUS},
        /* the user did: credentials go where his own settings lead, and nowhere else */
        {VZ_DOORWAYS_ANYWHERE, "", NULL, NULL, false, VZ_REACH_OWN},
        {VZ_DOORWAYS_ANYWHERE, own, NULL, "", false, VZ_REACH_OWN},
        {VZ_DOORWAYS_ANYWHERE, own, NULL, own, false, VZ_REACH_OWN},
        {VZ_DOORWAYS_ANYWHERE, "", own, own, false, VZ_REACH_OWN},
        {VZ_DOORWAYS_ANYWHERE, "", own, other, true, VZ_REACH_ANONYMOUS},
        {VZ_DOORWAYS_ANYWHERE, own, NULL, other, true, VZ_REACH_ANONYMOUS},
        {VZ_DOORWAYS_ANYWHERE, "", NULL, other, true, VZ_REACH_ANONYMOUS},
        {VZ_DOORWAYS_ANYWHERE, own, NULL, "http://minio.example", true, VZ_REACH_ANONYMOUS},
        /* the option counts before the settings, so what they name is then nobody's choice */
        {VZ_DOORWAYS_ANYWHERE, own, other, other, true, VZ_REACH_ANONYMOUS},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const vz_options user = {.doorways = cases[i].doorways, .endpoint = cases[i].option};
        if (vz_reach_of(&user, cases[i].settings, cases[i].redirect, cases[i].owned) != cases[i].expected)
            fail_msg("case %zu", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_endpoints),
        cmocka_unit_test(test_same_endpoint),
        cmocka_unit_test(test_reach_of_doorway),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
