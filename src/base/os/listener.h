/* listener.h - a server's side of sockets: listening on this machine, connections, waiting for
 * many at once; and the signals that end a server. */
#ifndef VZ_OS_LISTENER_H
#define VZ_OS_LISTENER_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Nothing here waits but vz_os_poll. All answer as the system does: -1 and errno. Descriptors are
 * closed by exec, and by vz_os_close (file.h). */

/* Listens at 127.0.0.1. *port: 0 for any that is free; the one that it is afterwards. EADDRINUSE:
 * another program has it. */
int vz_os_listen_here(uint16_t *port);
/* The next connection; EAGAIN: there is none. */
int vz_os_accept(int listener);
/* EAGAIN: nothing is there now, or there is no room now. 0 bytes received: the other side sends no
 * more. A connection that is gone is an error, and no signal. */
ssize_t vz_os_receive(int socket, void *data, size_t size);
ssize_t vz_os_send(int socket, const void *data, size_t size);
int vz_os_end_sending(int socket); /* the other side sees the end; it may still send */

/* Until one of them is ready, for so many milliseconds; negative: without an end. How many. EINTR:
 * a signal came. */
int vz_os_poll(struct pollfd *files, size_t count, int ms);

/* A bell that a thread or a signal rings, and that poll hears. */
typedef struct vz_os_bell {
    int hears, rings;
} vz_os_bell;
int vz_os_bell_open(vz_os_bell *bell); /* 0 */
void vz_os_bell_ring(const vz_os_bell *bell);
void vz_os_bell_calm(const vz_os_bell *bell); /* what rang is heard */
void vz_os_bell_close(vz_os_bell *bell);

/* From here on SIGINT, SIGTERM and SIGHUP ring this bell once, unless the program ignores them.
 * The second one ends the program. */
void vz_os_stop_by_bell(const vz_os_bell *bell);

#endif
