/* public_hosts.h - a network for tests in which nothing leaves the machine. 203.0.113.0/24, which is nobody's, stands
 * for public addresses: a connection to one of them goes to the same port of 127.0.0.1, and says that it did not.
 * Names:
 *
 *   NAME.public.test   203.0.113.1     NAME.inner.test    127.0.0.1     NAME.mapped.test   ::ffff:127.0.0.1
 *
 * No other name leads anywhere, and no other address but the loopback ones can be reached: `strays` counts who tried.
 * What includes this has the functions of the C library by these names: a program, or a library that is preloaded. */
#ifndef VZ_TEST_PUBLIC_HOSTS_H
#define VZ_TEST_PUBLIC_HOSTS_H

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#define SEEN           __attribute__((visibility("default")))
#define PUBLIC_NET     0xcb007100u /* 203.0.113.0 */
#define PUBLIC_FDS_MAX 4096

static _Atomic uint32_t
    public_peers[PUBLIC_FDS_MAX]; /* of a descriptor: the address that it is said to have; 0: its own */
static atomic_uint strays;

SEEN unsigned public_hosts_strays(void);
unsigned public_hosts_strays(void)
{
    return strays;
}

static bool is_here(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
    if (address->sa_family != AF_INET6)
        return true;
    const struct in6_addr *in6 = &((const struct sockaddr_in6 *)address)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(in6) || (IN6_IS_ADDR_V4MAPPED(in6) && in6->s6_addr[12] == 127);
}

SEEN int connect(int fd, const struct sockaddr *address, socklen_t size)
{
    int (*const next)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "connect");
    struct sockaddr_in in;
    if (fd >= 0 && fd < PUBLIC_FDS_MAX)
        public_peers[fd] = 0;
    if (is_here(address))
        return next(fd, address, size);
    memcpy(&in, address, sizeof in);
    if (address->sa_family != AF_INET || (ntohl(in.sin_addr.s_addr) & ~0xffu) != PUBLIC_NET || fd >= PUBLIC_FDS_MAX) {
        strays++;
        errno = ENETUNREACH;
        return -1;
    }
    public_peers[fd] = in.sin_addr.s_addr;
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return next(fd, (const struct sockaddr *)&in, sizeof in);
}

SEEN int getpeername(int fd, struct sockaddr *address, socklen_t *size)
{
    int (*const next)(int, struct sockaddr *, socklen_t *) = dlsym(RTLD_NEXT, "getpeername");
    const int status = next(fd, address, size);
    if (status == 0 && fd < PUBLIC_FDS_MAX && public_peers[fd] && address->sa_family == AF_INET)
        ((struct sockaddr_in *)address)->sin_addr.s_addr = public_peers[fd];
    return status;
}

static bool is_below(const char *name, const char *domain)
{
    const size_t size = strlen(name), length = strlen(domain);
    return size > length && strcmp(name + size - length, domain) == 0;
}

SEEN int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found)
{
    int (*const next)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
        dlsym(RTLD_NEXT, "getaddrinfo");
    struct in6_addr number;
    struct addrinfo any = hints ? *hints : (struct addrinfo){0};
    any.ai_flags &= ~(AI_ADDRCONFIG | AI_V4MAPPED);
    if (!name || strcmp(name, "localhost") == 0 || inet_aton(name, (struct in_addr *)&number) ||
        inet_pton(AF_INET6, name, &number) == 1)
        return next(name, service, hints, found);
    const char *leads = is_below(name, ".public.test")   ? "203.0.113.1"
                        : is_below(name, ".inner.test")  ? "127.0.0.1"
                        : is_below(name, ".mapped.test") ? "::ffff:127.0.0.1"
                                                         : NULL;
    return leads ? next(leads, service, &any, found) : EAI_NONAME;
}

#endif
