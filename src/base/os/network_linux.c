/* network_linux.c - sockets: calls that only Linux has. */
#include "base/os/network.h"
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int vz_os_socket(int family, int type, int protocol)
{
    return socket(family, type | SOCK_CLOEXEC, protocol);
}

bool vz_os_can_tell_unsent(void)
{
    return true;
}

uint64_t vz_os_socket_unsent(int socket)
{
    int left = 0;
    return ioctl(socket, SIOCOUTQ, &left) == 0 && left > 0 ? (uint64_t)left : 0;
}
