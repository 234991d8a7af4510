/* process.c - which process opened a store. */
#include "store/process.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TAKEN ((uint64_t)1 << 63) /* in the shared number of writes: a child has taken the store over */

struct vz_process {
    pid_t id;
    int descriptor; /* tells when it has ended; -1: the system has no such descriptors */
    unsigned users;
};

static vz_process *myself; /* in a forked child: the parent's, until the child opens something */

/* The number, kept in a page that is all zeros in a forked child: who asks at each call of the program's does not go to
 * the system each time. NULL: the system has no such pages. */
static atomic_long *known_id;
static pthread_once_t known_once = PTHREAD_ONCE_INIT;

static void make_known(void)
{
#ifdef MADV_WIPEONFORK
    void *page = mmap(NULL, sizeof *known_id, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    if (madvise(page, sizeof *known_id, MADV_WIPEONFORK) == 0)
        known_id = page;
    else
        munmap(page, sizeof *known_id);
#endif
}

/* The module may be unloaded, and loaded again. */
__attribute__((destructor)) static void forget_known(void)
{
    if (known_id)
        munmap((void *)known_id, sizeof *known_id);
}

long vz_process_id(void)
{
    pthread_once(&known_once, make_known);
    long id = known_id ? atomic_load_explicit(known_id, memory_order_relaxed) : 0;
    if (id == 0)
        id = (long)getpid();
    if (known_id)
        atomic_store_explicit(known_id, id, memory_order_relaxed);
    return id;
}

vz_process *vz_process_take(vz_error *err)
{
    if (!myself || myself->id != getpid()) {
        vz_process *process = calloc(1, sizeof *process);
        if (!process) {
            vz_fail_memory(err);
            return NULL;
        }
        process->id = getpid();
#ifdef SYS_pidfd_open
        process->descriptor = (int)syscall(SYS_pidfd_open, process->id, 0);
#else
        process->descriptor = -1;
#endif
        myself = process;
    }
    myself->users++;
    return myself;
}

void vz_process_leave(vz_process *process)
{
    if (!process || --process->users > 0)
        return;
    if (process->descriptor >= 0)
        close(process->descriptor);
    if (myself == process)
        myself = NULL;
    free(process);
}

/* A daemon closes all descriptors, and opens others of the same numbers. Signal 0 asks and does nothing. */
static bool is_descriptor_ours(const vz_process *process)
{
#ifdef SYS_pidfd_send_signal
    return process->descriptor >= 0 &&
           (syscall(SYS_pidfd_send_signal, process->descriptor, 0, NULL, 0) == 0 || errno == ESRCH);
#else
    return false;
#endif
}

bool vz_process_has_ended(const vz_process *process)
{
    struct pollfd wait = {.fd = process->descriptor, .events = POLLIN};
    if (getppid() == process->id)
        return false;
    if (is_descriptor_ours(process) && poll(&wait, 1, 0) >= 0)
        return wait.revents & POLLIN;
    return kill(process->id, 0) != 0 && errno == ESRCH;
}

/* ---- how often a store was written ---- */

void vz_store_share(vz_store *store)
{
    vz_store_unshare(store);
    void *page = mmap(NULL, sizeof *store->shared_writes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return; /* no child can take the store over */
    store->shared_writes = page;
    atomic_init(store->shared_writes, store->writes);
}

void vz_store_unshare(vz_store *store)
{
    if (store->shared_writes)
        munmap((void *)store->shared_writes, sizeof *store->shared_writes);
    store->shared_writes = NULL;
}

bool vz_store_take_over(vz_store *store)
{
    uint64_t seen = store->writes;
    return store->shared_writes && atomic_compare_exchange_strong(store->shared_writes, &seen, seen | TAKEN);
}
