/* network.h - sockets, and which addresses are of this machine or of a private network. */
#ifndef VZ_OS_NETWORK_H
#define VZ_OS_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sockaddr;

typedef enum vz_address {
    VZ_ADDRESS_PUBLIC,
    VZ_ADDRESS_PRIVATE,  /* loopback, link-local, private, shared; what is no address of IPv4 or
                          * IPv6 */
    VZ_ADDRESS_METADATA, /* where a cloud's machine asks for its credentials */
} vz_address;

vz_address vz_address_of(const struct sockaddr *address);
/* Judges the text of a host by itself, `size` bytes, IPv6 in brackets or without. It is an address
 * in any notation that the system takes, or "localhost" and names below it. Other names are public
 * as far as is known before they are resolved. */
vz_address vz_address_of_host(const char *host, size_t size);
/* Is it an address of IPv4, four numbers, of this machine itself? */
bool vz_os_is_loopback4(const char *host);

/* The name of this machine, cut to `size` - 1 bytes. False: the system tells none. */
bool vz_os_host_name(char *name, size_t size);

/* -- Sockets -- */
/* A descriptor that exec closes; -1 and errno. */
int vz_os_socket(int family, int type, int protocol);
int vz_os_socket_close(int socket);
/* A number that the socket behind the descriptor has for itself while it is open, so that a
 * descriptor that became another file's is noticed. 0: the descriptor is closed, or no socket. */
uint64_t vz_os_socket_number(int socket);
/* Does the connection go from this port of ours to that port? */
bool vz_os_socket_has_ports(int socket, int own, int other);
/* Does the system tell how many bytes it took and the other side does not have yet? */
bool vz_os_can_tell_unsent(void);
/* These bytes; 0 where that is not known. */
uint64_t vz_os_socket_unsent(int socket);

#endif
