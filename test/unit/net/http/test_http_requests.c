/* Requests and their answers, sets, signers and bounds, against a server that behaves. */
#include "net/http/http.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "http_server.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void assert_ok(const vz_net_request *request)
{
    if (request->failed != VZ_OK)
        print_error("%s\n", request->why);
    assert_int_equal(request->failed, VZ_OK);
}

/* ---- what is sent, and what comes ---- */

/* Answers with the request. */
static http_after echo(http_call *call)
{
    char text[8192], x[100] = "none", type[100] = "none", expect[100] = "none";
    http_header(call, "X-Of-Ours", x, sizeof x);
    http_header(call, "Content-Type", type, sizeof type);
    http_header(call, "Expect", expect, sizeof expect);
    const int size = snprintf(text, sizeof text, "%s %s x=%s type=%s expect=%s body=%.*s", call->method, call->path, x,
                              type, expect, (int)call->body_size, call->body);
    return http_respond(call, 200, "ETag: \"abc\"\r\nX-Empty:\r\nX-Twice: 1\r\nx-twice: 2\r\n", text, (size_t)size);
}

static void check_echo(http_server *server, vz_net_method method, const char *body, const char *expected)
{
    static const char *const headers[] = {"X-Of-Ours: a b"};
    vz_buffer into = {0};
    vz_net_request request = {.method = method,
                              .url = http_url(server, "/a/../%41%2F=:?b=%20&a"),
                              .headers = headers,
                              .header_count = 1,
                              .body = {(const uint8_t *)body, strlen(body)},
                              .into = &into};
    vz_error err = VZ_ERROR_NONE;
    assert_true(vz_buffer_append(&into, "before ", 7, &err));
    assert_true(vz_net_do(NULL, &request, &err));
    assert_ok(&request);
    assert_int_equal(request.status, 200);
    assert_int_equal(request.attempts, 1);
    assert_false(request.sent);
    assert_int_equal(into.size, strlen(expected));
    assert_memory_equal(into.data, expected, into.size);
    assert_string_equal(vz_net_header(&request, "etag"), "\"abc\"");
    assert_string_equal(vz_net_header(&request, "X-EMPTY"), "");
    assert_string_equal(vz_net_header(&request, "x-twice"), "2");
    assert_null(vz_net_header(&request, "x-twic"));
    vz_net_request_clear(&request);
    vz_buffer_clear(&into);
}

static void test_methods(void **state)
{
    (void)state;
    http_server server;
    http_open(&server, echo, NULL);
    check_echo(&server, VZ_NET_GET, "", "before GET /a/../%41%2F=:?b=%20&a x=a b type=none expect=none body=");
    check_echo(&server, VZ_NET_PUT, "xyz", "before PUT /a/../%41%2F=:?b=%20&a x=a b type=none expect=none body=xyz");
    check_echo(&server, VZ_NET_PUT, "", "before PUT /a/../%41%2F=:?b=%20&a x=a b type=none expect=none body=");
    check_echo(&server, VZ_NET_POST, "p", "before POST /a/../%41%2F=:?b=%20&a x=a b type=none expect=none body=p");
    check_echo(&server, VZ_NET_DELETE, "", "before DELETE /a/../%41%2F=:?b=%20&a x=a b type=none expect=none body=");
    check_echo(&server, VZ_NET_HEAD, "", "before ");
    assert_int_equal(server.connections, 1);
    http_close(&server);
}

static http_after by_status(http_call *call)
{
    return http_respond(call, atoi(call->path + 1), "Location: /elsewhere\r\n", "why not", 7);
}

/* They are answers, which the caller understands. */
static void test_other_statuses(void **state)
{
    (void)state;
    static const int statuses[] = {301, 304, 307, 400, 401, 403, 404, 409, 412, 416, 501};
    http_server server;
    http_open(&server, by_status, NULL);
    for (size_t i = 0; i < COUNT(statuses); i++) {
        char path[20];
        snprintf(path, sizeof path, "/%d", statuses[i]);
        vz_buffer into = {0};
        vz_net_request request = {.url = http_url(&server, path), .into = &into};
        vz_error err = VZ_ERROR_NONE;
        assert_true(vz_net_do(NULL, &request, &err));
        assert_int_equal(request.status, statuses[i]);
        assert_int_equal(request.attempts, 1);
        assert_int_equal(into.size, 0);
        if (statuses[i] != 304)
            assert_string_equal((const char *)request.text.data, "why not");
        vz_net_request_clear(&request);
    }
    assert_int_equal(server.requests, COUNT(statuses));
    http_close(&server);
}

#define LARGE 300000

static http_after large(http_call *call)
{
    char *body = malloc(LARGE);
    for (size_t i = 0; i < LARGE; i++)
        body[i] = (char)(i % 251);
    http_after after = HTTP_KEEP;
    if (strcmp(call->path, "/chunked") == 0) {
        http_print(call, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n", LARGE);
        http_send(call, body, LARGE);
        http_print(call, "\r\n0\r\n\r\n");
    } else {
        after = http_respond(call, strcmp(call->path, "/404") == 0 ? 404 : 200, "", body, LARGE);
    }
    free(body);
    return after;
}

static void get_large(http_server *server, const char *path, vz_buffer *into, uint64_t most, vz_error_class expected)
{
    vz_net_request request = {.url = http_url(server, path), .into = into, .most = most};
    const size_t before = into ? into->size : 0;
    vz_error err = VZ_ERROR_NONE;
    assert_int_equal(vz_net_do(NULL, &request, &err), expected == VZ_OK);
    assert_int_equal(request.failed, expected);
    assert_int_equal(err.class, expected);
    if (expected == VZ_LIMIT) /* and not "Failure writing output to destination", which is libcurl's */
        assert_non_null(strstr(request.why, "the answer is larger than"));
    assert_int_equal(request.status, strcmp(path, "/404") == 0 ? 404 : 200);
    if (into)
        assert_int_equal(into->size, before + (expected == VZ_OK ? LARGE : 0));
    if (!into || request.status == 404)
        assert_int_equal(request.text.size, VZ_NET_TEXT_MAX);
    vz_net_request_clear(&request);
}

static void test_sizes(void **state)
{
    (void)state;
    static uint8_t exact[LARGE];
    http_server server;
    http_open(&server, large, NULL);
    vz_buffer growing = {0}, limited = {.limit = 1000}, in_place = vz_buffer_borrow(exact, LARGE);
    vz_buffer small = vz_buffer_borrow(exact, LARGE - 1);
    get_large(&server, "/", &in_place, 0, VZ_OK);
    for (size_t i = 0; i < LARGE; i++)
        assert_int_equal(exact[i], i % 251);
    get_large(&server, "/", &growing, LARGE, VZ_OK);
    get_large(&server, "/chunked", &growing, LARGE, VZ_OK);
    get_large(&server, "/", &growing, LARGE - 1, VZ_LIMIT);
    get_large(&server, "/chunked", &growing, LARGE - 1, VZ_LIMIT);
    get_large(&server, "/chunked", &limited, 0, VZ_LIMIT);
    get_large(&server, "/", &small, 0, VZ_LIMIT);
    get_large(&server, "/", NULL, 0, VZ_OK);
    vz_buffer none = {0};
    vz_net_request request = {.url = http_url(&server, "/404"), .into = &none, .most = 10};
    vz_error err = VZ_ERROR_NONE;
    assert_true(vz_net_do(NULL, &request, &err)); /* `most` is of the value, which this is not */
    assert_int_equal(request.text.size, VZ_NET_TEXT_MAX);
    assert_int_equal(request.text.data[VZ_NET_TEXT_MAX], 0);
    vz_net_request_clear(&request);
    vz_buffer_clear(&growing);
    vz_buffer_clear(&limited);
    http_close(&server);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const urls[] = {
        "",         "ftp://h/",      "http://",      "file:///etc/passwd", "http:///x",
        "s3://b/k", "http://u:p@h/", "http://h/a b", "http://h/\r\nX: y",  "http://h/\xc3\xa4"};
    vz_error err;
    for (size_t i = 0; i < COUNT(urls); i++) {
        vz_net_request request = {.url = urls[i]};
        err = VZ_ERROR_NONE;
        assert_false(vz_net_do(NULL, &request, &err));
        assert_int_equal(err.class, VZ_INVALID);
    }
    static const char *const headers[] = {"A: b\r\nC: d", "no colon"};
    for (size_t i = 0; i < COUNT(headers); i++) {
        vz_net_request request = {.url = "http://127.0.0.1:1/", .headers = &headers[i], .header_count = 1};
        err = VZ_ERROR_NONE;
        assert_false(vz_net_do(NULL, &request, &err));
        assert_int_equal(err.class, VZ_INVALID);
    }
}

/* ---- sets ---- */

static http_after a_moment_later(http_call *call)
{
    http_sleep_ms(2);
    return http_respond(call, 200, "", call->path, strlen(call->path));
}

typedef struct puller {
    vz_net_set *set;
    atomic_uint *pulled; /* by tag */
    atomic_uint count;
} puller;

static void *pull_all(void *argument)
{
    puller *p = argument;
    vz_net_request *request;
    while ((request = vz_net_set_next(p->set))) {
        p->pulled[request->tag]++;
        p->count++;
    }
    return NULL;
}

#define MANY 300

static void run_many(http_server *server, unsigned connections, unsigned threads)
{
    static vz_net_request requests[MANY];
    static vz_buffer into[MANY];
    static char urls[MANY][64];
    static atomic_uint pulled[MANY];
    memset(requests, 0, sizeof requests);
    memset(into, 0, sizeof into);
    memset(pulled, 0, sizeof pulled);
    const vz_net_options options = {.connections = connections};
    vz_error err = VZ_ERROR_NONE;
    puller p = {.set = vz_net_set_open(&options, &err), .pulled = pulled};
    assert_non_null(p.set);
    assert_null(vz_net_set_next(p.set));
    for (size_t i = 0; i < MANY; i++) {
        snprintf(urls[i], sizeof urls[i], "http://127.0.0.1:%d/%zu", server->port, i);
        requests[i] = (vz_net_request){.url = urls[i], .into = &into[i], .tag = i};
        assert_true(vz_net_set_add(p.set, &requests[i], &err));
    }
    pthread_t pullers[8];
    for (unsigned i = 0; i < threads; i++)
        pthread_create(&pullers[i], NULL, pull_all, &p);
    for (unsigned i = 0; i < threads; i++)
        pthread_join(pullers[i], NULL);
    assert_int_equal(p.count, MANY);
    for (size_t i = 0; i < MANY; i++) {
        assert_int_equal(pulled[i], 1);
        assert_ok(&requests[i]);
        const char *path = strrchr(urls[i], '/');
        assert_int_equal(into[i].size, strlen(path));
        assert_memory_equal(into[i].data, path, into[i].size);
        vz_net_request_clear(&requests[i]);
        vz_buffer_clear(&into[i]);
    }
    vz_net_set_close(p.set);
}

#define AT_ONCE 7

/* Nobody is answered before so many are there: a busy machine may bring them one by one. */
static http_after when_all_are_there(http_call *call)
{
    for (int i = 0; i < 60000 && call->server->most_busy < AT_ONCE && !call->server->ending; i++)
        http_sleep_ms(1);
    return a_moment_later(call);
}

static void test_many(void **state)
{
    (void)state;
    http_server server;
    http_open(&server, when_all_are_there, NULL);
    run_many(&server, AT_ONCE, 1);
    assert_int_equal(server.most_busy, AT_ONCE);
    assert_int_equal(server.connections, AT_ONCE);
    run_many(&server, AT_ONCE, 4); /* over the same connections */
    assert_int_equal(server.connections, AT_ONCE);
    run_many(&server, 1, 2);
    assert_int_equal(server.requests, 3 * MANY);
    http_close(&server);
}

static http_after wait_for_gate(http_call *call)
{
    atomic_bool *gate = call->server->context;
    while (!*gate && !call->server->ending)
        http_sleep_ms(1);
    return http_respond(call, 200, "", "x", 1);
}

#define HELD 12

static void test_close_and_stop(void **state)
{
    (void)state;
    atomic_bool gate = false;
    http_server server;
    http_open(&server, wait_for_gate, &gate);
    const vz_net_options options = {.connections = 4};
    for (int stops = 0; stops < 2; stops++) {
        vz_net_request requests[HELD] = {0};
        vz_buffer into[HELD] = {0};
        vz_error err = VZ_ERROR_NONE;
        vz_net_set *set = vz_net_set_open(&options, &err);
        for (size_t i = 0; i < HELD; i++) {
            requests[i] = (vz_net_request){.url = http_url(&server, "/"), .into = &into[i]};
            requests[i].url = strdup(requests[i].url);
            assert_true(vz_net_set_add(set, &requests[i], &err));
        }
        while (server.busy < 4)
            http_sleep_ms(1);
        unsigned sent = 0;
        if (stops) {
            vz_net_set_stop(set);
            for (size_t i = 0; i < HELD; i++) {
                const vz_net_request *request = vz_net_set_next(set);
                assert_int_equal(request->failed, VZ_TRANSIENT);
                sent += request->sent;
            }
            assert_int_equal(sent, 4);
            assert_null(vz_net_set_next(set));
        }
        vz_net_set_close(set);
        for (size_t i = 0; i < HELD; i++) {
            assert_int_equal(requests[i].failed, VZ_TRANSIENT);
            assert_null(requests[i].job);
            free((char *)requests[i].url);
            vz_net_request_clear(&requests[i]);
            vz_buffer_clear(&into[i]);
        }
        gate = true;
        while (server.busy > 0)
            http_sleep_ms(1);
        gate = false;
    }
    gate = true;
    http_close(&server);
}

/* Answers that might take 64 MiB each: four at once, until they are pulled. A second set gets through all the same. */
static void test_bytes_under_way(void **state)
{
    (void)state;
    http_server server;
    http_open(&server, a_moment_later, NULL);
    vz_error err = VZ_ERROR_NONE;
    vz_net_set *set = vz_net_set_open(NULL, &err), *other = vz_net_set_open(NULL, &err);
    static vz_net_request requests[10];
    static vz_buffer into[10];
    const char *url = http_url(&server, "/");
    for (size_t i = 0; i < 10; i++) {
        requests[i] = (vz_net_request){.url = url, .into = &into[i], .expected = (uint64_t)64 << 20};
        assert_true(vz_net_set_add(set, &requests[i], &err));
    }
    while (server.requests < 4)
        http_sleep_ms(1);
    http_sleep_ms(50);
    assert_int_equal(server.requests, 4);
    vz_buffer one = {0};
    vz_net_request request = {.url = url, .into = &one, .expected = (uint64_t)64 << 20};
    assert_true(vz_net_set_add(other, &request, &err));
    assert_ptr_equal(vz_net_set_next(other), &request);
    assert_ok(&request);
    vz_net_request text = {.url = url}; /* takes none of that memory */
    assert_true(vz_net_set_add(other, &text, &err));
    assert_ptr_equal(vz_net_set_next(other), &text);
    for (size_t i = 0; i < 10; i++)
        assert_ok(vz_net_set_next(set));
    vz_net_set_close(set);
    vz_net_set_close(other);
    for (size_t i = 0; i < 10; i++) {
        vz_net_request_clear(&requests[i]);
        vz_buffer_clear(&into[i]);
    }
    vz_net_request_clear(&request);
    vz_net_request_clear(&text);
    vz_buffer_clear(&one);
    http_close(&server);
}

/* ---- signers ---- */

typedef struct signer {
    vz_net_signer base;
    atomic_uint prepared, good_for, fails_at; /* attempts that one preparation is good for; which one fails */
    unsigned left, count;
} signer;

static bool test_prepare(vz_net_signer *base, vz_error *err)
{
    signer *s = (signer *)base;
    if (s->left > 0)
        return true;
    if (++s->prepared == s->fails_at)
        return vz_fail(err, VZ_PERMISSION, "no credentials today");
    s->left = s->good_for;
    return true;
}

static vz_net_signed test_sign(vz_net_signer *base, const vz_net_request *request, vz_net_headers *out, vz_error *err)
{
    signer *s = (signer *)base;
    char value[64];
    if (s->left == 0)
        return VZ_NET_STALE;
    s->left--;
    snprintf(value, sizeof value, "%u of %s", ++s->count, strrchr(request->url, '/'));
    return vz_net_headers_add(out, "X-Of-Ours", value, err) ? VZ_NET_SIGNED : VZ_NET_UNSIGNABLE;
}

static const vz_net_signer_class test_signer = {.prepare = test_prepare, .sign = test_sign};

static http_after fails_twice(http_call *call)
{
    return call->number < 2 ? http_respond(call, 500, "", "", 0) : echo(call);
}

static void test_signed(void **state)
{
    (void)state;
    http_server server;
    http_open(&server, fails_twice, NULL);
    signer s = {.base = {&test_signer}, .good_for = 2};
    vz_buffer into = {0};
    vz_net_request request = {.url = http_url(&server, "/k"), .into = &into, .signer = &s.base};
    vz_error err = VZ_ERROR_NONE;
    assert_true(vz_net_do(NULL, &request, &err)); /* the third attempt finds the credentials used up */
    assert_string_equal(request.why, "");
    assert_int_equal(s.prepared, 2);
    assert_int_equal(request.attempts, 3);
    const char *expected = "GET /k x=3 of /k type=none expect=none body=";
    assert_int_equal(into.size, strlen(expected));
    assert_memory_equal(into.data, expected, into.size);
    vz_net_request_clear(&request);
    vz_buffer_clear(&into);
    http_close(&server);
}

static void test_unsigned(void **state)
{
    (void)state;
    http_server server;
    http_open(&server, fails_twice, NULL);
    signer s = {.base = {&test_signer}, .good_for = 1, .fails_at = 2};
    vz_net_request request = {.url = http_url(&server, "/k"), .signer = &s.base};
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_net_do(NULL, &request, &err)); /* fetched again, and there are none */
    assert_int_equal(err.class, VZ_PERMISSION);
    assert_int_equal(server.requests, 1);
    vz_net_request_clear(&request);
    s = (signer){.base = {&test_signer}, .fails_at = 1};
    err = VZ_ERROR_NONE;
    assert_false(vz_net_do(NULL, &request, &err)); /* not taken at all */
    assert_string_equal(err.text, "no credentials today");
    s = (signer){.base = {&test_signer}, .good_for = 0};
    err = VZ_ERROR_NONE;
    assert_false(vz_net_do(NULL, &request, &err)); /* they run out at once, again and again */
    assert_int_equal(err.class, VZ_PERMISSION);
    vz_net_request_clear(&request);
    http_close(&server);
}

/* ---- redirections ---- */

static http_after redirect(http_call *call)
{
    char where[200], authorization[50] = "none";
    http_header(call, "Authorization", authorization, sizeof authorization);
    if (strcmp(call->path, "/end") == 0)
        return http_respond(call, 200, "", authorization, strlen(authorization));
    if (strcmp(call->path, "/there/end") == 0)
        return http_respond(call, 302, "Location: /end\r\n", "", 0);
    if (strcmp(call->path, "/loop") == 0)
        return http_respond(call, 302, "Location: /loop\r\n", "", 0);
    if (strcmp(call->path, "/file") == 0)
        return http_respond(call, 302, "Location: file:///etc/passwd\r\n", "", 0);
    snprintf(where, sizeof where, "Location: http://%s:%d/end\r\nX-Of-First: 1\r\n",
             strcmp(call->path, "/other") == 0 ? "localhost" : "127.0.0.1", call->server->port);
    return http_respond(call, 307, where, "first body", 10);
}

static void check_redirect(http_server *server, const char *path, vz_net_request request, int status, const char *body)
{
    static const char *const headers[] = {"Authorization: secret"};
    vz_buffer into = {0};
    vz_error err = VZ_ERROR_NONE;
    request.url = http_url(server, path);
    request.into = &into;
    request.headers = headers;
    request.header_count = 1;
    assert_int_equal(vz_net_do(NULL, &request, &err), status != 0);
    if (status != 0) {
        assert_int_equal(request.status, status);
        assert_int_equal(into.size, strlen(body));
        assert_memory_equal(into.data, body, into.size);
        assert_int_equal(vz_net_header(&request, "X-Of-First") != NULL, status == 307);
        assert_int_equal(request.is_elsewhere, status == 200 && !strstr(path, "/end"));
    } else {
        assert_int_equal(request.failed, VZ_IO);
        assert_int_equal(request.attempts, 1);
    }
    vz_net_request_clear(&request);
    vz_buffer_clear(&into);
}

static void test_redirections(void **state)
{
    (void)state;
    http_server server;
    http_open(&server, redirect, NULL);
    signer s = {.base = {&test_signer}, .good_for = 1};
    check_redirect(&server, "/same", (vz_net_request){.follow = true}, 200, "secret");
    check_redirect(&server, "/other", (vz_net_request){.follow = true}, 200, "none"); /* not for another host */
    check_redirect(&server, "/there/end", (vz_net_request){.follow = true}, 200, "secret");
    check_redirect(&server, "/end", (vz_net_request){.follow = true}, 200, "secret");
    check_redirect(&server, "/same", (vz_net_request){0}, 307, "");
    check_redirect(&server, "/same", (vz_net_request){.follow = true, .signer = &s.base}, 307, "");
    check_redirect(&server, "/loop", (vz_net_request){.follow = true}, 0, NULL);
    check_redirect(&server, "/file", (vz_net_request){.follow = true}, 0, NULL);
    http_close(&server);
}

int main(void)
{
    /* A proxy of the machine's is not for these. */
    setenv("no_proxy", "127.0.0.1,localhost", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods),  cmocka_unit_test(test_other_statuses),
        cmocka_unit_test(test_sizes),    cmocka_unit_test(test_refused),
        cmocka_unit_test(test_many),     cmocka_unit_test(test_close_and_stop),
        cmocka_unit_test(test_signed),   cmocka_unit_test(test_bytes_under_way),
        cmocka_unit_test(test_unsigned), cmocka_unit_test(test_redirections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
