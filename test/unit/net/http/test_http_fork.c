/* Forks at every moment: the parent's transfers go on, the child makes requests of its own and speaks to nobody over
 * its parent's connections. */
#include "net/http/http.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "http_server.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define HELD 6

static http_after wait_for_gate(http_call *call)
{
    atomic_bool *gate = call->server->context;
    while (strcmp(call->path, "/held") == 0 && !*gate && !call->server->ending)
        http_sleep_ms(1);
    return http_respond(call, 200, "", call->path, strlen(call->path));
}

static bool gets(const char *url, const char *expected)
{
    vz_buffer into = {0};
    vz_net_request request = {.url = url, .into = &into};
    vz_error err = VZ_ERROR_NONE;
    const bool ok =
        vz_net_do(NULL, &request, &err) && into.size == strlen(expected) && memcmp(into.data, expected, into.size) == 0;
    if (!ok)
        fprintf(stderr, "%s\n", err.text);
    vz_net_request_clear(&request);
    vz_buffer_clear(&into);
    return ok;
}

/* Descriptors of this process that are connections to a server. */
static unsigned connections_to(int port)
{
    enum { DESCRIPTORS = 1024 }; /* this process has a few dozens */
    unsigned count = 0;
    for (int file = 0; file < DESCRIPTORS; file++) {
        struct sockaddr_in peer = {0};
        socklen_t size = sizeof peer;
        count += getpeername(file, (struct sockaddr *)&peer, &size) == 0 && peer.sin_family == AF_INET &&
                 ntohs(peer.sin_port) == port;
    }
    return count;
}

/* The allocator of gcc 12's address sanitizer may be locked by another thread when a process forks; its child then
 * waits for ever, and is made once more. */
#ifdef __SANITIZE_ADDRESS__
enum { CHILDREN = 5, CHILD_MS = 5000 };
#else
enum { CHILDREN = 1, CHILD_MS = 20000 };
#endif

/* The child's status; -1: it had to be killed. */
static int wait_for(pid_t child)
{
    int status = -1;
    for (int ms = 0; ms < CHILD_MS; ms += 10) {
        if (waitpid(child, &status, WNOHANG) != 0)
            return status;
        http_sleep_ms(10);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return -1;
}

/* What a child of this process ends with, that ends with the value of the expression. */
#define STATUS_OF_CHILD(expression)                                                                                    \
    __extension__({                                                                                                    \
        int status_ = -1;                                                                                              \
        for (int child_ = 0; child_ < CHILDREN && status_ == -1; child_++) {                                           \
            const pid_t forked_ = fork();                                                                              \
            if (forked_ == 0)                                                                                          \
                _exit(expression);                                                                                     \
            status_ = wait_for(forked_);                                                                               \
        }                                                                                                              \
        status_;                                                                                                       \
    })

static vz_net_request requests[HELD];

static void hold(http_server *server, vz_net_set *set)
{
    static vz_buffer into[HELD];
    vz_error err = VZ_ERROR_NONE;
    const char *url = http_url(server, "/held");
    for (size_t i = 0; i < HELD; i++) {
        vz_buffer_clear(&into[i]);
        requests[i] = (vz_net_request){.method = VZ_NET_PUT, .url = url, .into = &into[i]}; /* none may be repeated */
        assert_true(vz_net_set_add(set, &requests[i], &err));
    }
    while (server->busy < HELD)
        http_sleep_ms(1);
}

/* What a child does with its parent's set, and with requests of its own; of a grandchild of its own, too. */
static int in_child(http_server *server, vz_net_set *set, bool again)
{
    vz_error err = VZ_ERROR_NONE;
    vz_net_request request = {.url = http_url(server, "/child")};
    if (connections_to(server->port) != 0)
        return 2;
    if (vz_net_set_next(set) || vz_net_set_add(set, &request, &err))
        return 3;
    if (again)
        vz_net_set_drop(set);
    else
        vz_net_set_close(set);
    if (!gets(request.url, "/child"))
        return 4;
    if (!again)
        return 0;
    const int status = STATUS_OF_CHILD(connections_to(server->port) == 0 && gets(request.url, "/child") ? 0 : 1);
    return status == 0 && gets(request.url, "/child") ? 0 : 5;
}

static void test_amid_transfers(void **state)
{
    (void)state;
    atomic_bool gate = false;
    http_server server;
    http_open(&server, wait_for_gate, &gate);
    vz_error err = VZ_ERROR_NONE;
    for (int again = 0; again < 2; again++) {
        vz_net_set *set = vz_net_set_open(NULL, &err);
        gate = false;
        hold(&server, set);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(STATUS_OF_CHILD(in_child(&server, set, again)), 0);
        }
        assert_true(gets(http_url(&server, "/parent"), "/parent"));
        gate = true;
        for (size_t i = 0; i < HELD; i++) {
            vz_net_request *request = vz_net_set_next(set);
            assert_int_equal(request->failed, VZ_OK);
            assert_int_equal(request->attempts, 1);
            assert_int_equal(request->into->size, 5);
            vz_buffer_clear(request->into);
            vz_net_request_clear(request);
        }
        assert_null(vz_net_set_next(set));
        vz_net_set_close(set);
    }
    http_close(&server);
}

/* Threads that ask all the time, and forks meanwhile. */
typedef struct asker {
    const char *url;
    atomic_bool *ending;
    atomic_uint asked, failed;
} asker;

static void *ask(void *argument)
{
    asker *a = argument;
    while (!*a->ending) {
        a->failed += !gets(a->url, "/a");
        a->asked++;
    }
    return NULL;
}

static void test_amid_threads(void **state)
{
    (void)state;
    atomic_bool gate = true, ending = false;
    http_server server;
    http_open(&server, wait_for_gate, &gate);
    char url[100];
    snprintf(url, sizeof url, "%s", http_url(&server, "/a"));
    asker a = {.url = url, .ending = &ending};
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, ask, &a);
    for (int i = 0; i < 25; i++) {
        assert_int_equal(STATUS_OF_CHILD(connections_to(server.port) == 0 && gets(url, "/a") ? 0 : 1), 0);
    }
    ending = true;
    for (size_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(a.failed, 0);
    assert_true(a.asked > 4);
    http_close(&server);
}

/* Answers that nobody has pulled, and sets without requests. */
static void test_idle(void **state)
{
    (void)state;
    atomic_bool gate = true;
    http_server server;
    http_open(&server, wait_for_gate, &gate);
    vz_error err = VZ_ERROR_NONE;
    vz_net_set *set = vz_net_set_open(NULL, &err);
    vz_net_request request = {.url = http_url(&server, "/x")};
    assert_true(vz_net_set_add(set, &request, &err));
    while (server.requests < 1 || server.busy > 0)
        http_sleep_ms(1);
    assert_int_equal(STATUS_OF_CHILD(in_child(&server, set, false)), 0);
    assert_ptr_equal(vz_net_set_next(set), &request);
    assert_string_equal((const char *)request.text.data, "/x");
    assert_true(gets(request.url, "/x"));
    assert_int_equal(server.connections, 2); /* one of the child's: the parent goes on over its own */
    vz_net_request_clear(&request);
    vz_net_set_close(set);
    http_close(&server);
}

/* A listening socket whose queue is full: whoever connects to it waits. *port: its port; filling[]: what fills it. */
static int listen_to_nobody(int *port, int filling[2])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 0), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    *port = ntohs(address.sin_port);
    for (int i = 0; i < 2; i++) {
        filling[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        assert_true(connect(filling[i], (struct sockaddr *)&address, size) == 0 || errno == EINPROGRESS);
    }
    return listener;
}

static int are_open(const int pipes[][2], size_t count)
{
    for (size_t i = 0; i < 2 * count; i++)
        if (fcntl(pipes[i / 2][i % 2], F_GETFD) < 0)
            return 1;
    return 0;
}

/* libcurl closed the socket of a connection that was not made. Its descriptor is the program's by now, and stays open
 * in a child. */
static void test_descriptors_of_others(void **state)
{
    (void)state;
    enum { PIPES = 8 };
    int port, filling[2], pipes[PIPES][2];
    char url[100];
    vz_error err = VZ_ERROR_NONE;
    const int listener = listen_to_nobody(&port, filling);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", port);
    const vz_net_options options = {.connect_ms = 100, .attempts = 2};
    vz_net_set *set = vz_net_set_open(&options, &err);
    vz_net_request request = {.url = url};
    assert_true(vz_net_set_add(set, &request, &err));
    assert_ptr_equal(vz_net_set_next(set), &request);
    assert_int_not_equal(request.failed, VZ_OK);
    for (int i = 0; i < PIPES; i++)
        assert_int_equal(pipe(pipes[i]), 0);
    assert_int_equal(STATUS_OF_CHILD(are_open(pipes, PIPES)), 0);
    for (int i = 0; i < 2 * PIPES; i++)
        close(pipes[i / 2][i % 2]);
    vz_net_request_clear(&request);
    vz_net_set_close(set);
    close(filling[0]);
    close(filling[1]);
    close(listener);
}

/* First of all: the process has not made a request yet. */
static void test_before_anything(void **state)
{
    (void)state;
    atomic_bool gate = true;
    http_server server;
    http_open(&server, wait_for_gate, &gate);
    vz_error err = VZ_ERROR_NONE;
    vz_net_set *set = vz_net_set_open(NULL, &err);
    assert_int_equal(STATUS_OF_CHILD(in_child(&server, set, true)), 0);
    assert_true(gets(http_url(&server, "/x"), "/x"));
    vz_net_set_close(set);
    http_close(&server);
}

int main(void)
{
    setenv("no_proxy", "127.0.0.1,localhost", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_before_anything),       cmocka_unit_test(test_idle),
        cmocka_unit_test(test_amid_transfers),        cmocka_unit_test(test_amid_threads),
        cmocka_unit_test(test_descriptors_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
