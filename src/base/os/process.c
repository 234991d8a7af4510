/* process.c - which process opened a store. */
#include "base/os/file.h"
#include "base/os/process_internal.h"
#include "base/os/process.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct vz_process {
    pid_t id;
    int descriptor; /* tells when it has ended; -1: there was no fork yet, or the system has no such
                     * descriptors */
    unsigned users;
};

/* `myself` and its descriptor: a thread that forks is another one. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static vz_process *myself; /* in a forked child: the parent's, until the child opens something */
static pid_t forked_by;    /* in a forked child: its parent; else what forked last, this process */
static pthread_once_t forks_once = PTHREAD_ONCE_INIT;

/* Only a child ever asks whether its parent has ended, so that opening a store opens no
 * descriptor for that. */
static void before_fork(void)
{
    pthread_mutex_lock(&lock);
    forked_by = getpid();
    if (myself && myself->descriptor < 0 && myself->id == getpid())
        myself->descriptor = vz_os_process_watch(myself->id);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

/* Facts kept in a page that is all zeros in a forked child, so that the system is not asked each
 * time. NULL: the system has no such pages. */
static struct known {
    atomic_long id;
    _Atomic(uint64_t) drawn[2]; /* at random; 0: not yet */
    _Atomic(uint64_t) given;    /* numbers that began with that */
} * known;
static pthread_once_t known_once = PTHREAD_ONCE_INIT;

/* qemu-user before 8.0 promises to wipe that page, and does not. */
static void after_fork_in_child(void)
{
    after_fork();
    if (known)
        memset(known, 0, sizeof *known);
}

static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

static void make_known(void)
{
    known = vz_os_map_wiped_by_fork(sizeof *known);
    pthread_once(&forks_once, watch_forks);
}

long vz_process_id(void)
{
    pthread_once(&known_once, make_known);
    long id = known ? atomic_load_explicit(&known->id, memory_order_relaxed) : 0;
    if (id == 0)
        id = (long)getpid();
    if (known)
        atomic_store_explicit(&known->id, id, memory_order_relaxed);
    return id;
}

static void draw(uint64_t number[2])
{
    struct timespec now;
    if (vz_os_random(number, 2 * sizeof *number))
        return;
    clock_gettime(CLOCK_REALTIME, &now); /* a machine that has just started */
    number[0] = (uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec;
    number[1] = (uint64_t)getpid() << 40 ^ (uint64_t)(uintptr_t)&now;
}

/* A process draws once, and counts from there: to meet another's number is as unlikely as to
 * draw it. Of threads that draw at once the first one counts. */
void vz_process_unlike(uint64_t number[2])
{
    pthread_once(&known_once, make_known);
    if (!known || !known->drawn[0] || !known->drawn[1])
        draw(number);
    for (size_t i = 0; known && i < 2; i++) {
        uint64_t none = 0;
        if (!known->drawn[i])
            atomic_compare_exchange_strong(&known->drawn[i], &none, number[i] ? number[i] : 1);
        number[i] = known->drawn[i];
    }
    if (known)
        number[1] += known->given++;
}

vz_process *vz_process_take(vz_error *err)
{
    pthread_once(&forks_once, watch_forks);
    const pid_t id = (pid_t)vz_process_id();
    vz_process *fresh = NULL;
    pthread_mutex_lock(&lock);
    if ((!myself || myself->id != id) && (fresh = calloc(1, sizeof *fresh))) {
        *fresh = (vz_process){.id = id, .descriptor = -1};
        myself = fresh;
    }
    vz_process *process = myself && myself->id == id ? myself : NULL;
    if (process)
        process->users++;
    pthread_mutex_unlock(&lock);
    if (!process)
        vz_fail_memory(err);
    return process;
}

void vz_process_leave(vz_process *process)
{
    if (!process)
        return;
    pthread_mutex_lock(&lock);
    const bool is_last = --process->users == 0;
    if (is_last && myself == process)
        myself = NULL;
    pthread_mutex_unlock(&lock);
    if (!is_last)
        return;
    if (process->descriptor >= 0)
        close(process->descriptor);
    free(process);
}

bool vz_process_has_ended(const vz_process *process)
{
    struct pollfd wait = {.fd = process->descriptor, .events = POLLIN};
    if (getppid() == process->id)
        return false;
    if (vz_os_process_is_watched(process->descriptor) && poll(&wait, 1, 0) >= 0)
        return wait.revents & POLLIN;
    /* Its child has got another parent by now. 0: the parent is in another name space. */
    if (forked_by == process->id && getpid() != process->id && getppid() != 0)
        return true;
    return !vz_process_is_there(process->id);
}

bool vz_process_is_there(long id)
{
    return (pid_t)id != id || kill((pid_t)id, 0) == 0 || errno != ESRCH;
}

/* The module may be unloaded, and loaded again. */
__attribute__((destructor)) static void forget_page(void)
{
    if (known)
        munmap(known, sizeof *known);
}
