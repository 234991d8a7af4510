/* server.c - all connections, in one thread: it waits for what is ready, and hands reading to
 * others. */
#include "command/serve/serve_internal.h"
#include "command/command/command.h"
#include "base/os/file.h"
#include "base/os/process.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define NS_PER_MS     (VZ_OS_NS_PER_S / 1000)
#define REFUSED_NS    (100 * NS_PER_MS)  /* before the system is asked again for a connection */
#define STOP_NS       (1000 * NS_PER_MS) /* for threads that read when serving ends */
#define POLLED        (VZ_SERVE_CONNECTIONS_MAX + 3)
#define POLLED_STOP   0
#define POLLED_BELL   1
#define POLLED_ACCEPT 2
#define POLLED_FIRST  3 /* connections, in their order */

typedef struct server {
    vz_serve_site *site;
    vz_serve_readers *readers;
    vz_os_bell bell; /* an answer has been read */
    int listener;
    int64_t accept_ns; /* not before */
    uint64_t memory;   /* given to connections */
    size_t reading;    /* answers that threads have */
    vz_serve_connection *connections;
} server;

/* ---- connections ---- */

static void close_connection(server *s, vz_serve_connection *connection)
{
    vz_serve_connection_close(connection, s->site);
}

/* A free one, or the place of a client that has asked for nothing for the longest time. */
static vz_serve_connection *find_place(server *s)
{
    vz_serve_connection *idle = NULL;
    for (size_t i = 0; i < VZ_SERVE_CONNECTIONS_MAX; i++) {
        vz_serve_connection *at = &s->connections[i];
        if (at->state == VZ_SERVE_FREE)
            return at;
        const bool is_idle = at->state == VZ_SERVE_LISTENS && at->size == 0 && at->served > 0;
        if (is_idle && (!idle || at->until_ns < idle->until_ns))
            idle = at;
    }
    return idle;
}

static void accept_next(server *s)
{
    vz_serve_connection *place = find_place(s);
    if (!place)
        return;
    const int file = vz_os_accept(s->listener);
    if (file < 0) {
        if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
            s->accept_ns = vz_os_now_ns() + REFUSED_NS;
        return;
    }
    if (place->state != VZ_SERVE_FREE)
        close_connection(s, place);
    vz_serve_connection_begin(place, file);
}

/* ---- reading ---- */

/* Memory that an answer needs, about; it is given back when the answer ends. */
static uint64_t memory_of(const server *s)
{
    return s->site->is_near ? VZ_SERVE_PIECE_NEAR : VZ_SERVE_PIECE_FAR;
}

static void give_back(server *s, vz_serve_connection *connection)
{
    const bool is_answered = connection->state == VZ_SERVE_FREE || connection->state == VZ_SERVE_LISTENS ||
                             connection->state == VZ_SERVE_LINGERS;
    if (is_answered) {
        s->memory -= connection->memory;
        connection->memory = 0;
    }
}

static void begin_reading(server *s, vz_serve_connection *connection)
{
    const uint64_t more = connection->memory ? 0 : memory_of(s);
    if (s->memory + more > VZ_SERVE_MEMORY)
        return;
    s->memory += more;
    connection->memory += more;
    connection->state = VZ_SERVE_READS;
    s->reading++;
    vz_serve_readers_add(s->readers, &connection->job);
}

static void print_failure(vz_serve_site *site, const vz_error *failed)
{
    if (failed->class == VZ_OK || site->failures > VZ_SERVE_FAILURES_MAX)
        return;
    if (site->failures++ < VZ_SERVE_FAILURES_MAX)
        vz_say_failure(failed, site->store->path);
    else
        vz_say_error("%s: further failures are not printed", site->store->path);
}

static void take_read(server *s)
{
    vz_serve_job *job;
    vz_os_bell_calm(&s->bell);
    while ((job = vz_serve_readers_next(s->readers))) {
        vz_serve_connection *connection = (vz_serve_connection *)job;
        s->reading--;
        print_failure(s->site, &job->answer.failed);
        job->answer.failed = VZ_ERROR_NONE;
        vz_serve_connection_read(connection, s->site);
    }
}

/* ---- one turn ---- */

static int time_left(int64_t until_ns, int64_t now_ns)
{
    const int64_t ms = until_ns <= now_ns ? 0 : (until_ns - now_ns) / NS_PER_MS + 1;
    return ms < INT32_MAX ? (int)ms : INT32_MAX;
}

/* Lists all that poll looks at. For how long, in milliseconds. */
static int prepare(server *s, struct pollfd *polled, const vz_os_bell *stop)
{
    const int64_t now = vz_os_now_ns();
    const bool accepts = now >= s->accept_ns && find_place(s);
    int64_t until = accepts || s->accept_ns < now ? INT64_MAX : s->accept_ns;
    polled[POLLED_STOP] = (struct pollfd){.fd = stop->hears, .events = POLLIN};
    polled[POLLED_BELL] = (struct pollfd){.fd = s->bell.hears, .events = POLLIN};
    polled[POLLED_ACCEPT] = (struct pollfd){.fd = accepts ? s->listener : -1, .events = POLLIN};
    for (size_t i = 0; i < VZ_SERVE_CONNECTIONS_MAX; i++) {
        const vz_serve_connection *at = &s->connections[i];
        const bool is_polled = at->state != VZ_SERVE_FREE && !at->is_gone;
        polled[POLLED_FIRST + i] =
            (struct pollfd){.fd = is_polled ? at->socket : -1, .events = vz_serve_connection_events(at)};
        if (at->until_ns < until && at->state != VZ_SERVE_FREE)
            until = at->until_ns;
    }
    return until == INT64_MAX ? -1 : time_left(until, now);
}

static void look_at_each(server *s, const struct pollfd *polled)
{
    const int64_t now = vz_os_now_ns();
    for (size_t i = 0; i < VZ_SERVE_CONNECTIONS_MAX; i++) {
        vz_serve_connection *at = &s->connections[i];
        if (at->state != VZ_SERVE_FREE && polled[POLLED_FIRST + i].fd == at->socket && polled[POLLED_FIRST + i].revents)
            vz_serve_connection_meet(at, s->site, polled[POLLED_FIRST + i].revents);
        if (at->state != VZ_SERVE_FREE && at->until_ns <= now)
            close_connection(s, at);
        give_back(s, at);
    }
    for (size_t i = 0; i < VZ_SERVE_CONNECTIONS_MAX; i++)
        if (s->connections[i].state == VZ_SERVE_WAITS)
            begin_reading(s, &s->connections[i]);
}

static bool serve(server *s, const vz_os_bell *stop, vz_error *err)
{
    struct pollfd polled[POLLED];
    for (;;) {
        const int ms = prepare(s, polled, stop);
        if (vz_os_poll(polled, POLLED, ms) < 0) {
            if (errno != EINTR)
                return vz_fail_errno(err, errno, "cannot wait for requests");
            continue;
        }
        if (polled[POLLED_STOP].revents)
            return true;
        if (polled[POLLED_BELL].revents)
            take_read(s);
        look_at_each(s, polled);
        if (polled[POLLED_ACCEPT].revents)
            accept_next(s);
    }
}

/* ---- all of it ---- */

/* A store on a server may take minutes to fail. Nothing is lost when the process ends meanwhile. */
static void end_reading(server *s)
{
    struct pollfd polled = {.fd = s->bell.hears, .events = POLLIN};
    const int64_t until = vz_os_now_ns() + STOP_NS;
    while (s->reading > 0 && vz_os_now_ns() < until) {
        vz_os_poll(&polled, 1, time_left(until, vz_os_now_ns()));
        take_read(s);
    }
    if (s->reading > 0) {
        fflush(stdout);
        vz_os_exit(VZ_EXIT_FINE);
    }
    vz_serve_readers_stop(s->readers);
}

static void end_all(server *s)
{
    for (size_t i = 0; s->connections && i < VZ_SERVE_CONNECTIONS_MAX; i++)
        if (s->connections[i].state != VZ_SERVE_FREE)
            close_connection(s, &s->connections[i]);
    if (s->readers)
        end_reading(s);
    free(s->connections);
    vz_os_bell_close(&s->bell);
}

bool vz_serve_run(vz_serve_site *site, int listener, const vz_os_bell *stop, vz_error *err)
{
    server s = {.site = site, .listener = listener};
    if (vz_os_bell_open(&s.bell) != 0) {
        vz_os_close(listener);
        return vz_fail_errno(err, errno, "no pipe can be made");
    }
    s.connections = calloc(VZ_SERVE_CONNECTIONS_MAX, sizeof *s.connections);
    s.readers = s.connections ? vz_serve_readers_start(site, &s.bell, err) : NULL;
    if (!s.connections)
        vz_fail_memory(err);
    const bool ok = s.readers && serve(&s, stop, err);
    vz_os_close(listener);
    end_all(&s);
    return ok;
}
