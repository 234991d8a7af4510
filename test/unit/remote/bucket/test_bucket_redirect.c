/* Doorways to remote stores: which are followed, to which server, and with whose credentials. What the
 * engine is told of the account tells. */
#include "store/store/kind.h"
#include "base/os/process.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include "remote_support.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define OWN          "https://own.example"
#define OTHER        "https://other.example"

static char path[64];
static char endpoint[256], profile[64];
static bool asked, anonymous;

static vz_net_account *open_account(const vz_net_account_options *options, vz_error *err)
{
    asked = true;
    anonymous = options->anonymous;
    snprintf(endpoint, sizeof endpoint, "%s", options->endpoint);
    snprintf(profile, sizeof profile, "%s", options->profile);
    return mock_account_open(options, err);
}

/* A doorway that says that, of somebody else if it is not own. */
static void make(const char *text, bool own)
{
    uint8_t block[VZ_SIGNATURE_BLOCK_SIZE];
    const vz_bytes start = vz_signature_print(VZ_SIGNATURE_REDIRECT, block);
    unlink(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(start.data, 1, start.size, file);
    fprintf(file, "%s\n", text);
    fclose(file);
    if (!own)
        assert_int_equal(chown(path, 12345, (gid_t)-1), 0);
}

static const struct doorway_case {
    const char *text;
    bool own;
    const char *user; /* options */
    vz_error_class class;
    const char *said;     /* when it is not followed */
    const char *endpoint; /* when it is */
    bool anonymous;
} cases[] = {
    {"{\"store\":\"s3://bucket/x.zarr\"}", true, "", VZ_OK, NULL, "", true},
    {"{\"store\":\"s3://bucket/x.zarr\"}", true, "endpoint=" OWN, VZ_OK, NULL, OWN, true},
    {"{\"store\":\"s3://bucket/x.zarr\"}", false, "", VZ_PERMISSION, "doorways=anywhere"},
    {"{\"store\":\"https://host/x.zarr\"}", false, "", VZ_PERMISSION, "doorways=anywhere"},
    {"{\"store\":\"s3://bucket/x.zarr\"}", false, "doorways=anywhere", VZ_OK, NULL, "", false},
    {"{\"store\":\"s3://bucket/x.zarr\"}", false, "doorways=anywhere;anonymous=1", VZ_OK, NULL, "", true},
    {"{\"store\":\"zarr+s3://bucket/x.zarr\",\"options\":\"region=r-1\"}", false, "doorways=anywhere", VZ_OK, NULL, "",
     false},
    {"{\"store\":\"s3://bucket/x.zarr\",\"options\":\"endpoint=" OTHER "\"}", false, "doorways=anywhere", VZ_OK, NULL,
     OTHER, true},
    {"{\"store\":\"s3://bucket/x.zarr\",\"options\":\"endpoint=" OTHER "\"}", true, "doorways=anywhere;endpoint=" OWN,
     VZ_OK, NULL, OTHER, true},
    {"{\"store\":\"s3://bucket/x.zarr\",\"options\":\"endpoint=" OWN "\"}", false, "doorways=anywhere;endpoint=" OWN,
     VZ_OK, NULL, OWN, false},
    {"{\"store\":\"s3://bucket/x.zarr\",\"options\":\"endpoint=" OTHER "\"}", true, "", VZ_OK, NULL, OTHER, true},
    /* what is said cannot be taken back */
    {"{\"store\":\"s3://bucket/x.zarr\",\"options\":\"anonymous=0\"}", true, "", VZ_OK, NULL, "", true},
    {"{\"store\":\"s3://bucket/x.zarr\",\"options\":\"anonymous=0\"}", false, "doorways=anywhere;anonymous=1", VZ_OK,
     NULL, "", true},
    {"{\"store\":\"s3://bucket/x.zarr\",\"options\":\"anonymous=1\"}", false, "doorways=anywhere", VZ_OK, NULL, "",
     true},
    {"{\"store\":\"s3://bucket/x.zarr\",\"options\":\"doorways=anywhere\"}", false, "", VZ_PERMISSION, "doorways"},
    {"{\"store\":\"s3://bucket/x.zarr\",\"options\":\"profile=admin\"}", true, "doorways=anywhere", VZ_PERMISSION,
     "profile"},
    {"{\"store\":\"s3://bucket/x.zarr\",\"options\":\"endpoint=http://u:hunter2@h\"}", true, "", VZ_INVALID,
     "endpoint"},
    {"{\"store\":\"s3://bucket/x.zarr\",\"options\":7}", true, "", VZ_CORRUPT, "options"},
    {"{\"store\":\"https://u:hunter2@host/x.zarr\"}", true, "", VZ_PERMISSION, "credentials"},
    {"{\"store\":\"https://host/x.zarr?sig=hunter2\"}", true, "", VZ_PERMISSION, "credentials"},
    {"{\"store\":\"ftp://host/x.zarr\"}", true, "doorways=anywhere", VZ_UNSUPPORTED, "remote stores"},
    {"{\"store\":\"file:///etc\"}", true, "doorways=anywhere", VZ_UNSUPPORTED, "remote stores"},
    {"{\"store\":\"s3://bucket\"}", true, "", VZ_NOT_FOUND, "bucket as a whole"},
};

static void check(const struct doorway_case *c)
{
    vz_location location;
    vz_error err = VZ_ERROR_NONE;
    make(c->text, c->own);
    mock_clear();
    vz_options_init(&remote_options, vz_os_environment_all(), NULL);
    assert_true(vz_options_parse(&remote_options, c->user, NULL));
    vz_bucket_use(&remote_options);
    asked = false;
    assert_true(vz_location_find(path, &location, &err));
    if (location.why.class != c->class || !location.store != (c->class != VZ_OK))
        fail_msg("%s, %s: %d, %s", c->text, c->user, location.why.class, location.why.text);
    char message[1024];
    vz_error_where(&location.why, vz_location_label(&location), NULL);
    vz_error_message(&location.why, message, sizeof message);
    assert_null(strstr(message, "hunter2"));
    if (c->said && !strstr(message, c->said))
        fail_msg("%s, %s: %s", c->text, c->user, message);
    if (c->class == VZ_PERMISSION || c->class == VZ_UNSUPPORTED)
        assert_false(asked);
    if (c->class == VZ_OK && (strcmp(endpoint, c->endpoint) != 0 || anonymous != c->anonymous))
        fail_msg("%s, %s: at \"%s\", %s", c->text, c->user, endpoint, anonymous ? "anonymous" : "with credentials");
    vz_location_clear(&location);
}

static void test_cases(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip(); /* nobody else gives files away */
    for (size_t i = 0; i < COUNT(cases); i++)
        check(&cases[i]);
}

/* Behind the doorway a store is opened with what was looked at, never anew with the user's own credentials. */
static void test_opened_once(void **state)
{
    (void)state;
    vz_location location;
    vz_error err = VZ_ERROR_NONE;
    make("{\"store\":\"s3://bucket/x.zarr\",\"options\":\"endpoint=" OTHER "\"}", true);
    vz_options_init(&remote_options, vz_os_environment_all(), NULL);
    vz_bucket_use(&remote_options);
    assert_true(vz_location_find(path, &location, &err));
    asked = false;
    vz_store *store = vz_location_open(&location, false, &err);
    assert_non_null(store);
    assert_false(asked);
    assert_null(vz_location_open(&location, false, &err));
    assert_false(asked);
    vz_store_close(store);
    vz_location_clear(&location);
}

/* What is read without credentials is another store than what is read with them: nothing is shared. */
static void test_identity(void **state)
{
    (void)state;
    vz_location with, without;
    make("{\"store\":\"s3://bucket/x.zarr\"}", true);
    vz_options_init(&remote_options, vz_os_environment_all(), NULL);
    vz_bucket_use(&remote_options);
    assert_true(vz_location_find("s3://bucket/x.zarr", &with, NULL));
    assert_true(vz_location_find(path, &without, NULL));
    assert_true(vz_identity_is_known(&with.identity) && vz_identity_is_known(&without.identity));
    assert_false(vz_identity_equal(&with.identity, &without.identity));
    vz_location_clear(&with);
    vz_location_clear(&without);
}

int main(void)
{
    vz_store_set_kinds(vz_bucket_all_kinds);
    static vz_net_functions functions;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_opened_once),
        cmocka_unit_test(test_identity),
    };
    functions = mock_functions;
    functions.account_open = open_account;
    vz_remote_set_net(&functions);
    snprintf(path, sizeof path, P_tmpdir "/vz_far_door_%d", (int)getpid());
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
