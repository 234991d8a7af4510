/* AWS's files with profiles: what counts where, what is refused, and that refusals repeat nothing. */
#include "net/http/http.h"
#include "net/auth/settings_internal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char credentials[] = "\xEF\xBB\xBF# the file of keys\n"
                                  "[default]\n"
                                  "aws_access_key_id = AKID\r\n"
                                  "aws_secret_access_key=se/cret+=\n"
                                  "\n"
                                  "[my lab] ; of the third floor\n"
                                  "  aws_access_key_id\t=\tLAB \n"
                                  "[default]\n"
                                  "region = from-credentials\n"
                                  "empty =\n";
static const char config[] = "[default]\n"
                             "region = bare\n"
                             "only_bare = 1\n"
                             "[profile default]\n"
                             "region = from-config\n"
                             "output = json # a comment\n"
                             "hash = a#b;c\n"
                             "; another one\n"
                             "   # and one more\n"
                             "[profile \"two words\"]\n"
                             "Role_ARN = arn:aws:iam::1:role/x\n"
                             "s3 =\n"
                             "    addressing_style = path\n"
                             "    Endpoint_URL = http://a\n"
                             "after = 1\n"
                             "long = a\n"
                             "   b = c\n"
                             "\n"
                             "   d\n"
                             "credential_process = \"/a b/tool\" --x ';' #y ;z\n"
                             "[sso-session corp]\n"
                             "sso_region = eu-west-1\n"
                             "[services local]\n"
                             "s3 = \n"
                             "  endpoint_url = http://s3\n"
                             "[something else]\n"
                             "this is = ignored\n"
                             "and this is no setting\n"
                             "[profile last]\n"
                             "a = 1\n"
                             "a = 2";

static void test_settings(void **state)
{
    (void)state;
    static const struct {
        vz_auth_section kind;
        const char *section, *name, *value;
    } cases[] = {
        {VZ_SECTION_PROFILE, "default", "aws_access_key_id", "AKID"},
        {VZ_SECTION_PROFILE, "default", "aws_secret_access_key", "se/cret+="},
        {VZ_SECTION_PROFILE, "default", "region", "from-credentials"},
        {VZ_SECTION_PROFILE, "default", "output", "json"},
        {VZ_SECTION_PROFILE, "default", "hash", "a#b;c"},
        {VZ_SECTION_PROFILE, "default", "empty", ""},
        {VZ_SECTION_PROFILE, "default", "only_bare", NULL},
        {VZ_SECTION_PROFILE, "my lab", "aws_access_key_id", "LAB"},
        {VZ_SECTION_PROFILE, "two words", "role_arn", "arn:aws:iam::1:role/x"},
        {VZ_SECTION_PROFILE, "two words", "s3", ""},
        {VZ_SECTION_PROFILE, "two words", "s3.addressing_style", "path"},
        {VZ_SECTION_PROFILE, "two words", "s3.endpoint_url", "http://a"},
        {VZ_SECTION_PROFILE, "two words", "after", "1"},
        {VZ_SECTION_PROFILE, "two words", "long", "a\nb = c\nd"},
        {VZ_SECTION_PROFILE, "two words", "credential_process", "\"/a b/tool\" --x ';' #y ;z"},
        {VZ_SECTION_PROFILE, "last", "a", "2"},
        {VZ_SECTION_PROFILE, "corp", "sso_region", NULL},
        {VZ_SECTION_SSO_SESSION, "corp", "sso_region", "eu-west-1"},
        {VZ_SECTION_SERVICES, "local", "s3.endpoint_url", "http://s3"},
        {VZ_SECTION_PROFILE, "something else", "this is", NULL},
        {VZ_SECTION_PROFILE, "Default", "region", NULL},
    };
    vz_error err = VZ_ERROR_NONE;
    vz_profiles *profiles = vz_profiles_parse(vz_net_bytes_of(credentials), vz_net_bytes_of(config), &err);
    if (!profiles)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *value = vz_profiles_get(profiles, cases[i].kind, cases[i].section, cases[i].name);
        if (!cases[i].value != !value || (value && strcmp(value, cases[i].value) != 0))
            fail_msg("%s, %s: %s", cases[i].section, cases[i].name, value ? value : "(none)");
    }
    assert_true(vz_profiles_has(profiles, VZ_SECTION_PROFILE, "last"));
    assert_false(vz_profiles_has(profiles, VZ_SECTION_PROFILE, "something else"));
    assert_false(vz_profiles_has(profiles, VZ_SECTION_PROFILE, "corp"));
    vz_profiles_free(profiles);
}

/* [default] of the config counts where there is no [profile default]. */
static void test_bare_default(void **state)
{
    (void)state;
    vz_profiles *profiles =
        vz_profiles_parse((vz_bytes){NULL, 0}, vz_net_bytes_of("[default]\nregion=x\n[a]\nb=c\n"), NULL);
    assert_non_null(profiles);
    assert_string_equal(vz_profiles_get(profiles, VZ_SECTION_PROFILE, "default", "region"), "x");
    assert_false(vz_profiles_has(profiles, VZ_SECTION_PROFILE, "a"));
    vz_profiles_free(profiles);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *line;
        size_t size;
    } cases[] = {
        {"[a]\nb = 1\nhunter2\n", "line 3", 0},
        {"hunter2 = 1\n", "line 1", 0},
        {"[hunter2\n", "line 1", 0},
        {"\n[]\n", "line 2", 0},
        {"[a]\n= hunter2\n", "line 2", 0},
        {"[a]\nhunter2 = \0 1\n", "line 2", 17},
        {"[a]\ns3 =\n  hunter2\n", "line 3", 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        vz_error err = VZ_ERROR_NONE;
        const vz_bytes text = {(const uint8_t *)cases[i].text, cases[i].size ? cases[i].size : strlen(cases[i].text)};
        assert_null(vz_profiles_parse(text, (vz_bytes){NULL, 0}, &err));
        assert_int_equal(err.class, VZ_INVALID);
        assert_null(strstr(err.text, "hunter2"));
        assert_non_null(strstr(err.text, cases[i].line));
    }
}

static void test_files(void **state)
{
    (void)state;
    char path[] = "/tmp/vz-profile-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0 && write(file, credentials, strlen(credentials)) > 0);
    vz_error err = VZ_ERROR_NONE;
    vz_profiles *profiles = vz_profiles_load(path, "/nowhere/at/all", &err);
    assert_non_null(profiles);
    assert_string_equal(vz_profiles_get(profiles, VZ_SECTION_PROFILE, "default", "aws_access_key_id"), "AKID");
    vz_profiles_free(profiles);
    profiles = vz_profiles_load(NULL, NULL, &err);
    assert_non_null(profiles);
    vz_profiles_free(profiles);
    assert_null(vz_profiles_load("/tmp", NULL, &err)); /* a directory */
    assert_int_not_equal(err.class, VZ_OK);
    err = VZ_ERROR_NONE;
    assert_int_equal(ftruncate(file, VZ_PROFILE_FILE_MAX + 1), 0);
    assert_null(vz_profiles_load(NULL, path, &err));
    assert_int_equal(err.class, VZ_LIMIT);
    close(file);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_bare_default),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
