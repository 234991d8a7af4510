/* A second GET where an answer is late: when that is, how often, and which of two answers counts. The server holds
 * answers back until it has been asked again, so that nothing here depends on how long anything takes. */
#include "net/http/engine_internal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "http_server.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define FLOOR_MS     200

/* ---- when an answer is late ---- */

static void note(vz_net_host *host, uint32_t ms, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        host->recent_ms[host->recent_count++ % VZ_NET_RECENT] = ms;
}

static void test_late_after(void **state)
{
    (void)state;
    vz_net_host host = {0};
    assert_int_equal(vz_net_late_after(&host), -1);
    note(&host, 20, 63);
    assert_int_equal(vz_net_late_after(&host), -1);
    note(&host, 20, 1);
    assert_int_equal(vz_net_late_after(&host), FLOOR_MS);
    note(&host, 9000, 3); /* less than 5 % */
    assert_int_equal(vz_net_late_after(&host), FLOOR_MS);
    note(&host, 100, 61);
    assert_int_equal(vz_net_late_after(&host), 400);
    note(&host, 3000, 4);
    assert_int_equal(vz_net_late_after(&host), 5000);
    note(&host, 1, 64); /* what was long ago counts no more */
    assert_int_equal(vz_net_late_after(&host), FLOOR_MS);
}

/* ---- requests ---- */

static http_after good(http_call *call)
{
    return http_respond(call, 200, "", "body", 4);
}

static void wait_for(http_call *call, bool (*holds)(const http_call *call))
{
    while (!holds(call) && !call->server->ending)
        http_sleep_ms(5);
}

typedef struct asked {
    vz_net_request request;
    vz_buffer into;
} asked;

static void add(vz_net_set *set, asked *one, const http_server *server, const char *path, vz_net_method method)
{
    vz_error err = VZ_ERROR_NONE;
    *one = (asked){.request = {.url = http_url(server, path), .method = method, .twice = true, .repeatable = true}};
    one->request.into = &one->into;
    assert_true(vz_net_set_add(set, &one->request, &err));
}

/* Checks the next answer; how many attempts it took. */
static unsigned check_answer(vz_net_set *set)
{
    vz_net_request *request = vz_net_set_next(set);
    assert_non_null(request);
    if (request->failed != VZ_OK)
        print_error("%s\n", request->why);
    assert_int_equal(request->failed, VZ_OK);
    assert_int_equal(request->status, 200);
    assert_int_equal(request->into->size, 4);
    assert_memory_equal(request->into->data, "body", 4);
    assert_non_null(vz_net_header(request, "Content-Length"));
    const unsigned attempts = request->attempts;
    vz_buffer_clear(request->into);
    vz_net_request_clear(request);
    return attempts;
}

/* Nothing is known of servers that had the port before. */
static vz_net_set *open_set(void)
{
    vz_net_host *host;
    vz_os_mutex_lock(&vz_net.lock);
    TAILQ_FOREACH(host, &vz_net.hosts, all)
    host->recent_count = host->earned = 0;
    vz_os_mutex_unlock(&vz_net.lock);
    vz_error err = VZ_ERROR_NONE;
    vz_net_set *set = vz_net_set_open(NULL, &err);
    assert_non_null(set);
    return set;
}

/* As many answers as pay for one second GET. None of these is late, since too few are known. */
static void pay(vz_net_set *set, const http_server *server)
{
    for (unsigned i = 0; i < VZ_NET_RECENT; i++) {
        asked one;
        add(set, &one, server, "/quick", VZ_NET_GET);
        assert_int_equal(check_answer(set), 1);
    }
    assert_int_equal(server->requests, VZ_NET_RECENT);
}

static bool is_late_path(const http_call *call)
{
    return strcmp(call->path, "/late") == 0;
}

static bool is_first(const http_call *call)
{
    return call->number == VZ_NET_RECENT;
}

static bool was_asked_again(const http_call *call)
{
    return call->server->requests > VZ_NET_RECENT + 1;
}

/* How the first and the second answer go; `turn` counts what happened. */
static atomic_uint turn;
static bool is_second_turn(const http_call *call)
{
    (void)call;
    return turn > 0;
}

static http_after late_first(http_call *call)
{
    if (is_late_path(call) && is_first(call))
        wait_for(call, is_second_turn); /* never before the second one was taken */
    return good(call);
}

static http_after second_refused(http_call *call)
{
    if (!is_late_path(call))
        return good(call);
    if (!is_first(call)) {
        turn++;
        return http_respond(call, 503, "", "SlowDown", 8);
    }
    wait_for(call, is_second_turn);
    http_sleep_ms(50); /* whichever comes first */
    return good(call);
}

static http_after first_refused(http_call *call)
{
    if (!is_late_path(call))
        return good(call);
    if (is_first(call)) {
        wait_for(call, was_asked_again);
        turn++;
        return http_respond(call, 500, "", "InternalError", 13);
    }
    wait_for(call, is_second_turn);
    http_sleep_ms(50);
    return good(call);
}

static http_after first_lost(http_call *call)
{
    if (!is_late_path(call))
        return good(call);
    if (is_first(call)) {
        wait_for(call, was_asked_again);
        turn++;
        http_print(call, "HTTP/1.1 100 Continue\r\n\r\n"); /* libcurl repeats by itself what nothing came of */
        return HTTP_CLOSE;
    }
    wait_for(call, is_second_turn);
    http_sleep_ms(50);
    return good(call);
}

static void with(http_answer answer)
{
    http_server server;
    asked one;
    turn = 0;
    http_open(&server, answer, NULL);
    vz_net_set *set = open_set();
    pay(set, &server);
    add(set, &one, &server, "/late", VZ_NET_GET);
    assert_int_equal(check_answer(set), 2);
    turn++;
    assert_int_equal(server.requests, VZ_NET_RECENT + 2);
    vz_net_set_close(set);
    assert_int_equal(vz_net.active_count, 0);
    http_close(&server);
}

static void test_first_good_answer(void **state)
{
    (void)state;
    with(late_first);
    with(second_refused);
    with(first_refused);
    with(first_lost);
}

/* ---- how often ---- */

#define LATE     8
#define LATE_FOR 1000

static http_after late_for_a_while(http_call *call)
{
    if (is_late_path(call))
        for (int i = 0; i < LATE_FOR / 10 && !call->server->ending; i++)
            http_sleep_ms(10);
    return good(call);
}

/* All are late together: one of them is paid for. */
static void test_budget(void **state)
{
    (void)state;
    http_server server;
    asked late[LATE];
    http_open(&server, late_for_a_while, NULL);
    vz_net_set *set = open_set();
    pay(set, &server);
    for (unsigned i = 0; i < LATE; i++)
        add(set, &late[i], &server, "/late", VZ_NET_GET);
    for (unsigned i = 0; i < LATE; i++)
        check_answer(set);
    assert_true(server.requests <= VZ_NET_RECENT + LATE + 1);
    vz_net_set_close(set);
    http_close(&server);
}

/* Nothing that changes something, and nothing of which nobody said that it may be. */
static void test_never_twice(void **state)
{
    (void)state;
    static const vz_net_method methods[] = {VZ_NET_PUT, VZ_NET_DELETE, VZ_NET_POST, VZ_NET_HEAD};
    http_server server;
    http_open(&server, late_for_a_while, NULL);
    vz_net_set *set = open_set();
    pay(set, &server);
    asked late[COUNT(methods) + 1];
    vz_error err = VZ_ERROR_NONE;
    for (size_t i = 0; i < COUNT(methods); i++)
        add(set, &late[i], &server, "/late", methods[i]);
    asked *once = &late[COUNT(methods)];
    *once = (asked){.request = {.url = http_url(&server, "/late")}};
    assert_true(vz_net_set_add(set, &once->request, &err));
    for (size_t i = 0; i < COUNT(late); i++) {
        vz_net_request *request = vz_net_set_next(set);
        assert_int_equal(request->failed, VZ_OK);
        assert_int_equal(request->attempts, 1);
        vz_net_request_clear(request);
    }
    for (size_t i = 0; i < COUNT(late); i++)
        vz_buffer_clear(&late[i].into);
    assert_int_equal(server.requests, VZ_NET_RECENT + COUNT(late));
    vz_net_set_close(set);
    http_close(&server);
}

static http_after always_good(http_call *call)
{
    return good(call);
}

/* A request of which the answer came before any could be late is asked for once. On a machine that is busy enough some
 * do not. */
static void test_quick_answers(void **state)
{
    (void)state;
    http_server server;
    http_open(&server, always_good, NULL);
    vz_net_set *set = open_set();
    for (unsigned i = 0; i < 5 * VZ_NET_RECENT; i++) {
        asked one;
        const int64_t began = vz_net_now();
        add(set, &one, &server, "/quick", VZ_NET_GET);
        const unsigned attempts = check_answer(set);
        if (vz_net_now() - began < FLOOR_MS)
            assert_int_equal(attempts, 1);
    }
    vz_net_set_close(set);
    http_close(&server);
}

/* ---- ends ---- */

static http_after never(http_call *call)
{
    if (is_late_path(call))
        while (!call->server->ending)
            http_sleep_ms(5);
    return good(call);
}

/* A set that is closed while both are under way. */
static void test_stopped(void **state)
{
    (void)state;
    http_server server;
    asked one;
    http_open(&server, never, NULL);
    vz_net_set *set = open_set();
    pay(set, &server);
    add(set, &one, &server, "/late", VZ_NET_GET);
    while (server.requests < VZ_NET_RECENT + 2)
        http_sleep_ms(5);
    vz_net_set_stop(set);
    assert_ptr_equal(vz_net_set_next(set), &one.request);
    assert_int_equal(one.request.failed, VZ_TRANSIENT);
    assert_true(one.request.sent);
    vz_net_request_clear(&one.request);
    vz_buffer_clear(&one.into);
    vz_net_set_close(set);
    assert_int_equal(vz_net.active_count, 0);
    http_close(&server);
}

int main(void)
{
    setenv("no_proxy", "127.0.0.1,localhost", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_late_after),  cmocka_unit_test(test_first_good_answer), cmocka_unit_test(test_budget),
        cmocka_unit_test(test_never_twice), cmocka_unit_test(test_quick_answers),     cmocka_unit_test(test_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
