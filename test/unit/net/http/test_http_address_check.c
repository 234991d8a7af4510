/* Which addresses a request may be connected to: where nothing may be asked, nothing is asked, not even a connection is
 * made. Two servers: one that redirects, and one that must hear of nothing. Both count. */
#include "public_hosts.h"

#include "net/http/http.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "http_server.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define PUBLIC       "203.0.113.1"
#define METADATA     "169.254.169.254"

static http_server first, inner;

/* "/to/HOST" redirects to that host's port of the other server; "/to/HOST/then/OTHER" to itself by that name before. */
static http_after redirect(http_call *call)
{
    char location[400];
    const char *to = strncmp(call->path, "/to/", 4) == 0 ? call->path + 4 : NULL;
    const char *then = to ? strstr(to, "/then/") : NULL;
    if (!to)
        return http_respond(call, 200, "", "first", 5);
    if (then)
        snprintf(location, sizeof location, "Location: http://%.*s:%d/to/%s\r\n", (int)(then - to), to, first.port,
                 then + 6);
    else
        snprintf(location, sizeof location, "Location: http://%s:%d/end\r\n", to, inner.port);
    return http_respond(call, 302, location, "", 0);
}

static http_after answer_inner(http_call *call)
{
    return http_respond(call, 200, "", "inner", 5);
}

static int open_servers(void **state)
{
    (void)state;
    http_open(&first, redirect, NULL);
    http_open(&inner, answer_inner, NULL);
    return 0;
}

static int close_servers(void **state)
{
    (void)state;
    http_close(&first);
    http_close(&inner);
    return 0;
}

typedef struct outcome {
    vz_error_class failed;
    char body[16], why[VZ_NET_WHY_SIZE];
    unsigned attempts, asked_first, met_inner; /* requests of one, connections to the other */
} outcome;

static outcome ask(const char *host, const char *path, vz_option_hosts hosts)
{
    char url[600];
    vz_buffer into = {0};
    vz_error err = VZ_ERROR_NONE;
    const unsigned before = first.requests, met = inner.connections;
    snprintf(url, sizeof url, "http://%s:%d%s", host, first.port, path);
    vz_net_request request = {.url = url, .into = &into, .follow = true, .hosts = hosts};
    const vz_net_options options = {.attempts = 2, .connect_ms = 2000};
    vz_net_do(&options, &request, &err);
    outcome out = {.failed = request.failed,
                   .attempts = request.attempts,
                   .asked_first = first.requests - before,
                   .met_inner = inner.connections - met};
    snprintf(out.body, sizeof out.body, "%.*s", (int)into.size, (const char *)into.data);
    snprintf(out.why, sizeof out.why, "%s", request.why);
    vz_net_request_clear(&request);
    vz_buffer_clear(&into);
    return out;
}

static const struct permission_case {
    const char *host, *path;
    vz_option_hosts hosts;
    const char *body; /* NULL: refused */
    unsigned asked;   /* requests that the first server gets */
} cases[] = {
    /* the user's own words lead anywhere */
    {"127.0.0.1", "/", VZ_HOSTS_ANY, "first", 1},
    {"x.inner.test", "/", VZ_HOSTS_ANY, "first", 1},
    {PUBLIC, "/", VZ_HOSTS_ANY, "first", 1},
    /* a file's do not, whatever the name is that leads there */
    {"127.0.0.1", "/", VZ_HOSTS_PUBLIC, NULL, 0},
    {"127.1", "/", VZ_HOSTS_PUBLIC, NULL, 0},
    {"localhost", "/", VZ_HOSTS_PUBLIC, NULL, 0},
    {"a.inner.test", "/", VZ_HOSTS_PUBLIC, NULL, 0},
    {"a.mapped.test", "/", VZ_HOSTS_PUBLIC, NULL, 0},
    {"[::ffff:127.0.0.1]", "/", VZ_HOSTS_PUBLIC, NULL, 0},
    {"10.0.0.1", "/", VZ_HOSTS_PUBLIC, NULL, 0},
    {METADATA, "/", VZ_HOSTS_PUBLIC, NULL, 0},
    {PUBLIC, "/", VZ_HOSTS_PUBLIC, "first", 1},
    {"a.public.test", "/", VZ_HOSTS_PUBLIC, "first", 1},
    /* a connection that somebody else left open there is none */
    {"x.inner.test", "/", VZ_HOSTS_PUBLIC, NULL, 0},
    /* where the user lets files lead anywhere, there is one address less */
    {"127.0.0.1", "/", VZ_HOSTS_NOT_METADATA, "first", 1},
    {"x.inner.test", "/", VZ_HOSTS_NOT_METADATA, "first", 1},
    {METADATA, "/", VZ_HOSTS_NOT_METADATA, NULL, 0},
    /* redirects */
    {PUBLIC, "/to/" PUBLIC, VZ_HOSTS_ANY, "inner", 1},
    {PUBLIC, "/to/127.0.0.1", VZ_HOSTS_ANY, NULL, 1},
    {PUBLIC, "/to/localhost", VZ_HOSTS_ANY, NULL, 1},
    {PUBLIC, "/to/b.inner.test", VZ_HOSTS_ANY, NULL, 1},
    {PUBLIC, "/to/b.mapped.test", VZ_HOSTS_ANY, NULL, 1},
    {PUBLIC, "/to/192.168.0.1", VZ_HOSTS_ANY, NULL, 1},
    {PUBLIC, "/to/" METADATA, VZ_HOSTS_ANY, NULL, 1},
    {"127.0.0.1", "/to/127.0.0.1", VZ_HOSTS_ANY, "inner", 1},
    {"127.0.0.1", "/to/" PUBLIC, VZ_HOSTS_ANY, "inner", 1},
    {"127.0.0.1", "/to/" METADATA, VZ_HOSTS_ANY, NULL, 1},
    {"127.0.0.1", "/to/" PUBLIC "/then/127.0.0.1", VZ_HOSTS_ANY, "inner", 2},
    {PUBLIC, "/to/" PUBLIC "/then/127.0.0.1", VZ_HOSTS_ANY, NULL, 2},
    {PUBLIC, "/to/" PUBLIC, VZ_HOSTS_PUBLIC, "inner", 1},
    {PUBLIC, "/to/127.0.0.1", VZ_HOSTS_PUBLIC, NULL, 1},
    {"127.0.0.1", "/to/127.0.0.1", VZ_HOSTS_NOT_METADATA, "inner", 1},
    {PUBLIC, "/to/127.0.0.1", VZ_HOSTS_NOT_METADATA, NULL, 1},
};

static void check_cases(void)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct permission_case *c = &cases[i];
        const unsigned before = strays;
        const outcome out = ask(c->host, c->path, c->hosts);
        if (c->body ? out.failed != VZ_OK || strcmp(out.body, c->body) != 0 : out.failed != VZ_PERMISSION)
            fail_msg("case %zu, %s%s: %d %s \"%s\"", i, c->host, c->path, out.failed, out.why, out.body);
        if (out.asked_first != c->asked || (!c->body && out.met_inner > 0) || strays != before || out.attempts != 1)
            fail_msg("case %zu, %s%s: %u requests, %u connections, %u strays, %u attempts", i, c->host, c->path,
                     out.asked_first, out.met_inner, strays - before, out.attempts);
    }
}

static void test_cases(void **state)
{
    (void)state;
    check_cases();
}

static void test_says_why(void **state)
{
    (void)state;
    assert_non_null(strstr(ask("127.0.0.1", "/", VZ_HOSTS_PUBLIC).why, "doorways=anywhere"));
    assert_non_null(strstr(ask("127.0.0.1", "/", VZ_HOSTS_PUBLIC).why, "http://127.0.0.1:"));
    assert_non_null(strstr(ask(PUBLIC, "/to/127.0.0.1", VZ_HOSTS_ANY).why, "redirects to 127.0.0.1"));
}

/* Behind a proxy the address is the proxy's: the names decide. */
static void test_proxy(void **state)
{
    (void)state;
    char proxy[64];
    snprintf(proxy, sizeof proxy, "http://127.0.0.1:%d", inner.port);
    setenv("http_proxy", proxy, 1);
    setenv("no_proxy", "c.inner.test,.public.test", 1);
    const unsigned before = inner.requests;
    assert_int_equal(ask("elsewhere.test", "/", VZ_HOSTS_PUBLIC).failed, VZ_OK);
    assert_int_equal(inner.requests - before, 1);
    assert_int_equal(ask("10.0.0.1", "/", VZ_HOSTS_PUBLIC).failed, VZ_PERMISSION);
    assert_int_equal(ask("localhost", "/", VZ_HOSTS_PUBLIC).failed, VZ_PERMISSION);
    assert_int_equal(ask("c.inner.test", "/", VZ_HOSTS_PUBLIC).failed, VZ_PERMISSION); /* past the proxy */
    assert_int_equal(inner.requests - before, 1);
    assert_int_equal(ask("b.public.test", "/", VZ_HOSTS_PUBLIC).failed, VZ_OK);
    unsetenv("http_proxy");
}

int main(void)
{
    /* A proxy of the machine's is not for these. */
    unsetenv("http_proxy");
    unsetenv("all_proxy");
    unsetenv("ALL_PROXY");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cases, open_servers, close_servers),
        cmocka_unit_test_setup_teardown(test_says_why, open_servers, close_servers),
        cmocka_unit_test_setup_teardown(test_proxy, open_servers, close_servers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
