/* connection.c - one client: what it sends, and what it gets. Nothing here waits. */
#include "command/serve/serve_internal.h"
#include "base/os/file.h"
#include "base/os/process.h"
#include <errno.h>

static void enter(vz_serve_connection *connection, vz_serve_state state, int64_t ms)
{
    connection->state = state;
    connection->since = 0;
    connection->until_ns = ms ? vz_os_now_ns() + ms * (VZ_OS_NS_PER_S / 1000) : INT64_MAX;
}

static bool is_for_later(ssize_t got)
{
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

void vz_serve_connection_begin(vz_serve_connection *connection, int file)
{
    connection->socket = file;
    connection->is_gone = false;
    connection->served = 0;
    connection->size = 0;
    connection->job.answer = (vz_serve_answer){.value = {.file = -1}};
    enter(connection, VZ_SERVE_LISTENS, VZ_SERVE_HEAD_MS);
}

void vz_serve_connection_close(vz_serve_connection *connection, const vz_serve_site *site)
{
    if (connection->state == VZ_SERVE_READS) {
        connection->is_gone = true;
        return;
    }
    vz_serve_end(site, &connection->job.answer);
    vz_os_close(connection->socket);
    connection->socket = -1;
    enter(connection, VZ_SERVE_FREE, 0);
}

/* ---- requests ---- */

static void refuse(vz_serve_connection *connection, const vz_serve_site *site, int status)
{
    vz_serve_answer *answer = &connection->job.answer;
    *answer = (vz_serve_answer){.closes = true, .value = {.file = -1}, .failed = VZ_ERROR_NONE};
    connection->head_size = connection->size;
    vz_serve_refuse(site, answer, status, status == 400 ? "this is no request" : "the request is too long");
}

/* The next request, if all of it is there. */
static void next_request(vz_serve_connection *connection, const vz_serve_site *site)
{
    int status;
    size_t blank = 0; /* empty lines before a request count as nothing */
    while (connection->size - blank >= 2 && memcmp(connection->data + blank, "\r\n", 2) == 0)
        blank += 2;
    connection->size -= blank;
    memmove(connection->data, connection->data + blank, connection->size);
    connection->sent = 0;
    connection->head_size = vz_serve_head_size(connection->data, connection->size, &status);
    if (status) {
        refuse(connection, site, status);
        enter(connection, VZ_SERVE_SENDS, VZ_SERVE_SEND_MS);
    } else if (connection->head_size > 0) {
        if (vz_serve_begin(site, &connection->job.answer, connection->data, connection->head_size))
            enter(connection, VZ_SERVE_WAITS, 0);
        else
            enter(connection, VZ_SERVE_SENDS, VZ_SERVE_SEND_MS);
    }
}

static void receive(vz_serve_connection *connection, const vz_serve_site *site)
{
    const bool is_first = connection->size == 0 && connection->served > 0;
    const ssize_t got = vz_os_receive(connection->socket, connection->data + connection->size,
                                      sizeof connection->data - connection->size);
    if (is_for_later(got))
        return;
    if (got <= 0) {
        vz_serve_connection_close(connection, site);
        return;
    }
    connection->size += (size_t)got;
    if (is_first)
        enter(connection, VZ_SERVE_LISTENS, VZ_SERVE_HEAD_MS);
    next_request(connection, site);
}

static void throw_away(vz_serve_connection *connection, const vz_serve_site *site)
{
    const ssize_t got = vz_os_receive(connection->socket, connection->data, sizeof connection->data);
    if (got <= 0 && !is_for_later(got))
        vz_serve_connection_close(connection, site);
}

/* ---- answers ---- */

/* A connection that is closed with bytes that were not received takes the answer with it. */
static void linger(vz_serve_connection *connection, const vz_serve_site *site)
{
    vz_serve_end(site, &connection->job.answer);
    if (vz_os_end_sending(connection->socket) != 0)
        vz_serve_connection_close(connection, site);
    else
        enter(connection, VZ_SERVE_LINGERS, VZ_SERVE_LINGER_MS);
}

static void end_answer(vz_serve_connection *connection, const vz_serve_site *site)
{
    const bool closes = connection->job.answer.closes;
    connection->served++;
    if (closes) {
        linger(connection, site);
        return;
    }
    vz_serve_end(site, &connection->job.answer);
    connection->size -= connection->head_size;
    memmove(connection->data, connection->data + connection->head_size, connection->size);
    enter(connection, VZ_SERVE_LISTENS, connection->size > 0 ? VZ_SERVE_HEAD_MS : VZ_SERVE_IDLE_MS);
    next_request(connection, site);
}

static void send_more(vz_serve_connection *connection, const vz_serve_site *site)
{
    const vz_buffer *bytes = &connection->job.answer.bytes;
    const ssize_t sent = vz_os_send(connection->socket, bytes->data + connection->sent, bytes->size - connection->sent);
    if (is_for_later(sent))
        return;
    if (sent < 0) {
        vz_serve_connection_close(connection, site);
        return;
    }
    connection->sent += (size_t)sent;
    connection->since += (size_t)sent;
    if (connection->since >= VZ_SERVE_SEND_STEP)
        enter(connection, VZ_SERVE_SENDS, VZ_SERVE_SEND_MS);
    if (connection->sent < bytes->size)
        return;
    connection->job.answer.bytes.size = connection->sent = 0;
    if (vz_serve_has_more(&connection->job.answer))
        enter(connection, VZ_SERVE_WAITS, 0);
    else
        end_answer(connection, site);
}

void vz_serve_connection_read(vz_serve_connection *connection, const vz_serve_site *site)
{
    enter(connection, VZ_SERVE_SENDS, VZ_SERVE_SEND_MS);
    if (connection->is_gone || connection->job.answer.is_cut)
        vz_serve_connection_close(connection, site);
    else
        send_more(connection, site);
}

/* ---- poll ---- */

short vz_serve_connection_events(const vz_serve_connection *connection)
{
    switch (connection->state) {
    case VZ_SERVE_LISTENS:
    case VZ_SERVE_LINGERS:
        return POLLIN;
    case VZ_SERVE_SENDS:
        return POLLOUT;
    default:
        return 0;
    }
}

void vz_serve_connection_meet(vz_serve_connection *connection, const vz_serve_site *site, short events)
{
    const bool is_gone = events & (POLLERR | POLLHUP | POLLNVAL);
    if (connection->state == VZ_SERVE_LISTENS && events & POLLIN)
        receive(connection, site);
    else if (connection->state == VZ_SERVE_LINGERS && events & POLLIN)
        throw_away(connection, site);
    else if (is_gone)
        vz_serve_connection_close(connection, site);
    else if (connection->state == VZ_SERVE_SENDS && events & POLLOUT)
        send_more(connection, site);
}
