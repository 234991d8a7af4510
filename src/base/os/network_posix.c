/* network_posix.c - sockets where the system has no more than POSIX. */
#include "base/os/network.h"
#include <fcntl.h>
#include <sys/socket.h>

int vz_os_socket(int family, int type, int protocol)
{
    const int made = socket(family, type, protocol);
    if (made >= 0)
        fcntl(made, F_SETFD, FD_CLOEXEC);
    return made;
}

#if defined(SO_NWRITE)
bool vz_os_can_tell_unsent(void)
{
    return true;
}

uint64_t vz_os_socket_unsent(int socket)
{
    int left = 0;
    socklen_t size = sizeof left;
    return getsockopt(socket, SOL_SOCKET, SO_NWRITE, &left, &size) == 0 && left > 0 ? (uint64_t)left : 0;
}
#else
bool vz_os_can_tell_unsent(void)
{
    return false;
}

uint64_t vz_os_socket_unsent(int socket)
{
    (void)socket;
    return 0;
}
#endif
