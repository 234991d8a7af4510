/* http_server.h - an HTTP server for tests: a thread a connection, and a function of the test that answers, rightly or
 * wrongly. */
#ifndef VZ_TEST_HTTP_SERVER_H
#define VZ_TEST_HTTP_SERVER_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define HTTP_HEAD_MAX 65536
#define HTTP_OPEN_MAX 1024

typedef struct http_server http_server;

/* One request, as it came. */
typedef struct http_call {
    http_server *server;
    int fd;
    unsigned number;        /* of the requests of this server, from 0 */
    unsigned on_connection; /* of those of this connection, from 0 */
    char method[16], path[2048];
    char head[HTTP_HEAD_MAX]; /* the header lines, whole */
    char *body;
    size_t body_size;
} http_call;

typedef enum http_after { HTTP_KEEP, HTTP_CLOSE, HTTP_RESET } http_after;
typedef http_after (*http_answer)(http_call *call);

struct http_server {
    int listener;
    int port;
    http_answer answer;
    void *context;     /* the test's */
    bool slow_reading; /* bodies are read a little at a time, and little is taken before */
    pthread_t thread;
    atomic_uint requests, connections, busy, most_busy;
    atomic_bool ending;
    pthread_mutex_t lock;
    int open[HTTP_OPEN_MAX];
    unsigned open_count;
    atomic_uint threads;
};

static inline void http_sleep_ms(int ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

static inline bool http_send(http_call *call, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        const ssize_t sent = send(call->fd, at, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

static inline bool http_print(http_call *call, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int size = vasprintf(&text, format, arguments);
    va_end(arguments);
    const bool ok = size >= 0 && http_send(call, text, (size_t)size);
    free(text);
    return ok;
}

/* An answer as it should be. `headers`: whole lines. */
static inline http_after http_respond(http_call *call, int status, const char *headers, const void *body, size_t size)
{
    char *all = malloc(size + strlen(headers) + 128);
    const int head = sprintf(all, "HTTP/1.1 %d Status\r\n%sContent-Length: %zu\r\n\r\n", status, headers, size);
    const bool has_body = strcmp(call->method, "HEAD") != 0 && size > 0;
    if (has_body)
        memcpy(all + head, body, size);
    const bool ok = http_send(call, all, (size_t)head + (has_body ? size : 0));
    free(all);
    return ok ? HTTP_KEEP : HTTP_CLOSE;
}

/* The value of a header of the request, copied into `value`; false: it has none. */
static inline bool http_header(const http_call *call, const char *name, char *value, size_t size)
{
    for (const char *line = strstr(call->head, "\r\n"); line && line[2]; line = strstr(line + 2, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, strlen(name)) != 0 || line[strlen(name)] != ':') {
            line -= 2;
            continue;
        }
        line += strlen(name) + 1;
        line += strspn(line, " ");
        snprintf(value, size, "%.*s", (int)strcspn(line, "\r"), line);
        return true;
    }
    return false;
}

static inline bool http_read_head(http_call *call, size_t *read_size)
{
    size_t size = 0;
    for (;;) {
        const ssize_t count = recv(call->fd, call->head + size, 1, 0);
        if (count <= 0 || size + 2 > sizeof call->head)
            return false;
        size++;
        call->head[size] = '\0';
        if (size >= 4 && memcmp(call->head + size - 4, "\r\n\r\n", 4) == 0)
            break;
    }
    *read_size = size;
    return sscanf(call->head, "%15s %2047s", call->method, call->path) == 2;
}

static inline bool http_read_body(http_call *call)
{
    char length[32];
    call->body_size = http_header(call, "Content-Length", length, sizeof length) ? strtoull(length, NULL, 10) : 0;
    call->body = malloc(call->body_size + 1);
    for (size_t at = 0; at < call->body_size;) {
        size_t step = call->body_size - at;
        if (call->server->slow_reading) {
            http_sleep_ms(20);
            step = step < 65536 ? step : 65536;
        }
        const ssize_t count = recv(call->fd, call->body + at, step, 0);
        if (count <= 0)
            return false;
        at += (size_t)count;
    }
    return true;
}

static inline bool http_read(http_call *call)
{
    size_t size;
    free(call->body);
    call->body = NULL;
    return http_read_head(call, &size) && http_read_body(call);
}

static inline void http_busy(http_server *server, int by)
{
    const unsigned busy = atomic_fetch_add(&server->busy, (unsigned)by) + (unsigned)by;
    unsigned most = server->most_busy;
    while (by > 0 && busy > most && !atomic_compare_exchange_weak(&server->most_busy, &most, busy))
        ;
}

static inline void http_forget_open(http_server *server, int fd)
{
    pthread_mutex_lock(&server->lock);
    for (unsigned i = 0; i < server->open_count; i++)
        if (server->open[i] == fd) {
            server->open[i] = server->open[--server->open_count];
            break;
        }
    close(fd);
    pthread_mutex_unlock(&server->lock);
}

static inline void *http_connection(void *argument)
{
    http_call *call = argument;
    http_server *server = call->server;
    http_after after = HTTP_KEEP;
    for (; after == HTTP_KEEP && http_read(call); call->on_connection++) {
        call->number = atomic_fetch_add(&server->requests, 1);
        http_busy(server, 1);
        after = server->answer(call);
        http_busy(server, -1);
    }
    if (after == HTTP_RESET) {
        const struct linger now = {.l_onoff = 1};
        setsockopt(call->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
    http_forget_open(server, call->fd);
    free(call->body);
    free(call);
    server->threads--;
    return NULL;
}

static inline void *http_accept(void *argument)
{
    http_server *server = argument;
    for (;;) {
        const int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0)
            return NULL;
        const int little = 65536;
        if (server->slow_reading)
            setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
        http_call *call = calloc(1, sizeof *call);
        call->server = server;
        call->fd = fd;
        pthread_mutex_lock(&server->lock);
        const bool taken = !server->ending && server->open_count < HTTP_OPEN_MAX;
        if (taken)
            server->open[server->open_count++] = fd;
        pthread_mutex_unlock(&server->lock);
        pthread_t thread;
        server->threads++;
        server->connections++;
        if (!taken || pthread_create(&thread, NULL, http_connection, call) != 0)
            abort();
        pthread_detach(thread);
    }
}

static inline void http_open(http_server *server, http_answer answer, void *context)
{
    memset(server, 0, sizeof *server);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    pthread_mutex_init(&server->lock, NULL);
    server->answer = answer;
    server->context = context;
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(server->listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(server->listener, 256) != 0 || getsockname(server->listener, (struct sockaddr *)&address, &size) != 0 ||
        pthread_create(&server->thread, NULL, http_accept, server) != 0)
        abort();
    server->port = ntohs(address.sin_port);
}

/* No answer may be under way that waits for the test. */
static inline void http_close(http_server *server)
{
    server->ending = true;
    shutdown(server->listener, SHUT_RDWR);
    pthread_join(server->thread, NULL);
    close(server->listener);
    pthread_mutex_lock(&server->lock);
    for (unsigned i = 0; i < server->open_count; i++)
        shutdown(server->open[i], SHUT_RDWR);
    pthread_mutex_unlock(&server->lock);
    while (server->threads > 0)
        http_sleep_ms(1);
    pthread_mutex_destroy(&server->lock);
}

/* "http://127.0.0.1:PORT" and the path; one of 8 texts in turn. */
static inline const char *http_url(const http_server *server, const char *path)
{
    static char texts[8][2200];
    static unsigned next;
    char *text = texts[next++ % 8];
    snprintf(text, sizeof texts[0], "http://127.0.0.1:%d%s", server->port, path);
    return text;
}

#endif
