/* Accounts: what signers add and for which hosts; credentials that are refused are renewed, once. */
#include "net/auth/auth_internal.h"
#include "net/auth/sign_internal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <cmocka.h>
#include "net_account_chain.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- what is added ---- */

static void test_signature(void **state)
{
    (void)state;
    begin(0, 0);
    refuse(0, 0, "");
    vz_net_account *account = account_at(http_url(&server, ""));
    assert_int_equal(do_request(account, http_url(&server, "/b/k=1?list-type=2&prefix=a"), "body"), 200);
    assert_non_null(strstr(seen.authorization[0], "AWS4-HMAC-SHA256 Credential=KEY1/"));
    assert_non_null(strstr(seen.authorization[0], "/eu-west-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;"
                                                  "x-amz-date;x-amz-security-token, Signature="));
    char hash[65];
    assert_true(vz_net_sha256(vz_net_bytes_of("body"), hash, NULL));
    assert_string_equal(seen.hash[0], hash);
    assert_string_equal(seen.token[0], "TOKEN");
    /* the server would come to the same signature */
    char lines[3][200];
    snprintf(lines[0], 200, "x-amz-content-sha256: %s", hash);
    snprintf(lines[1], 200, "x-amz-date: %s", seen.date[0]);
    snprintf(lines[2], 200, "x-amz-security-token: TOKEN");
    const char *const headers[] = {lines[0], lines[1], lines[2]};
    const vz_sigv4_request request = {"PUT", http_url(&server, "/b/k=1?list-type=2&prefix=a"), headers, 3, hash};
    vz_sigv4_scope scope = {"KEY1", SECRET, "eu-west-1", "s3", ""};
    memcpy(scope.time, seen.date[0], 17);
    vz_buffer expected = {0};
    assert_true(vz_sigv4_authorize(&request, &scope, &expected, NULL) && vz_buffer_append(&expected, "", 1, NULL));
    assert_string_equal(seen.authorization[0], (const char *)expected.data);
    vz_buffer_clear(&expected);
    vz_net_account_close(account);
}

static void test_anonymous(void **state)
{
    (void)state;
    begin(0, 0);
    chain.finds_nothing = true;
    refuse(1, 403, "ExpiredToken"); /* says nothing to who has none */
    vz_net_account *account = account_at(http_url(&server, ""));
    assert_int_equal(do_request(account, http_url(&server, "/b"), NULL), 403);
    assert_string_equal(seen.authorization[0], "");
    char text[100];
    assert_true(vz_net_account_source(account, text, sizeof text, NULL));
    assert_string_equal(text, "nowhere: anonymous");
    assert_int_equal(chain.calls, 1);
    vz_net_account_close(account);
}

/* To other hosts nothing is sent at all. */
static void test_hosts(void **state)
{
    (void)state;
    static const struct {
        vz_net_service service;
        const char *endpoint, *url;
    } others[] = {
        {VZ_NET_S3, NULL, "http://127.0.0.1:1/b"},
        {VZ_NET_S3, NULL, "https://amazonaws.com.evil.example/b"},
        {VZ_NET_S3, NULL, "https://evilamazonaws.com/b"},
        {VZ_NET_S3, NULL, "https://storage.googleapis.com/b"},
        {VZ_NET_GS, NULL, "https://s3.amazonaws.com/b"},
        {VZ_NET_GS, NULL, "https://evil-storage.googleapis.com/b"},
        {VZ_NET_S3, "https://minio.example", "http://minio.example/b"},
        {VZ_NET_S3, "https://minio.example", "https://minio.example:444/b"},
        {VZ_NET_S3, "https://minio.example", "https://minio.example.evil.example/b"},
        {VZ_NET_S3, "https://minio.example", "https://xminio.example/b"},
        {VZ_NET_S3, "https://minio.example", "https://s3.amazonaws.com/b"},
        {VZ_NET_S3, "http://127.0.0.1:9", "http://127.0.0.1:10/b"},
    };
    for (size_t i = 0; i < COUNT(others); i++) {
        begin(0, 0);
        vz_net_account *account = vz_net_account_open(
            &(vz_net_account_options){.service = others[i].service, .endpoint = others[i].endpoint}, NULL);
        assert_non_null(account);
        if (do_request(account, others[i].url, NULL) != -(int)VZ_PERMISSION)
            fail_msg("%s is asked with credentials for %s", others[i].url, others[i].endpoint);
        vz_net_account_close(account);
    }
    /* buckets are below the endpoint's host */
    begin(0, 0);
    vz_net_account *account = account_at("http://localhost:1/path");
    assert_int_equal(do_request(account, "http://bucket.localhost:1/k", NULL), -(int)VZ_IO);
    vz_net_account_close(account);
}

static void test_bearer(void **state)
{
    (void)state;
    begin(0, 0);
    chain.bearer = true;
    refuse(0, 0, "");
    vz_net_account *account = account_at(http_url(&server, ""));
    assert_int_equal(do_request(account, http_url(&server, "/b"), NULL), -(int)VZ_PERMISSION);
    assert_int_equal(seen.count, 0);
    vz_net_account_close(account);
}

static void test_signers(void **state)
{
    (void)state;
    begin(0, 0);
    vz_net_account *account = account_at(NULL);
    vz_net_signer *a = vz_net_account_signer(account, "a-1", NULL), *b = vz_net_account_signer(account, "b-1", NULL);
    assert_ptr_equal(a, vz_net_account_signer(account, "a-1", NULL));
    assert_ptr_not_equal(a, b);
    vz_error err = VZ_ERROR_NONE;
    assert_null(vz_net_account_signer(account, "a/b", &err));
    assert_int_equal(err.class, VZ_INVALID);
    vz_net_account_close(account);
}

/* ---- refusals ---- */

static void test_expired_in_the_middle(void **state)
{
    (void)state;
    static const struct {
        int status;
        const char *code;
    } answers[] = {{400, "ExpiredToken"}, {403, "ExpiredToken"}, {403, "ExpiredTokenException"}};
    for (size_t i = 0; i < COUNT(answers); i++) {
        begin(0, 3600);
        refuse(1, answers[i].status, answers[i].code);
        vz_net_account *account = account_at(http_url(&server, ""));
        assert_int_equal(do_request(account, http_url(&server, "/b"), "x"), 200); /* a PUT that is not repeatable */
        assert_int_equal(chain.calls, 2);
        assert_non_null(strstr(seen.authorization[0], "KEY1/"));
        assert_non_null(strstr(seen.authorization[1], "KEY2/"));
        /* once, not for ever */
        refuse(2, answers[i].status, answers[i].code);
        assert_int_equal(do_request(account, http_url(&server, "/b"), NULL), answers[i].status);
        assert_int_equal(seen.count, 2);
        assert_int_equal(chain.calls, 3);
        vz_net_account_close(account);
    }
}

static void test_other_refusals(void **state)
{
    (void)state;
    static const char *const codes[] = {"AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", ""};
    for (size_t i = 0; i < COUNT(codes); i++) {
        begin(0, 3600);
        refuse(1, 403, codes[i]);
        vz_net_account *account = account_at(http_url(&server, ""));
        assert_int_equal(do_request(account, http_url(&server, "/b"), NULL), 403);
        assert_int_equal(chain.calls, 1);
        assert_int_equal(seen.count, 1);
        vz_net_account_close(account);
    }
}

/* Renewing fails: that is what is said. */
static void test_refused_and_not_renewed(void **state)
{
    (void)state;
    begin(0, 3600);
    refuse(1, 403, "ExpiredToken");
    vz_net_account *account = account_at(http_url(&server, ""));
    assert_true(vz_net_account_source(account, (char[8]){0}, 8, NULL));
    chain.fails = true;
    assert_int_equal(do_request(account, http_url(&server, "/b"), NULL), -(int)VZ_PERMISSION);
    assert_int_equal(chain.calls, 2);
    vz_net_account_close(account);
}

static void test_wrong_clock(void **state)
{
    (void)state;
    begin(0, 0);
    refuse(1, 403, "RequestTimeTooSkewed");
    seen.skew = 7200;
    vz_net_account *account = account_at(http_url(&server, ""));
    assert_int_equal(do_request(account, http_url(&server, "/b"), NULL), 200);
    assert_int_equal(chain.calls, 1);
    char expected[17];
    vz_sigv4_time(time(NULL) + 7200, expected);
    assert_memory_equal(seen.date[1], expected, 11); /* to the hour; the minute may have changed */
    assert_string_not_equal(seen.date[0], seen.date[1]);
    vz_net_account_close(account);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signature),      cmocka_unit_test(test_anonymous),
        cmocka_unit_test(test_hosts),          cmocka_unit_test(test_bearer),
        cmocka_unit_test(test_signers),        cmocka_unit_test(test_expired_in_the_middle),
        cmocka_unit_test(test_other_refusals), cmocka_unit_test(test_refused_and_not_renewed),
        cmocka_unit_test(test_wrong_clock),
    };
    aws_make_home();
    http_open(&server, answer, NULL);
    vz_provider_set_chain(ask);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    http_close(&server);
    aws_remove_home();
    return failed;
}
