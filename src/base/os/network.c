/* network.c - see network.h. */
#include "base/os/network.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOST_MAX 255

typedef struct range4 {
    uint8_t first[4];
    unsigned bits;
} range4;

static const range4 private4[] = {
    {{0, 0, 0, 0}, 8},      {{10, 0, 0, 0}, 8},    {{100, 64, 0, 0}, 10},  {{127, 0, 0, 0}, 8},
    {{169, 254, 0, 0}, 16}, {{172, 16, 0, 0}, 12}, {{192, 168, 0, 0}, 16},
};
static const uint8_t metadata4[4] = {169, 254, 169, 254};
static const uint8_t metadata6[16] = {0xfd, 0x00, 0x0e, 0xc2, [14] = 0x02, [15] = 0x54};

static uint32_t number(const uint8_t bytes[4])
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static vz_address of_4(const uint8_t bytes[4])
{
    if (memcmp(bytes, metadata4, sizeof metadata4) == 0)
        return VZ_ADDRESS_METADATA;
    for (size_t i = 0; i < sizeof private4 / sizeof *private4; i++)
        if ((number(bytes) ^ number(private4[i].first)) >> (32 - private4[i].bits) == 0)
            return VZ_ADDRESS_PRIVATE;
    return VZ_ADDRESS_PUBLIC;
}

static bool begins(const uint8_t bytes[16], const uint8_t *prefix, size_t size)
{
    return memcmp(bytes, prefix, size) == 0;
}

/* Addresses of IPv4 in those of IPv6: mapped, compatible (::1 and :: among them), and behind
 * NAT64 and 6to4. */
static vz_address of_6(const uint8_t bytes[16])
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff}, zeros[12] = {0}, nat64[12] = {0x00, 0x64, 0xff, 0x9b};
    if (begins(bytes, metadata6, sizeof metadata6))
        return VZ_ADDRESS_METADATA;
    if (begins(bytes, mapped, sizeof mapped) || begins(bytes, zeros, sizeof zeros) ||
        begins(bytes, nat64, sizeof nat64))
        return of_4(bytes + 12);
    if (bytes[0] == 0x20 && bytes[1] == 0x02)
        return of_4(bytes + 2);
    const bool is_local = bytes[0] == 0xfe && bytes[1] >= 0x80; /* fe80::/10, fec0::/10 */
    return is_local || (bytes[0] & 0xfe) == 0xfc ? VZ_ADDRESS_PRIVATE : VZ_ADDRESS_PUBLIC;
}

vz_address vz_address_of(const struct sockaddr *address)
{
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    switch (address->sa_family) {
    case AF_INET:
        memcpy(&in, address, sizeof in);
        return of_4((const uint8_t *)&in.sin_addr);
    case AF_INET6:
        memcpy(&in6, address, sizeof in6);
        return of_6(in6.sin6_addr.s6_addr);
    default:
        return VZ_ADDRESS_PRIVATE;
    }
}

static bool ends_with(const char *host, const char *suffix)
{
    const size_t size = strlen(host), length = strlen(suffix);
    return size >= length && strcasecmp(host + size - length, suffix) == 0;
}

vz_address vz_address_of_host(const char *host, size_t size)
{
    char text[HOST_MAX + 1];
    struct in_addr in;
    struct in6_addr in6;
    if (size > 1 && host[0] == '[' && host[size - 1] == ']') {
        host++;
        size -= 2;
    }
    if (size > HOST_MAX)
        return VZ_ADDRESS_PUBLIC; /* no system resolves it */
    memcpy(text, host, size);
    text[size] = '\0';
    text[strcspn(text, "%")] = '\0'; /* the zone of a link-local address */
    if (inet_aton(text, &in))
        return of_4((const uint8_t *)&in);
    if (inet_pton(AF_INET6, text, &in6) == 1)
        return of_6(in6.s6_addr);
    if (size > 0 && text[strlen(text) - (*text != '\0')] == '.')
        text[strlen(text) - 1] = '\0';
    return strcasecmp(text, "localhost") == 0 || ends_with(text, ".localhost") ? VZ_ADDRESS_PRIVATE : VZ_ADDRESS_PUBLIC;
}

bool vz_os_is_loopback4(const char *host)
{
    struct in_addr address;
    return inet_pton(AF_INET, host, &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

/* ---- sockets ---- */

int vz_os_socket_close(int socket)
{
    return close(socket);
}

uint64_t vz_os_socket_number(int socket)
{
    struct stat status;
    return fstat(socket, &status) == 0 && S_ISSOCK(status.st_mode) ? (uint64_t)status.st_ino + 1 : 0;
}

static int port_of(const struct sockaddr_storage *address)
{
    return address->ss_family == AF_INET    ? ntohs(((const struct sockaddr_in *)address)->sin_port)
           : address->ss_family == AF_INET6 ? ntohs(((const struct sockaddr_in6 *)address)->sin6_port)
                                            : 0;
}

bool vz_os_socket_has_ports(int socket, int own, int other)
{
    struct sockaddr_storage here = {0}, there = {0};
    socklen_t here_size = sizeof here, there_size = sizeof there;
    return getsockname(socket, (struct sockaddr *)&here, &here_size) == 0 && port_of(&here) == own &&
           getpeername(socket, (struct sockaddr *)&there, &there_size) == 0 && port_of(&there) == other;
}

bool vz_os_host_name(char *name, size_t size)
{
    if (gethostname(name, size) != 0)
        return false;
    name[size - 1] = 0; /* POSIX leaves it open whether a name that was cut ends with a zero */
    return name[0] != 0;
}
