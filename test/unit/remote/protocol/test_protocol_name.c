/* test_protocol_name.c - remote names, in all the forms in which programs hand them on. */
#include "remote/protocol/remote_internal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct spelling {
    const char *text, *printed; /* printed NULL: it is no such name */
    bool is_url;
} spelling;

static const spelling spellings[] = {
    {"s3://b/x.zarr", "s3://b/x.zarr", true},
    {"s3:/b/x.zarr", "s3://b/x.zarr", false},
    {"/cwd/s3:/b/x.zarr", "s3://b/x.zarr", false},
    {"/a/deep/one/s3:/b/x.zarr", "s3://b/x.zarr", false},
    {"here/s3:/b/x.zarr", "s3://b/x.zarr", false},
    {"zarr+s3://b/x.zarr", "s3://b/x.zarr", true},
    {"zarr+s3:/b/x.zarr", "s3://b/x.zarr", false},
    {"/cwd/zarr+s3:/b/x.zarr", "s3://b/x.zarr", false},
    {"s3://b/x.zarr/", "s3://b/x.zarr", true},
    {"s3://b//x.zarr//g/", "s3://b/x.zarr/g", true},
    {"s3://b", "s3://b", true},
    {"s3://b/", "s3://b", true},
    {"s3:/", "s3://", false},
    {"s3://", "s3://", true},
    {"s3://b/with blank/and%20percent/\xc3\xa4", "s3://b/with blank/and%20percent/\xc3\xa4", true},
    {"s3://b/year=2024/a:b?c#d", "s3://b/year=2024/a:b?c#d", true},
    {"gs://b/x.zarr", "gs://b/x.zarr", true},
    {"/cwd/gs:/b/x.zarr", "gs://b/x.zarr", false},
    {"zarr+gs://b/x.zarr", "gs://b/x.zarr", true},
    {"gcs://b/x.zarr", "gs://b/x.zarr", true},
    {"/cwd/gcs:/b/x.zarr", "gs://b/x.zarr", false},
    {"abfs://c/x.zarr", "az://c/x.zarr", true},
    {"abfss://c@a.dfs.core.windows.net/x", "az://c@a.blob.core.windows.net/x", true},
    {"azure://c/x.zarr", "az://c/x.zarr", true},
    {"az://c/x.zarr", "az://c/x.zarr", true},
    {"/cwd/az:/c/x.zarr", "az://c/x.zarr", false},
    {"zarr+az://c/x.zarr", "az://c/x.zarr", true},
    {"az://c@account/x.zarr", "az://c@account/x.zarr", true},
    {"/cwd/az:/c@a.blob.core.windows.net/x", "az://c@a.blob.core.windows.net/x", false},
    {"az://$web/x?y", "az://$web/x?y", true},
    {"http://host:8080/x.zarr", "http://host:8080/x.zarr", true},
    {"http:/host/x.zarr", "http://host/x.zarr", false},
    {"https://host/x.zarr/", "https://host/x.zarr", true},
    {"https:/host/x.zarr", "https://host/x.zarr", false},
    {"/cwd/https:/host/x.zarr", "https://host/x.zarr", false},
    {"zarr+https://host/x.zarr", "https://host/x.zarr", true},
    {"/cwd/zarr+http:/host/x.zarr", "http://host/x.zarr", false},
    {"https://host/with blank/%20/\xc3\xa4", "https://host/with%20blank/%20/%C3%A4", true},
    {"http://[::1]:9000/x", "http://[::1]:9000/x", true},
    {"https://user:secret@host/x.zarr?sig=secret#part", "https://host/x.zarr", true},
    {"https://host?sig=secret", "https://host", true},
    {"x.zarr", NULL},
    {"/data/s3/x.zarr", NULL},
    {"s3", NULL},
    {"s3:", NULL},
    {"s3:x", NULL},
    {"/data/as3:/b", NULL},
    {"/data/s3:b/x", NULL},
    {"ftp://host/x.zarr", NULL},
    {"S3://b/x", NULL},
    {"file:///x", NULL},
};

static void test_spellings(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(spellings); i++) {
        const spelling *s = &spellings[i];
        vz_error err = VZ_ERROR_NONE;
        vz_remote_name name;
        print_message("%s\n", s->text);
        assert_int_equal(vz_remote_name_is(s->text), s->printed != NULL);
        assert_int_equal(vz_remote_name_parse(s->text, &name, &err), s->printed != NULL);
        if (s->printed) {
            char *printed = vz_remote_name_print(&name, false, &err);
            assert_string_equal(printed, s->printed);
            assert_int_equal(name.is_url, s->is_url);
            free(printed);
        }
        vz_remote_name_clear(&name);
    }
}

static void test_parts(void **state)
{
    vz_remote_name name;
    vz_error err = VZ_ERROR_NONE;
    (void)state;
    assert_true(vz_remote_name_parse("/cwd/https:/user:secret@host:99/a/b.zarr/?x=1&y=2#z", &name, &err));
    assert_int_equal(name.scheme, VZ_SCHEME_HTTPS);
    assert_string_equal(name.account, "user:secret");
    assert_string_equal(name.place, "host:99");
    assert_string_equal(name.key, "a/b.zarr");
    assert_string_equal(name.query, "x=1&y=2");
    char *whole = vz_remote_name_print(&name, true, &err);
    assert_string_equal(whole, "https://user:secret@host:99/a/b.zarr?x=1&y=2");
    free(whole);
    vz_remote_name_clear(&name);
}

static void assert_refused(const char *text, vz_error_class class)
{
    vz_remote_name name;
    vz_error err = VZ_ERROR_NONE;
    print_message("%.40s\n", text);
    assert_true(vz_remote_name_is(text));
    assert_false(vz_remote_name_parse(text, &name, &err));
    assert_int_equal(err.class, class);
    assert_null(strstr(err.text, "secret"));
    vz_remote_name_clear(&name);
}

static void test_refused(void **state)
{
    char longest[VZ_REMOTE_KEY_MAX + 16];
    vz_remote_name name;
    (void)state;
    assert_refused("s3://b/../other/x", VZ_INVALID);
    assert_refused("s3://b/x/.", VZ_INVALID);
    assert_refused("https://host/../x", VZ_INVALID);
    assert_refused("s3://b u/x", VZ_INVALID);
    assert_refused("s3://user:secret@b/x", VZ_INVALID);
    assert_refused("s3://b@secret/x", VZ_INVALID);
    assert_refused("az://c@a:secret/x", VZ_INVALID);
    assert_refused("az://c@a@secret/x", VZ_INVALID);
    assert_refused("az://@secret/x", VZ_INVALID);
    assert_refused("az://secret@/x", VZ_INVALID);
    assert_refused("http://user:secret@ho\"st/x", VZ_INVALID);
    assert_refused("http://ho%73t/x", VZ_INVALID);
    memset(longest, 'k', sizeof longest);
    memcpy(longest, "s3://b/", 7);
    longest[7 + VZ_REMOTE_KEY_MAX] = '\0';
    assert_true(vz_remote_name_parse(longest, &name, NULL));
    vz_remote_name_clear(&name);
    longest[7 + VZ_REMOTE_KEY_MAX] = 'k';
    longest[8 + VZ_REMOTE_KEY_MAX] = '\0';
    assert_refused(longest, VZ_LIMIT);
}

static void assert_decoded(const char *text, bool plus, const char *expected)
{
    char copy[64];
    snprintf(copy, sizeof copy, "%s", text);
    assert_int_equal(vz_remote_url_decode(copy, plus), strlen(expected));
    assert_string_equal(copy, expected);
}

static void test_decode(void **state)
{
    (void)state;
    assert_decoded("a%2Fb+c%", false, "a/b+c%");
    assert_decoded("a%2fb+c%4", true, "a/b c%4");
    assert_decoded("%zz%C3%A4", true, "%zz\xc3\xa4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_decode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
