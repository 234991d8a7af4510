/* What the engine makes of servers that fail: it repeats, slows down, gives up, and never takes a part for the whole.
 */
#include "base/os/network.h"
#include "net/http/http.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "http_server.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A busy machine may let everybody wait: where no deadline is meant, there is none that it could miss. */
static const vz_net_options patient = {.first_byte_ms = 60000, .stall_ms = 60000, .retry_ms = 60000, .attempts = 3};
static const vz_net_options quick = {.first_byte_ms = 400, .stall_ms = 60000, .retry_ms = 60000, .attempts = 3};
/* Of what moves: each pause is far shorter, all of them are longer. */
static const vz_net_options stalled = {.first_byte_ms = 60000, .stall_ms = 2500, .retry_ms = 60000, .attempts = 3};

typedef struct expected {
    vz_error_class failed;
    int status;
    unsigned attempts;
    bool sent;
} expected;

static void check_with(const vz_net_options *options, http_server *server, vz_net_request request, const char *path,
                       expected e)
{
    vz_buffer into = {0};
    vz_error err = VZ_ERROR_NONE;
    request.url = http_url(server, path);
    request.into = &into;
    assert_true(vz_buffer_append(&into, "kept", 4, &err));
    const bool ok = vz_net_do(options, &request, &err);
    if (request.failed != e.failed)
        print_error("%s: %s\n", path, request.why);
    assert_int_equal(request.failed, e.failed);
    assert_int_equal(ok, e.failed == VZ_OK);
    assert_int_equal(err.class, e.failed);
    assert_int_equal(request.status, e.status);
    assert_int_equal(request.attempts, e.attempts);
    assert_int_equal(request.sent, e.sent);
    assert_memory_equal(into.data, "kept", 4);
    assert_int_equal(into.size, e.failed == VZ_OK && e.status / 100 == 2 ? 8 : 4);
    if (into.size == 8)
        assert_memory_equal(into.data, "keptbody", 8);
    if (e.failed != VZ_OK) {
        assert_non_null(strstr(request.why, "http://127.0.0.1"));
        assert_null(strchr(request.why, '?'));
    }
    vz_net_request_clear(&request);
    vz_buffer_clear(&into);
}

static void check(http_server *server, vz_net_request request, const char *path, expected e)
{
    check_with(&patient, server, request, path, e);
}

static const vz_net_request get = {.method = VZ_NET_GET};
static const vz_net_request put_again = {.method = VZ_NET_PUT, .body = {(const uint8_t *)"x", 1}, .repeatable = true};
static const vz_net_request put_once = {.method = VZ_NET_PUT, .body = {(const uint8_t *)"x", 1}};
static const vz_net_request delete_once = {.method = VZ_NET_DELETE};

static http_after good(http_call *call)
{
    return http_respond(call, 200, "", "body", 4);
}

/* ---- answers of a moment ---- */

/* "/503/2": two times that, then all is well. */
static http_after first_bad(http_call *call)
{
    int status, times;
    if (sscanf(call->path, "/%d/%d", &status, &times) == 2 && (int)call->number < times)
        return http_respond(call, status, "", "<Error>", 7);
    return good(call);
}

static void with_first_bad(const vz_net_request *request, const char *path, expected e, unsigned requests)
{
    http_server server;
    http_open(&server, first_bad, NULL);
    check(&server, *request, path, e);
    assert_int_equal(server.requests, requests);
    http_close(&server);
}

static void test_momentary(void **state)
{
    (void)state;
    static const int statuses[] = {408, 429, 500, 502, 503, 504};
    for (size_t i = 0; i < COUNT(statuses); i++) {
        const bool done = statuses[i] != 429; /* it may be, nobody knows */
        char path[40];
        snprintf(path, sizeof path, "/%d/1?secret", statuses[i]);
        with_first_bad(&get, path, (expected){VZ_OK, 200, 2, done}, 2);
        with_first_bad(&put_again, path, (expected){VZ_OK, 200, 2, done}, 2);
        snprintf(path, sizeof path, "/%d/9?secret", statuses[i]);
        with_first_bad(&get, path, (expected){VZ_IO, statuses[i], 3, done}, 3);
        if (done)
            with_first_bad(&put_once, path, (expected){VZ_TRANSIENT, statuses[i], 1, true}, 1);
    }
    with_first_bad(&put_once, "/429/1", (expected){VZ_OK, 200, 2, false}, 2);
}

static http_after later(http_call *call)
{
    if (call->number == 0)
        return http_respond(call, 503, "Retry-After: 1\r\n", "", 0);
    return call->number == 1 ? http_respond(call, 503, "Retry-After: 100\r\n", "", 0) : good(call);
}

/* A server that wants more time than there is for all repetitions is not asked again. */
static void test_retry_after(void **state)
{
    (void)state;
    http_server server;
    http_open(&server, later, NULL);
    const int64_t began = now_ms();
    check(&server, get, "/", (expected){VZ_IO, 503, 2, true});
    assert_true(now_ms() - began >= 1000);
    http_close(&server);
}

static bool is_error_in_body(vz_net_request *request)
{
    return request->status == 200 && request->into->size > 8;
}

static http_after error_in_body(http_call *call)
{
    return call->number == 0 ? http_respond(call, 200, "", "<Error>not yet</Error>", 22) : good(call);
}

static void test_wants_again(void **state)
{
    (void)state;
    http_server server;
    http_open(&server, error_in_body, NULL);
    vz_net_request request = get;
    request.wants_again = is_error_in_body;
    check(&server, request, "/", (expected){VZ_OK, 200, 2, true});
    http_close(&server);
}

/* ---- connections ---- */

static http_after reset_first(http_call *call)
{
    return call->number == 0 ? HTTP_RESET : good(call);
}

static http_after close_always(http_call *call)
{
    (void)call;
    return HTTP_CLOSE;
}

static void with_options(const vz_net_options *options, http_answer answer, const vz_net_request *request, expected e,
                         unsigned requests)
{
    http_server server;
    http_open(&server, answer, NULL);
    check_with(options, &server, *request, "/k?secret", e);
    assert_int_equal(server.requests, requests);
    http_close(&server);
}

static void with(http_answer answer, const vz_net_request *request, expected e, unsigned requests)
{
    with_options(&patient, answer, request, e, requests);
}

static void test_lost_connections(void **state)
{
    (void)state;
    with(reset_first, &get, (expected){VZ_OK, 200, 2, true}, 2);
    with(reset_first, &put_again, (expected){VZ_OK, 200, 2, true}, 2);
    with(reset_first, &put_once, (expected){VZ_TRANSIENT, 0, 1, true}, 1);
    with(reset_first, &delete_once, (expected){VZ_TRANSIENT, 0, 1, true}, 1);
    with(close_always, &get, (expected){VZ_IO, 0, 3, true}, 3);
    with(close_always, &put_once, (expected){VZ_TRANSIENT, 0, 1, true}, 1);
}

/* Requests that come over a connection that was used are read, and not answered. */
static http_after dead_when_used_again(http_call *call)
{
    return call->on_connection > 0 ? HTTP_CLOSE : good(call);
}

/* libcurl takes the end of a connection that was idle for a request that was not read, and sends it again. */
static void test_idle_connection_dies(void **state)
{
    (void)state;
    static const vz_net_request *const once[] = {&put_once, &delete_once};
    for (size_t i = 0; i < COUNT(once); i++) {
        http_server server;
        http_open(&server, dead_when_used_again, NULL);
        check(&server, get, "/", (expected){VZ_OK, 200, 1, false});
        check(&server, *once[i], "/", (expected){VZ_TRANSIENT, 0, 1, true});
        assert_int_equal(server.requests, 2);
        check(&server, get, "/", (expected){VZ_OK, 200, 1, false});
        http_close(&server);
    }
}

/* Nobody listens: nothing was done, whatever was asked. The name may be wrong, so that it is not tried for minutes. */
static void test_no_server(void **state)
{
    (void)state;
    http_server server;
    http_open(&server, good, NULL);
    http_close(&server);
    check(&server, put_once, "/", (expected){VZ_IO, 0, 3, false});
    vz_net_request request = {.url = "http://no-such-host.invalid/k?secret"};
    vz_error err = VZ_ERROR_NONE;
    const int64_t began = now_ms();
    assert_false(vz_net_do(NULL, &request, &err));
    assert_true(now_ms() - began < 60000);
    assert_int_equal(err.class, VZ_IO);
    assert_non_null(strstr(err.text, "no-such-host.invalid"));
    assert_null(strstr(err.text, "secret"));
    vz_net_request_clear(&request);
}

/* ---- time ---- */

/* For longer than any deadline that is meant, and no longer than anybody listens. */
static http_after silent(http_call *call)
{
    for (int i = 0; i < 3000 && !call->server->ending; i++)
        http_sleep_ms(10);
    return HTTP_CLOSE;
}

static http_after stalls_first(http_call *call)
{
    if (call->number > 0)
        return good(call);
    http_print(call, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbo");
    return silent(call);
}

static http_after drips(http_call *call)
{
    http_print(call, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n");
    for (int i = 0; i < 4; i++) {
        http_sleep_ms(700);
        http_send(call, "body" + i, 1);
    }
    return HTTP_KEEP;
}

static void test_deadlines(void **state)
{
    (void)state;
    http_server server;
    http_open(&server, silent, NULL);
    vz_net_request impatient = put_once;
    impatient.first_byte_ms = 50;
    int64_t began = now_ms();
    check(&server, impatient, "/", (expected){VZ_TRANSIENT, 0, 1, true});
    assert_true(now_ms() - began < 20000); /* the request's own, not that of its set */
    began = now_ms();
    check_with(&quick, &server, put_once, "/", (expected){VZ_TRANSIENT, 0, 1, true});
    assert_true(now_ms() - began >= 400 && now_ms() - began < 20000);
    http_close(&server);
    with_options(&stalled, stalls_first, &get, (expected){VZ_OK, 200, 2, true}, 2);
    with_options(&stalled, drips, &get, (expected){VZ_OK, 200, 1, false}, 1);
}

#define UPLOAD_SIZE ((size_t)12 << 20)

/* More than a second for what the system takes at once: nothing has been answered, but it moves. */
static void test_slow_upload(void **state)
{
    (void)state;
    if (!vz_os_can_tell_unsent())
        skip();
    static const vz_net_options slow = {.first_byte_ms = 1000, .stall_ms = 1500, .retry_ms = 60000, .attempts = 3};
    http_server server;
    http_open(&server, good, NULL);
    server.slow_reading = true;
    uint8_t *body = calloc(1, UPLOAD_SIZE);
    vz_net_request request = put_once;
    request.body = (vz_bytes){body, UPLOAD_SIZE};
    const int64_t began = now_ms();
    check_with(&slow, &server, request, "/", (expected){VZ_OK, 200, 1, false});
    assert_true(now_ms() - began >= 3000);
    http_close(&server);
    free(body);
}

/* ---- answers that are not what they say ---- */

static const char *bad_answer; /* of the next server */
static unsigned bad_times;

static http_after answer_badly(http_call *call)
{
    if (call->number >= bad_times)
        return good(call);
    http_print(call, "%s", bad_answer);
    return HTTP_CLOSE;
}

static void with_bad(const char *answer, unsigned times, expected e)
{
    bad_answer = answer;
    bad_times = times;
    with(answer_badly, &get, e, e.attempts);
}

static void test_broken_bodies(void **state)
{
    (void)state;
    static const char truncated[] = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nnot all of it";
    static const char chunked[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n";
    static const char endless[] = "HTTP/1.1 200 OK\r\n\r\nbody";
    static const char range[] = "HTTP/1.1 206 OK\r\nContent-Length: 3\r\nContent-Range: bytes 0-3/9\r\n\r\nbod";
    static const char no_range[] = "HTTP/1.1 206 OK\r\nContent-Length: 3\r\nContent-Range: bytes 3-0/9\r\n\r\nbod";
    static const char right[] = "HTTP/1.1 206 OK\r\nContent-Length: 4\r\nContent-Range: bytes 5-8/9\r\n\r\nbody";
    static const char *const momentary[] = {truncated, chunked, range, no_range, "", "HTTP/1.1 2"};
    static const char *const garbage[] = {"SSH-2.0-OpenSSH_9.2\r\n", "<html>busy</html>\r\n\r\n"};
    for (size_t i = 0; i < COUNT(momentary); i++) {
        const int status = i < 2 ? 200 : i < 4 ? 206 : 0;
        with_bad(momentary[i], 2, (expected){VZ_OK, 200, 3, true});
        with_bad(momentary[i], 9, (expected){status == 206 ? VZ_CORRUPT : VZ_IO, status, 3, true});
    }
    for (size_t i = 0; i < COUNT(garbage); i++)
        with_bad(garbage[i], 9, (expected){VZ_IO, 0, 1, false});
    with_bad(endless, 9, (expected){VZ_IO, 200, 1, false});
    with_bad(right, 9, (expected){VZ_OK, 206, 1, false});
}

static http_after endless_headers(http_call *call)
{
    http_print(call, "HTTP/1.1 200 OK\r\n");
    for (int i = 0; i < 2000; i++)
        http_print(call, "X-%d: 0123456789012345678901234567890123456789012345678901234567890123456789\r\n", i);
    http_print(call, "Content-Length: 4\r\n\r\nbody");
    return HTTP_CLOSE;
}

static void test_too_many_headers(void **state)
{
    (void)state;
    with(endless_headers, &get, (expected){VZ_LIMIT, 200, 1, false}, 1);
}

/* ---- a server that is asked too much ---- */

#define CROWD 150

static http_after at_most_four(http_call *call)
{
    const bool too_many = call->server->busy > 4;
    http_sleep_ms(3);
    return too_many ? http_respond(call, 503, "", "SlowDown", 8) : good(call);
}

static void test_slow_down(void **state)
{
    (void)state;
    http_server server;
    http_open(&server, at_most_four, NULL);
    static vz_net_request requests[CROWD];
    vz_error err = VZ_ERROR_NONE;
    vz_net_set *set = vz_net_set_open(NULL, &err);
    const char *url = http_url(&server, "/");
    for (size_t i = 0; i < CROWD; i++) {
        requests[i] = (vz_net_request){.url = url};
        assert_true(vz_net_set_add(set, &requests[i], &err));
    }
    for (size_t i = 0; i < CROWD; i++) {
        vz_net_request *request = vz_net_set_next(set);
        assert_int_equal(request->failed, VZ_OK);
        assert_int_equal(request->status, 200);
        vz_net_request_clear(request);
    }
    /* Were it asked by 64 at once all the time, most answers would be refusals, again and again. */
    assert_true(server.requests < 3 * CROWD);
    vz_net_set_close(set);
    http_close(&server);
}

int main(void)
{
    setenv("no_proxy", "127.0.0.1,localhost", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_momentary),
        cmocka_unit_test(test_retry_after),
        cmocka_unit_test(test_wants_again),
        cmocka_unit_test(test_lost_connections),
        cmocka_unit_test(test_idle_connection_dies),
        cmocka_unit_test(test_no_server),
        cmocka_unit_test(test_deadlines),
        cmocka_unit_test(test_slow_upload),
        cmocka_unit_test(test_broken_bodies),
        cmocka_unit_test(test_too_many_headers),
        cmocka_unit_test(test_slow_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
