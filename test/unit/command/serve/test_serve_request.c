/* Requests as h5zarr serve understands them: heads, hosts, keys, conditions, ranges. The expected answers are those of
 * RFC 9112 and RFC 9110, and of nobody's code. */
#include "command/serve/serve_internal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static int parse(const char *text, size_t size, char *head, vz_serve_request *request)
{
    int status;
    memcpy(head, text, size);
    const size_t length = vz_serve_head_size(head, size, &status);
    if (status)
        return status;
    return length == 0 ? -1 : vz_serve_parse_request(head, length, request);
}

static int parse_text(const char *text, vz_serve_request *request)
{
    static char head[VZ_SERVE_HEAD_MAX];
    return parse(text, strlen(text), head, request);
}

#define HOST "Host: localhost\r\n"

static void test_heads_that_are_understood(void **state)
{
    (void)state;
    vz_serve_request r;
    assert_int_equal(
        parse_text("GET /a/b?c HTTP/1.1\r\nhOsT:  localhost:80 \t\r\nRange: bytes=1-2\r\nX: y\r\n\r\nGET", &r), 0);
    assert_int_equal(r.method, VZ_SERVE_GET);
    assert_string_equal(r.target, "/a/b?c");
    assert_string_equal(r.host, "localhost:80");
    assert_string_equal(r.range, "bytes=1-2");
    assert_false(r.closes);
    assert_int_equal(parse_text("HEAD / HTTP/1.1\r\n" HOST "Connection: x, Close\r\n\r\n", &r), 0);
    assert_true(r.method == VZ_SERVE_HEAD && r.closes);
    assert_int_equal(parse_text("GET / HTTP/1.0\r\n" HOST "\r\n", &r), 0);
    assert_true(r.closes);
    assert_int_equal(parse_text("GET / HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n", &r), 0);
    assert_int_equal(parse_text("POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\n", &r), 0);
    assert_true(r.method == VZ_SERVE_OTHER && r.closes);
    assert_int_equal(parse_text("get / HTTP/1.1\r\n" HOST "\r\n", &r), 0);
    assert_int_equal(r.method, VZ_SERVE_OTHER);
}

static void test_heads_that_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        int status;
    } cases[] = {
        {"GET / HTTP/1.1\r\n" HOST, -1}, /* it goes on */
        {"GET / HTTP/1.1\r\n\r\n", 400}, /* no host */
        {"GET / HTTP/1.1\r\n" HOST HOST "\r\n", 400},
        {"GET / HTTP/1.1\n" HOST "\r\n", 400},
        {"GET / HTTP/1.1\r\n" HOST " folded\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n" HOST "A\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n" HOST ": b\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n" HOST "A: \x01\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n" HOST "A: \r\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n" HOST "Content-Length: 1\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n" HOST "Content-Length: 0\r\nContent-Length: 0\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n", 501},
        {"GET /\\ HTTP/1.1\r\n" HOST "\r\n", 400},
        {"GET /\xc3\xa4 HTTP/1.1\r\n" HOST "\r\n", 400},
        {"GET  / HTTP/1.1\r\n" HOST "\r\n", 400},
        {"GET / HTTP/1.1 \r\n" HOST "\r\n", 400},
        {"GET / HTTP/2.0\r\n" HOST "\r\n", 505},
        {"GET / HTTP/1.11\r\n" HOST "\r\n", 400},
        {"GET /\r\n" HOST "\r\n", 400},
        {" / HTTP/1.1\r\n" HOST "\r\n", 400},
        {"\r\n\r\n", 400},
        {"\x16\x03\x01 hello\n", 400}, /* TLS */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vz_serve_request r;
        const int status = parse_text(cases[i].head, &r);
        if (status != cases[i].status)
            fail_msg("%s: %d, not %d", cases[i].head, status, cases[i].status);
    }
    vz_serve_request r;
    static char head[VZ_SERVE_HEAD_MAX];
    assert_int_equal(parse("GET /\0 HTTP/1.1\r\n\r\n", 19, head, &r), 400);
}

/* A head of so many bytes, or headers, or of a target of so many. */
static void test_bounds(void **state)
{
    (void)state;
    static char text[VZ_SERVE_HEAD_MAX + 1], head[VZ_SERVE_HEAD_MAX];
    vz_serve_request r;
    memset(text, 'a', sizeof text);
    assert_int_equal(parse(text, VZ_SERVE_HEAD_MAX - 1, head, &r), -1);
    assert_int_equal(parse(text, VZ_SERVE_HEAD_MAX, head, &r), 414);
    memcpy(text, "GET / HTTP/1.1\r\nA: ", 19);
    assert_int_equal(parse(text, VZ_SERVE_HEAD_MAX, head, &r), 431);
    memcpy(text + VZ_SERVE_HEAD_MAX - 21, "\r\n" HOST "\r\n", 21);
    assert_int_equal(parse(text, VZ_SERVE_HEAD_MAX, head, &r), 0);
    for (size_t extra = 0; extra < 2; extra++) {
        const int size = snprintf(text, sizeof text, "GET /%0*d HTTP/1.1\r\n" HOST "\r\n",
                                  (int)(VZ_SERVE_TARGET_MAX - 1 + extra), 0);
        assert_int_equal(parse(text, (size_t)size, head, &r), extra ? 414 : 0);
        size_t at = (size_t)snprintf(text, sizeof text, "GET / HTTP/1.1\r\n" HOST);
        for (size_t i = 0; i < VZ_SERVE_HEADERS_MAX - 1 + extra; i++)
            at += (size_t)snprintf(text + at, sizeof text - at, "A%zu: b\r\n", i);
        at += (size_t)snprintf(text + at, sizeof text - at, "\r\n");
        assert_int_equal(parse(text, at, head, &r), extra ? 431 : 0);
    }
}

static void test_hosts(void **state)
{
    (void)state;
    static const char *const here[] = {"localhost", "LocalHost:1", "127.0.0.1", "127.0.0.1:65535", "[::1]:80"};
    static const char *const elsewhere[] = {"",
                                            "evil.org",
                                            "localhost.evil.org",
                                            "localhost:",
                                            "127.0.0.1.evil.org",
                                            "127.0.0.2",
                                            "localhost:x",
                                            "localhost:80x",
                                            "x@localhost:80",
                                            "127.0.0.1:123456",
                                            "localhost ",
                                            "::1",
                                            "127.1",
                                            "0.0.0.0",
                                            "localhost."};
    for (size_t i = 0; i < sizeof here / sizeof *here; i++)
        assert_true(vz_serve_host_is_here(here[i]));
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        assert_false(vz_serve_host_is_here(elsewhere[i]));
}

static int key_of(const vz_serve_site *site, const char *target, char key[256])
{
    char copy[256];
    vz_buffer out = {0};
    snprintf(copy, sizeof copy, "%s", target);
    const int status = vz_serve_key(site, copy, &out);
    snprintf(key, 256, "%s", status ? "" : (const char *)out.data);
    vz_buffer_clear(&out);
    return status;
}

static void test_keys(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        int status;
        const char *key;
    } cases[] = {
        {"/zarr.json", 0, "zarr.json"},
        {"/a/c/0/1", 0, "a/c/0/1"},
        {"/a%20b/%C3%A4%5c", 0, "a b/\xc3\xa4\\"},
        {"/a?b/../c", 0, "a"},
        {"/...", 0, "..."},
        {"http://localhost:1/a", 0, "a"},
        {"HTTP://127.0.0.1/a", 0, "a"},
        {"http://evil.org/a", 400, ""},
        {"https://localhost/a", 400, ""},
        {"http://localhost", 400, ""},
        {"*", 400, ""},
        {"a", 400, ""},
        {"/", 404, ""},
        {"/a/", 404, ""},
        {"//a", 404, ""},
        {"/a//b", 404, ""},
        {"/../a", 400, ""},
        {"/a/..", 400, ""},
        {"/a/%2e%2E/b", 400, ""},
        {"/.%2e/b", 400, ""},
        {"/%2e", 400, ""},
        {"/./a", 400, ""},
        {"/a%2fb", 400, ""},
        {"/..%2Fb", 400, ""},
        {"/a%00b", 400, ""},
        {"/a%", 400, ""},
        {"/a%4", 400, ""},
        {"/a%4g", 400, ""},
        {"/%252e%252e/a", 0, "%2e%2e/a"},
    };
    const vz_serve_site site = {.inside = ""}, below = {.inside = "g/h"};
    char key[256];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int status = key_of(&site, cases[i].target, key);
        if (status != cases[i].status || strcmp(key, cases[i].key) != 0)
            fail_msg("%s: %d %s", cases[i].target, status, key);
    }
    assert_int_equal(key_of(&below, "/a", key), 0);
    assert_string_equal(key, "g/h/a");
    assert_int_equal(key_of(&below, "/../a", key), 400);
}

static void test_tokens(void **state)
{
    (void)state;
    const vz_serve_site site = {.inside = "", .token = "0123456789abcdef0123456789abcdef"};
    static const char *const wrong[] = {"/a",
                                        "/0123456789abcdef0123456789abcdee/a",
                                        "/0123456789abcdef0123456789abcdef",
                                        "/0123456789abcdef0123456789abcdef0/a",
                                        "//0123456789abcdef0123456789abcdef/a",
                                        "/0123456789ABCDEF0123456789abcdef/a",
                                        "/0123/a",
                                        "/"};
    char key[256];
    assert_int_equal(key_of(&site, "/0123456789abcdef0123456789abcdef/a/b", key), 0);
    assert_string_equal(key, "a/b");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(key_of(&site, wrong[i], key), 404);
}

static void test_ranges(void **state)
{
    (void)state;
    static const struct {
        const char *range;
        uint64_t size;
        int status;
        uint64_t first, count;
    } cases[] = {
        {NULL, 10, 200, 0, 10},
        {"bytes=0-0", 10, 206, 0, 1},
        {"bytes=2-", 10, 206, 2, 8},
        {"bytes=2-99", 10, 206, 2, 8},
        {"bytes=9-9", 10, 206, 9, 1},
        {"bytes=10-", 10, 416, 0, 0},
        {"bytes=10-11", 10, 416, 0, 0},
        {"bytes=-3", 10, 206, 7, 3},
        {"bytes=-30", 10, 206, 0, 10},
        {"bytes=-0", 10, 416, 0, 0},
        {"bytes=-3", 0, 416, 0, 0},
        {"bytes=0-", 0, 416, 0, 0},
        {"bytes=5-2", 10, 200, 0, 10},
        {"bytes=0-18446744073709551615", 10, 206, 0, 10},
        {"bytes=0-99999999999999999999999", 10, 206, 0, 10},
        {"bytes=99999999999999999999999-", 10, 416, 0, 0},
        {"bytes=18446744073709551616-18446744073709551617", 10, 416, 0, 0},
        {"bytes=0-18446744073709551615", UINT64_MAX, 206, 0, UINT64_MAX},
        {"bytes=-18446744073709551616", UINT64_MAX, 206, 0, UINT64_MAX},
        {"bytes=1-2,4-5", 10, 200, 0, 10},
        {"bytes=-", 10, 200, 0, 10},
        {"bytes=a-b", 10, 200, 0, 10},
        {"bytes=1-2x", 10, 200, 0, 10},
        {"bytes= 1-2", 10, 200, 0, 10},
        {"rows=1-2", 10, 200, 0, 10},
    };
    const vz_serve_version version = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char range[64];
        snprintf(range, sizeof range, "%s", cases[i].range ? cases[i].range : "");
        vz_serve_request r = {.range = cases[i].range ? range : NULL};
        const vz_serve_part part = vz_serve_choose(&r, &version, cases[i].size);
        if (part.status != cases[i].status || part.first != cases[i].first || part.size != cases[i].count)
            fail_msg("%s of %llu: %d, %llu bytes from %llu on", range, (unsigned long long)cases[i].size, part.status,
                     (unsigned long long)part.size, (unsigned long long)part.first);
        r.method = VZ_SERVE_HEAD;
        assert_int_equal(vz_serve_choose(&r, &version, cases[i].size).status, 200);
    }
}

#define DATE(day) "Sun, " #day " Nov 2026 09:00:00 GMT"
#define TIME_29   1795942800 /* 29 November 2026, 9:00 */

static void test_conditions(void **state)
{
    (void)state;
    enum { MATCH, NONE_MATCH, MODIFIED, UNMODIFIED, RANGE };
    static const struct {
        int header;
        const char *value;
        int status; /* of a version with a tag and a time; of one without either */
        int status_unknown;
    } cases[] = {
        {MATCH, "\"v\"", 206, 412},
        {MATCH, "\"u\", \"v\"", 206, 412},
        {MATCH, "\"u\"", 412, 412},
        {MATCH, "W/\"v\"", 412, 412},
        {MATCH, "*", 206, 206},
        {MATCH, "v", 412, 412},
        {MATCH, "\"v", 412, 412},
        {NONE_MATCH, "\"v\"", 304, 206},
        {NONE_MATCH, "W/\"v\"", 304, 206},
        {NONE_MATCH, "\"u\",,\"v\"", 304, 206},
        {NONE_MATCH, "\"u\"", 206, 206},
        {NONE_MATCH, "\"\"", 206, 206},
        {NONE_MATCH, "*", 304, 304},
        {NONE_MATCH, "", 206, 206},
        {MODIFIED, DATE(29), 304, 206},
        {MODIFIED, DATE(30), 304, 206},
        {MODIFIED, DATE(28), 206, 206},
        {MODIFIED, "yesterday", 206, 206},
        {UNMODIFIED, DATE(29), 206, 206},
        {UNMODIFIED, DATE(28), 412, 206},
        {UNMODIFIED, "yesterday", 206, 206},
        {RANGE, "\"v\"", 206, 200},
        {RANGE, "W/\"v\"", 200, 200},
        {RANGE, "\"u\"", 200, 200},
        {RANGE, DATE(29), 206, 200},
        {RANGE, DATE(30), 200, 200},
        {RANGE, "", 200, 200},
    };
    const vz_serve_version known = {.etag = "\"v\"", .modified = TIME_29}, unknown = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char range[] = "bytes=1-2", value[64];
        vz_serve_request r = {.range = range};
        char **const headers[] = {&r.if_match, &r.if_none_match, &r.if_modified_since, &r.if_unmodified_since,
                                  &r.if_range};
        snprintf(value, sizeof value, "%s", cases[i].value);
        *headers[cases[i].header] = value;
        const int status = vz_serve_choose(&r, &known, 10).status, other = vz_serve_choose(&r, &unknown, 10).status;
        if (status != cases[i].status || other != cases[i].status_unknown)
            fail_msg("%d %s: %d and %d", cases[i].header, value, status, other);
    }
}

/* Whatever is sent: an answer, and no byte behind the head is looked at. */
static void test_altered_heads(void **state)
{
    (void)state;
    static const char *const seeds[] = {
        "GET /a/%41%2f%00/c?d HTTP/1.1\r\nHost: localhost:1\r\nRange: bytes=-5\r\nIf-Match: \"a\", W/\"b\"\r\n\r\n",
        "HEAD http://localhost/a HTTP/1.0\r\nHost: [::1]\r\nIf-None-Match: *\r\nIf-Range: \"x\"\r\nConnection: close, "
        "a\r\n\r\n",
    };
    const vz_serve_site site = {.inside = "g", .token = "a"};
    const vz_serve_version version = {.etag = "\"a\"", .modified = TIME_29};
    uint64_t chance = 88172645463325252u;
    for (unsigned i = 0; i < 40000; i++) {
        const char *seed = seeds[i % 2];
        const size_t size = strlen(seed);
        char *head = malloc(size); /* no byte more, for the sanitizers */
        assert_non_null(head);
        memcpy(head, seed, size);
        for (unsigned k = 0; k < 1 + i % 3; k++) {
            chance ^= chance << 13, chance ^= chance >> 7, chance ^= chance << 17;
            head[chance % size] = (char)(k == 1 ? seed[(chance >> 20) % size] : (int)(chance >> 40));
        }
        int status;
        vz_serve_request r;
        vz_buffer key = {0};
        const size_t length = vz_serve_head_size(head, size, &status);
        if (length > 0 && vz_serve_parse_request(head, length, &r) == 0) {
            vz_serve_host_is_here(r.host);
            const vz_serve_part part = vz_serve_choose(&r, &version, chance % 20);
            assert_true(part.first + part.size <= chance % 20);
            if (vz_serve_key(&site, r.target, &key) == 0) {
                assert_memory_equal(key.data, "g/", 2);
                assert_null(strstr((const char *)key.data, "/../"));
            }
        }
        vz_buffer_clear(&key);
        free(head);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heads_that_are_understood),
        cmocka_unit_test(test_heads_that_are_refused),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_altered_heads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
