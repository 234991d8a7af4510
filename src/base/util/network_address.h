/* network_address.h - which addresses are of this machine or of a private network. */
#ifndef VZ_UTIL_NETWORK_ADDRESS_H
#define VZ_UTIL_NETWORK_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

struct sockaddr;

typedef enum vz_address {
    VZ_ADDRESS_PUBLIC,
    VZ_ADDRESS_PRIVATE,  /* loopback, link-local, private, shared; what is no address of IPv4 or IPv6 */
    VZ_ADDRESS_METADATA, /* where a cloud's machine asks for its credentials */
} vz_address;

vz_address vz_address_of(const struct sockaddr *address);
/* Judges the text of a host by itself, `size` bytes, IPv6 in brackets or without: an address in any
 * notation that the system takes, or "localhost" and names below it. Other names are public as far
 * as is known before they are resolved. */
vz_address vz_address_of_host(const char *host, size_t size);

#endif
