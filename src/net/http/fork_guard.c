/* fork_guard.c - a process that forks. The transfer thread pauses outside of libcurl during the
 * fork, so that the child finds no lock taken and no list half changed. The child waits for no
 * transfer. It closes its descriptors of the parent's connections without shutting them down, drops
 * the parent's requests, and starts its own thread with its first request. */
#include "net/http/engine_internal.h"
#include "base/os/network.h"
#include "base/os/thread.h"
#include <stdlib.h>

/* libcurl up to 7.88 closes a socket that is not connected yet without asking for it. So an entry
 * may stand for a descriptor that is closed, or that is another file's by now. */
static struct vz_net_socket *find_socket(int descriptor)
{
    for (size_t i = 0; i < vz_net.socket_count; i++)
        if (vz_net.sockets[i].descriptor == descriptor)
            return &vz_net.sockets[i];
    return NULL;
}

bool vz_net_socket_opened(int descriptor)
{
    struct vz_net_socket *entry = find_socket(descriptor);
    if (!entry && vz_net.socket_count == vz_net.socket_room) {
        const size_t room = vz_net.socket_room ? 2 * vz_net.socket_room : 64;
        struct vz_net_socket *sockets = realloc(vz_net.sockets, room * sizeof *sockets);
        if (!sockets)
            return false;
        vz_net.sockets = sockets;
        vz_net.socket_room = room;
    }
    if (!entry)
        entry = &vz_net.sockets[vz_net.socket_count++];
    *entry = (struct vz_net_socket){descriptor, vz_os_socket_number(descriptor)};
    return true;
}

void vz_net_socket_closed(int descriptor)
{
    struct vz_net_socket *entry = find_socket(descriptor);
    if (entry)
        *entry = vz_net.sockets[--vz_net.socket_count];
}

/* Only those that are still ours: the program may have got the descriptor of a closed one. */
static void close_sockets(void)
{
    for (size_t i = 0; i < vz_net.socket_count; i++) {
        const struct vz_net_socket *entry = &vz_net.sockets[i];
        if (entry->number && vz_os_socket_number(entry->descriptor) == entry->number)
            vz_os_socket_close(entry->descriptor);
    }
    vz_net.socket_count = 0;
}

static void before_fork(void)
{
    vz_os_mutex_lock(&vz_net.lock);
    if (!vz_net.running || vz_os_thread_is_current(vz_net.thread))
        return;
    vz_net.park = true;
    vz_net_wake();
    while (vz_net.running && !vz_net.parked)
        vz_os_condition_wait(&vz_net.changed, &vz_net.lock);
}

static void after_fork_in_parent(void)
{
    vz_net.park = false;
    vz_os_condition_broadcast(&vz_net.changed);
    vz_os_mutex_unlock(&vz_net.lock);
}

/* libcurl's state of the parent stays as it is: cleaning it up would speak to the servers, and wait
 * for threads that are not here. Handles between two transfers, and sessions of TLS, are memory and
 * nothing else. */
static void after_fork_in_child(void)
{
    close_sockets();
    vz_net.generation++;
    vz_net.multi = NULL;
    vz_net.running = vz_net.ending = vz_net.park = vz_net.parked = vz_net.woken = false;
    TAILQ_INIT(&vz_net.sets);
    TAILQ_INIT(&vz_net.later);
    TAILQ_INIT(&vz_net.active);
    vz_net.active_count = 0;
    vz_net.bytes = 0;
    vz_net.random = 0;
    vz_net_host *host;
    TAILQ_FOREACH(host, &vz_net.hosts, all)
    host->active = host->jobs = 0;
    vz_os_condition_init(&vz_net.changed);
    vz_os_mutex_unlock(&vz_net.lock);
}

static void register_fork(void)
{
    vz_os_at_fork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void vz_net_fork_register(void)
{
    static vz_os_once once = VZ_OS_ONCE_INIT;
    vz_os_run_once(&once, register_fork);
}
