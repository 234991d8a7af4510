/* Signature Version 4 against AWS's published vectors, and against botocore for keys and parameters that are hard to
 * encode (make_sigv4_cases.py). */
#include "net/http/http.h"
#include "net/auth/sign_internal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct sigv4_case {
    const char *name;
    struct {
        const char *access_key, *secret_key, *region, *service, *time;
    } scope;
    const char *method, *url, *headers[8], *payload; /* asked */
    const char *canonical, *names, *signature;       /* expected */
};

#include "net_sigv4_cases.h"

static vz_sigv4_request request_of(const struct sigv4_case *c)
{
    vz_sigv4_request request = {.method = c->method, .url = c->url, .headers = c->headers, .payload = c->payload};
    while (c->headers[request.header_count])
        request.header_count++;
    return request;
}

static void test_vectors(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(sigv4_cases); i++) {
        const struct sigv4_case *c = &sigv4_cases[i];
        vz_buffer canonical = {0}, names = {0}, authorization = {0};
        vz_error err = VZ_ERROR_NONE;
        const vz_sigv4_request request = request_of(c);
        vz_sigv4_scope scope = {c->scope.access_key, c->scope.secret_key, c->scope.region, c->scope.service, ""};
        strcpy(scope.time, c->scope.time);
        assert_true(vz_sigv4_canonical(&request, &canonical, &names, &err));
        assert_true(vz_buffer_append(&canonical, "", 1, &err) && vz_buffer_append(&names, "", 1, &err));
        if (strcmp((const char *)canonical.data, c->canonical) != 0)
            fail_msg("%s:\n%s\ninstead of\n%s", c->name, (const char *)canonical.data, c->canonical);
        assert_string_equal((const char *)names.data, c->names);
        assert_true(vz_sigv4_authorize(&request, &scope, &authorization, &err));
        assert_true(vz_buffer_append(&authorization, "", 1, &err));
        char expected[1024];
        snprintf(expected, sizeof expected,
                 "AWS4-HMAC-SHA256 Credential=%s/%.8s/%s/%s/aws4_request, SignedHeaders=%s, "
                 "Signature=%s",
                 c->scope.access_key, c->scope.time, c->scope.region, c->scope.service, c->names, c->signature);
        if (strcmp((const char *)authorization.data, expected) != 0)
            fail_msg("%s:\n%s\ninstead of\n%s", c->name, (const char *)authorization.data, expected);
        vz_buffer_clear(&canonical);
        vz_buffer_clear(&names);
        vz_buffer_clear(&authorization);
    }
}

/* What proxies change is not signed; the host stands there without a port that is the scheme's own. */
static void test_headers(void **state)
{
    (void)state;
    static const struct {
        const char *url, *host;
    } cases[] = {
        {"https://h:443/", "host:h\n"},
        {"http://h:80/", "host:h\n"},
        {"https://h:80/", "host:h:80\n"},
        {"http://h:443/x", "host:h:443\n"},
        {"HTTP://[::1]:9000/?a", "host:[::1]:9000\n"},
        {"https://h?x#y", "host:h\n"},
    };
    static const char *const headers[] = {"User-Agent: x",        "accept-encoding: identity", "Connection: close",
                                          "Expect: 100-continue", "Authorization: y",          "Content-Length: 5"};
    for (size_t i = 0; i < COUNT(cases); i++) {
        vz_buffer canonical = {0}, names = {0};
        const vz_sigv4_request request = {"GET", cases[i].url, headers, COUNT(headers), VZ_SIGV4_UNSIGNED};
        assert_true(vz_sigv4_canonical(&request, &canonical, &names, NULL));
        assert_true(vz_buffer_append(&canonical, "", 1, NULL) && vz_buffer_append(&names, "", 1, NULL));
        assert_string_equal((const char *)names.data, "host");
        if (!strstr((const char *)canonical.data, cases[i].host))
            fail_msg("%s: %s", cases[i].url, (const char *)canonical.data);
        vz_buffer_clear(&canonical);
        vz_buffer_clear(&names);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *url, *header;
    } cases[] = {{"ftp://h/", "a: b"},       {"https://", "a: b"},
                 {"https:///p", "a: b"},     {"h/p", "a: b"},
                 {"https://h/", "no colon"}, {"https://h/", ": b"},
                 {"https://h/", ""},         {"https://h/", "a: b\r\nHost: evil"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        vz_buffer out = {0}, names = {0};
        vz_error err = VZ_ERROR_NONE;
        const vz_sigv4_request request = {"GET", cases[i].url, &cases[i].header, 1, VZ_SIGV4_UNSIGNED};
        assert_false(vz_sigv4_canonical(&request, &out, &names, &err));
        assert_int_equal(err.class, VZ_INVALID);
        vz_buffer_clear(&out);
        vz_buffer_clear(&names);
    }
}

static void test_digests(void **state)
{
    (void)state;
    char hex[VZ_SHA256_HEX_SIZE];
    uint8_t md5[16];
    assert_true(vz_sha256_hex((vz_bytes){NULL, 0}, hex, NULL));
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_true(vz_sha1_hex(vz_net_bytes_of("abc"), hex, NULL));
    assert_string_equal(hex, "a9993e364706816aba3e25717850c26c9cd0d89d");
    assert_true(vz_md5(vz_net_bytes_of("abc"), md5, NULL));
    vz_hex(md5, sizeof md5, hex);
    assert_string_equal(hex, "900150983cd24fb0d6963f7d28e17f72");
    uint8_t mac[VZ_SHA256_SIZE]; /* RFC 4231, case 2 */
    assert_true(vz_hmac_sha256(vz_net_bytes_of("Jefe"), vz_net_bytes_of("what do ya want for nothing?"), mac, NULL));
    vz_hex(mac, sizeof mac, hex);
    assert_string_equal(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    char time[17];
    vz_sigv4_time(1440938160, time);
    assert_string_equal(time, "20150830T123600Z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_digests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
