/* What answers and files say of credentials: times, JSON, XML, command lines; and that messages repeat nothing. */
#include "net/auth/auth_internal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define SECRET       "hunter2SECRET"

static void test_times(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t expected; /* -1: none */
    } cases[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"2015-08-30T12:36:00Z", 1440938160},
        {"2015-08-30T12:36:00.123456Z", 1440938160},
        {"2015-08-30t12:36:00z", 1440938160},
        {"2015-08-30T12:36:00UTC", 1440938160},
        {"2015-08-30T12:36:00+00:00", 1440938160},
        {"2015-08-30T14:36:00+02:00", 1440938160},
        {"2015-08-30T07:06:00-0530", 1440938160},
        {"2038-01-19T03:14:08Z", 2147483648},
        {"9999-12-31T23:59:59Z", 253402300799},
        {"", -1},
        {"now", -1},
        {"2015-08-30", -1},
        {"2015-08-30T12:36:00", -1},
        {"2015-13-30T12:36:00Z", -1},
        {"2015-08-32T12:36:00Z", -1},
        {"2015-08-30T25:36:00Z", -1},
        {"2015-08-30T12:36:00Zx", -1},
        {"1440938160", -1},
        {"2015-08-30T12:36:00+1", -1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t time = -1;
        const bool ok = vz_auth_time_parse(cases[i].text, &time);
        if (ok != (cases[i].expected >= 0) || (ok && time != cases[i].expected))
            fail_msg("%s: %lld", cases[i].text, (long long)time);
    }
}

static const vz_auth_keys_names names = {NULL, "AccessKeyId", "SecretAccessKey", "Token", "Expiration", false};
static const vz_auth_keys_names nested = {"roleCredentials", "accessKeyId", "secretAccessKey",
                                          "sessionToken",    "expiration",  true};

static void test_json(void **state)
{
    (void)state;
    static const struct {
        const vz_auth_keys_names *names;
        const char *text;
        vz_error_class class;
    } cases[] = {
        {&names, "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"" SECRET "\"}", VZ_OK},
        {&names, "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"" SECRET "\",\"Token\":null,\"Expiration\":null}",
         VZ_OK},
        {&names,
         "{\"Code\":\"Success\",\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"" SECRET
         "\",\"Token\":\"T\",\"Expiration\":\"2999-01-01T00:00:00Z\"}",
         VZ_OK},
        {&names, "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"" SECRET "\",\"Expiration\":\"2001-01-01T00:00:00Z\"}",
         VZ_PERMISSION},
        {&names, "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"" SECRET "\",\"Expiration\":\"soon\"}", VZ_CORRUPT},
        {&names, "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"" SECRET "\",\"Expiration\":17}", VZ_CORRUPT},
        {&names, "{\"AccessKeyId\":\"A\"}", VZ_CORRUPT},
        {&names, "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":7}", VZ_CORRUPT},
        {&names, "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"" SECRET "\\nX: y\"}", VZ_INVALID},
        {&names, "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"\"}", VZ_INVALID},
        {&names, "{\"AccessKeyId\":\"A b\",\"SecretAccessKey\":\"" SECRET "\"}", VZ_INVALID},
        {&names, "{\"AccessKeyId\":\"A\\u0000b\",\"SecretAccessKey\":\"" SECRET "\"}", VZ_CORRUPT},
        {&names, "<html>" SECRET "</html>", VZ_CORRUPT},
        {&names, "", VZ_CORRUPT},
        {&names, "[]", VZ_CORRUPT},
        {&names, "\"" SECRET "\"", VZ_CORRUPT},
        {&nested,
         "{\"roleCredentials\":{\"accessKeyId\":\"A\",\"secretAccessKey\":\"" SECRET
         "\",\"sessionToken\":\"T\",\"expiration\":32472144000000}}",
         VZ_OK},
        {&nested,
         "{\"roleCredentials\":{\"accessKeyId\":\"A\",\"secretAccessKey\":\"" SECRET "\",\"expiration\":\"x\"}}",
         VZ_CORRUPT},
        {&nested, "{\"accessKeyId\":\"A\",\"secretAccessKey\":\"" SECRET "\",\"expiration\":32472144000000}",
         VZ_CORRUPT},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        vz_auth_keys keys = {0};
        vz_error err = VZ_ERROR_NONE;
        const bool ok = vz_auth_keys_from_json(vz_net_bytes_of(cases[i].text), cases[i].names, "the test", &keys, &err);
        if (ok != (cases[i].class == VZ_OK) || err.class != cases[i].class)
            fail_msg("%s: %d, %s", cases[i].text, err.class, err.text);
        assert_null(strstr(err.text, SECRET));
        if (ok) {
            assert_string_equal(keys.access_key, "A");
            assert_string_equal(keys.secret_key, SECRET);
        } else {
            assert_null(keys.access_key);
            assert_null(keys.secret_key);
        }
        vz_auth_keys_clear(&keys);
    }
}

#define STS(token, expires)                                                                                            \
    "<AssumeRoleResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><AssumeRoleResult><Credentials>"          \
    "<AccessKeyId>A</AccessKeyId>\n<SecretAccessKey>" SECRET "</SecretAccessKey><SessionToken>" token                  \
    "</SessionToken><Expiration>" expires "</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>"

static void test_xml(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        vz_error_class class;
    } cases[] = {
        {STS("T&amp;&lt;&gt;&quot;&apos;", "2999-01-01T00:00:00Z"), VZ_OK},
        {STS("T", "2001-01-01T00:00:00Z"), VZ_PERMISSION},
        {STS("T", "x"), VZ_CORRUPT},
        {STS("", "2999-01-01T00:00:00Z"), VZ_CORRUPT},
        {STS("T&unknown;", "2999-01-01T00:00:00Z"), VZ_CORRUPT},
        {STS("T\r\nX: y", "2999-01-01T00:00:00Z"), VZ_INVALID},
        {"<html><body>" SECRET "</body></html>", VZ_CORRUPT},
        {"", VZ_CORRUPT},
        {"<AccessKeyId>", VZ_CORRUPT},
        {"<AccessKeyId>A</AccessKeyId><SecretAccessKey>" SECRET, VZ_CORRUPT},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        vz_auth_keys keys = {0};
        vz_error err = VZ_ERROR_NONE;
        const bool ok = vz_auth_keys_from_xml(vz_net_bytes_of(cases[i].text), "the test", &keys, &err);
        if (ok != (cases[i].class == VZ_OK) || err.class != cases[i].class)
            fail_msg("%s: %d, %s", cases[i].text, err.class, err.text);
        assert_null(strstr(err.text, SECRET));
        if (ok)
            assert_string_equal(keys.token, "T&<>\"'");
        vz_auth_keys_clear(&keys);
    }
}

/* As a shell splits, but that nothing else of a shell is there. */
static void test_words(void **state)
{
    (void)state;
    static const struct {
        const char *command;
        const char *words[6];
    } cases[] = {
        {"a", {"a"}},
        {"  /bin/x \t y\n", {"/bin/x", "y"}},
        {"\"/a b/x\" 'c d' e\\ f", {"/a b/x", "c d", "e f"}},
        {"a \"q\\\"r\\\\s\\n\" '\\'", {"a", "q\"r\\s\\n", "\\"}},
        {"a b\"c\"'d'", {"a", "bcd"}},
        {"a '' \"\"", {"a", "", ""}},
        {"a $(id) `id` ;id |id >x", {"a", "$(id)", "`id`", ";id", "|id"}},
        {"a ~ * $HOME", {"a", "~", "*", "$HOME"}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char **words = vz_auth_process_words(cases[i].command, NULL);
        assert_non_null(words);
        for (size_t k = 0; cases[i].words[k]; k++)
            if (!words[k] || strcmp(words[k], cases[i].words[k]) != 0)
                fail_msg("%s: %zu is %s", cases[i].command, k, words[k] ? words[k] : "(none)");
        free(words);
    }
    static const char *const bad[] = {"", "  ", "a 'b", "a \"b", "\""};
    for (size_t i = 0; i < COUNT(bad); i++) {
        vz_error err = VZ_ERROR_NONE;
        assert_null(vz_auth_process_words(bad[i], &err));
        assert_int_equal(err.class, VZ_INVALID);
    }
    char many[1000];
    memset(many, ' ', sizeof many);
    for (size_t i = 0; i < sizeof many; i += 2)
        many[i] = 'x';
    many[sizeof many - 1] = '\0';
    vz_error err = VZ_ERROR_NONE;
    assert_null(vz_auth_process_words(many, &err));
    assert_int_equal(err.class, VZ_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_xml),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
