/* owner.c - which process may write what a hierarchy holds. It is the one that opened it, as long as that runs: what a
 * forked child inherits is a copy, which would be written twice, or torn. Once that process has ended, a child goes on
 * with what it inherited, as it would with a native file, if nothing was written since the fork: only then is the copy
 * what its owner last had. Of several children one does. */
#include "hierarchy/hierarchy.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TAKEN ((uint64_t)1 << 63) /* in the shared number of writes: a child has taken the store over */

/* Shared by the hierarchies that one process opened for writing. */
struct vz_process {
    pid_t id;
    int descriptor; /* tells when it has ended; -1: the system has no such descriptors */
    unsigned users;
};

static struct vz_process *myself; /* in a forked child: the parent's, until the child opens something */

static struct vz_process *process_take(vz_error *err)
{
    if (!myself || myself->id != getpid()) {
        struct vz_process *process = calloc(1, sizeof *process);
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

static void process_leave(struct vz_process *process)
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
static bool is_descriptor_ours(const struct vz_process *process)
{
#ifdef SYS_pidfd_send_signal
    return process->descriptor >= 0 &&
           (syscall(SYS_pidfd_send_signal, process->descriptor, 0, NULL, 0) == 0 || errno == ESRCH);
#else
    return false;
#endif
}

/* Where nothing tells, it is taken to run. */
static bool has_ended(const struct vz_process *process)
{
    struct pollfd wait = {.fd = process->descriptor, .events = POLLIN};
    if (getppid() == process->id)
        return false;
    if (is_descriptor_ours(process) && poll(&wait, 1, 0) >= 0)
        return wait.revents & POLLIN;
    return kill(process->id, 0) != 0 && errno == ESRCH;
}

bool vz_hierarchy_own(vz_hierarchy *hierarchy, vz_error *err)
{
    struct vz_process *process = process_take(err);
    if (!process)
        return false;
    void *page =
        mmap(NULL, sizeof *hierarchy->store->shared_writes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    vz_hierarchy_disown(hierarchy);
    hierarchy->process = process;
    if (page == MAP_FAILED)
        return true; /* no child can take the store over */
    hierarchy->store->shared_writes = page;
    atomic_init(hierarchy->store->shared_writes, hierarchy->store->writes);
    return true;
}

void vz_hierarchy_disown(vz_hierarchy *hierarchy)
{
    process_leave(hierarchy->process);
    hierarchy->process = NULL;
    if (hierarchy->store && hierarchy->store->shared_writes)
        munmap((void *)hierarchy->store->shared_writes, sizeof *hierarchy->store->shared_writes);
    if (hierarchy->store)
        hierarchy->store->shared_writes = NULL;
}

/* One of all children that find their owner's number of writes unchanged. */
static bool take_over(vz_hierarchy *hierarchy)
{
    vz_store *store = hierarchy->store;
    uint64_t seen = store->writes;
    if (!store->shared_writes || !atomic_compare_exchange_strong(store->shared_writes, &seen, seen | TAKEN) ||
        !vz_hierarchy_own(hierarchy, NULL))
        return false;
    hierarchy->owner = getpid();
    hierarchy->kept = false;
    for (struct vz_node_dirt *dirt = hierarchy->dirty; dirt; dirt = dirt->next)
        if (dirt->node->io)
            vz_array_keep_dirty(dirt->node->io, false);
    return true;
}

static bool holds_unwritten(const vz_hierarchy *hierarchy)
{
    return hierarchy->dirty || vz_store_is_uncommitted(hierarchy->store) || vz_store_owes(hierarchy->store, "");
}

vz_ownership vz_hierarchy_ownership(vz_hierarchy *hierarchy, vz_error *err)
{
    if (!vz_hierarchy_inherited(hierarchy))
        return VZ_OWNED;
    if (!hierarchy->process || !has_ended(hierarchy->process)) {
        vz_hierarchy_keep_inherited(hierarchy);
        return VZ_OWNED_BY_PARENT;
    }
    if (take_over(hierarchy))
        return VZ_OWNED;
    vz_hierarchy_keep_inherited(hierarchy);
    if (!holds_unwritten(hierarchy))
        return VZ_OWNED_BY_PARENT;
    vz_fail(err, VZ_BUSY,
            "not written: the process that opened the store has ended, and since this one was forked it, or "
            "another that it forked, wrote to the store");
    vz_error_where(err, hierarchy->path, NULL);
    return VZ_OWNED_BY_NOBODY;
}

bool vz_hierarchy_check_flush(vz_hierarchy *hierarchy, vz_error *err)
{
    if (!hierarchy->writable || !holds_unwritten(hierarchy))
        return true;
    const vz_ownership ownership = vz_hierarchy_ownership(hierarchy, err);
    if (ownership != VZ_OWNED_BY_PARENT)
        return ownership == VZ_OWNED;
    vz_fail(err, VZ_BUSY,
            "not written: the store was opened before this process was forked, and is its parent's to write");
    vz_error_where(err, hierarchy->path, NULL);
    return false;
}
