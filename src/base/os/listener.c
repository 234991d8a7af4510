/* listener.c - see listener.h. */
#include "base/os/listener.h"
#include "base/os/network.h"
#include "base/os/process_internal.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#if defined(MSG_NOSIGNAL)
#define NO_SIGNAL MSG_NOSIGNAL
#else
#define NO_SIGNAL 0 /* the socket has SO_NOSIGPIPE */
#endif
#define WAITING_MAX 128 /* connections that the system keeps until they are accepted */

/* ---- sockets ---- */

static int fail(int file)
{
    const int sys_errno = errno;
    close(file);
    errno = sys_errno;
    return -1;
}

static int without_waiting(int file)
{
    return fcntl(file, F_SETFL, O_NONBLOCK) == 0 && fcntl(file, F_SETFD, FD_CLOEXEC) == 0 ? file : fail(file);
}

int vz_os_listen_here(uint16_t *port)
{
    const int yes = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(*port)};
    socklen_t size = sizeof address;
    const int listener = vz_os_socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0)
        return -1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    /* Connections of a server that ended just now do not keep its port. */
    if (setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(listener, (const struct sockaddr *)&address, sizeof address) != 0 || listen(listener, WAITING_MAX) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        return fail(listener);
    *port = ntohs(address.sin_port);
    return without_waiting(listener);
}

int vz_os_accept(int listener)
{
    const int yes = 1;
    const int file = accept(listener, NULL, NULL);
    if (file < 0)
        return -1;
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes); /* it is slower without */
#if defined(SO_NOSIGPIPE)
    setsockopt(file, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
#endif
    return without_waiting(file);
}

ssize_t vz_os_receive(int file, void *data, size_t size)
{
    return recv(file, data, size, 0);
}

ssize_t vz_os_send(int file, const void *data, size_t size)
{
    return send(file, data, size, NO_SIGNAL);
}

int vz_os_end_sending(int file)
{
    return shutdown(file, SHUT_WR);
}

int vz_os_poll(struct pollfd *files, size_t count, int ms)
{
    return poll(files, (nfds_t)count, ms);
}

/* ---- bells ---- */

int vz_os_bell_open(vz_os_bell *bell)
{
    int ends[2];
    if (vz_os_pipe(ends) != 0)
        return -1;
    if (fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0 || fcntl(ends[1], F_SETFL, O_NONBLOCK) != 0) {
        close(ends[0]);
        return fail(ends[1]);
    }
    *bell = (vz_os_bell){.hears = ends[0], .rings = ends[1]};
    return 0;
}

/* A pipe that is full has rung already. */
void vz_os_bell_ring(const vz_os_bell *bell)
{
    const int sys_errno = errno;
    while (write(bell->rings, "", 1) < 0 && errno == EINTR)
        ;
    errno = sys_errno;
}

void vz_os_bell_calm(const vz_os_bell *bell)
{
    char bytes[64];
    ssize_t got;
    while ((got = read(bell->hears, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR))
        ;
}

void vz_os_bell_close(vz_os_bell *bell)
{
    close(bell->hears);
    close(bell->rings);
    *bell = (vz_os_bell){-1, -1};
}

/* ---- signals ---- */

static vz_os_bell stop_bell = {-1, -1};

static void stop(int number)
{
    (void)number;
    vz_os_bell_ring(&stop_bell);
}

void vz_os_stop_by_bell(const vz_os_bell *bell)
{
    static const int stoppers[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction rings = {.sa_handler = stop, .sa_flags = SA_RESETHAND | SA_RESTART};
    struct sigaction now;
    stop_bell = *bell;
    for (size_t i = 0; i < sizeof stoppers / sizeof *stoppers; i++)
        if (sigaction(stoppers[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaction(stoppers[i], &rings, NULL);
}
