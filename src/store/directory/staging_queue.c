/* staging_queue.c - see staging_queue_internal.h. */
#include "store/directory/staging_queue_internal.h"
#include "store/directory/directory_internal.h"
#include "base/os/thread.h"
#include <stdatomic.h>
#include <stdlib.h>

#define ROOM    256 /* calls that wait at most */
#define SOME    64  /* so many are worth to wake a thread, which takes as long as some of them */
#define AT_ONCE 8   /* between two looks at what else is wanted */
/* of a call: its key with its end, and its value or its other key behind that */
#define TEXT_SIZE 960

struct waiting {
    vz_staging_operation what;
    vz_store *inner;
    bool begins, must_be_there;
    size_t key_size, size;
    char text[TEXT_SIZE];
};

/* One thread at a time works: the queue's own, or one that drains, for which the other one
 * stops. */
struct vz_staging_queue {
    vz_os_mutex lock;
    vz_os_condition wake; /* the queue's thread: there is something, or the end */
    vz_os_condition idle; /* who drains: nobody works; who adds: there is room again
                           * (`is_missed`) */
    vz_os_thread thread;
    bool has_thread, sleeps, ends, works, stuck, is_missed;
    unsigned drains; /* how many threads drain it */
    uint64_t added;
    atomic_uint_fast64_t made; /* in the order in which they were added */
    struct vz_staging_queue *next;
    struct waiting calls[ROOM]; /* number n is at n % ROOM */
};

/* ---- doing it ---- */

static bool put(const struct waiting *call, vz_error *err)
{
    const vz_bytes value = {(const uint8_t *)call->text + call->key_size, call->size};
    return vz_directory_put_numbered(call->inner, call->text, vz_parts_of(&value), call->begins, err);
}

static bool move(const struct waiting *call, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    const char *from = call->text, *to = call->text + call->key_size;
    if (call->begins)
        vz_directory_begin_numbered(call->inner, to);
    if (vz_directory_rename_made(call->inner, from, to) ||
        vz_directory_rename_between(call->inner, from, call->inner, to, true, &failed) ||
        (failed.class == VZ_NOT_FOUND && !call->must_be_there))
        return true;
    *err = failed;
    return false;
}

/* A caller that waits for room sleeps until the thread has made some for many calls. */
static bool has_much_room(const struct vz_staging_queue *later)
{
    return later->added - later->made <= ROOM / 2;
}

static bool make(const struct waiting *call, vz_error *err)
{
    return call->what == VZ_STAGED_PUT ? put(call, err) : move(call, err);
}

/* Calls that nobody touches before they are made. */
static bool make_some(struct vz_staging_queue *later, uint64_t end, vz_error *err)
{
    bool ok = true;
    while (ok && later->made < end) {
        ok = make(&later->calls[later->made % ROOM], err);
        later->made += ok;
    }
    return ok;
}

/* With the lock held, which is given up meanwhile. A call that fails stays at the head of the
 * queue. */
static bool work(struct vz_staging_queue *later, bool beside, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    bool ok = true;
    later->works = true;
    while (ok && later->made < later->added && !(beside && (later->ends || later->drains))) {
        const uint64_t left = later->added - later->made;
        const uint64_t end = later->made + (left < AT_ONCE ? left : AT_ONCE);
        vz_os_mutex_unlock(&later->lock);
        ok = make_some(later, end, &failed);
        vz_os_mutex_lock(&later->lock);
        if (later->is_missed && has_much_room(later))
            vz_os_condition_broadcast(&later->idle);
    }
    later->works = false;
    later->stuck = !ok;
    vz_os_condition_broadcast(&later->idle);
    if (!ok && err && err->class == VZ_OK)
        *err = failed;
    return ok;
}

static void *work_beside(void *argument)
{
    struct vz_staging_queue *later = argument;
    vz_os_mutex_lock(&later->lock);
    while (!later->ends) {
        if (later->made < later->added && !later->stuck && !later->works && !later->drains) {
            work(later, true, NULL);
            continue;
        }
        later->sleeps = true;
        vz_os_condition_wait(&later->wake, &later->lock);
        later->sleeps = false;
    }
    vz_os_mutex_unlock(&later->lock);
    return NULL;
}

/* With the lock held, which is given up meanwhile. */
static void await_idle(struct vz_staging_queue *later)
{
    while (later->works || later->ends)
        vz_os_condition_wait(&later->idle, &later->lock);
}

/* With the lock held, which is given up meanwhile. When this returns, there is no thread and no
 * call runs. */
static void end_thread(struct vz_staging_queue *later)
{
    if (later->has_thread) {
        later->has_thread = false;
        later->ends = true;
        vz_os_condition_signal(&later->wake);
        vz_os_mutex_unlock(&later->lock);
        vz_os_thread_join(later->thread);
        vz_os_mutex_lock(&later->lock);
        later->ends = false;
        vz_os_condition_broadcast(&later->idle);
    }
    await_idle(later);
}

/* With the lock held, which is given up meanwhile. */
static bool drain(struct vz_staging_queue *later, vz_error *err)
{
    later->drains++;
    await_idle(later);
    const bool ok = work(later, false, err);
    later->drains--;
    return ok;
}

/* ---- what waits ---- */

static bool fits(const vz_staging_call *call, size_t *key_size, size_t *size)
{
    *key_size = strlen(call->key) + 1;
    *size = call->what == VZ_STAGED_PUT ? call->value.size : strlen(call->to) + 1;
    return *key_size <= TEXT_SIZE && *size <= TEXT_SIZE - *key_size;
}

static void keep(struct vz_staging_queue *later, const vz_staging_call *call, size_t key_size, size_t size)
{
    struct waiting *waiting = &later->calls[later->added % ROOM];
    waiting->what = call->what;
    waiting->inner = call->inner;
    waiting->begins = call->begins;
    waiting->must_be_there = call->must_be_there;
    waiting->key_size = key_size;
    waiting->size = size;
    memcpy(waiting->text, call->key, key_size);
    if (size)
        memcpy(waiting->text + key_size, call->what == VZ_STAGED_PUT ? (const void *)call->value.data : call->to, size);
    later->added++;
}

/* Where the thread is at work, it makes some. */
static bool has_room(struct vz_staging_queue *later, bool waits)
{
    if (waits && later->added - later->made == ROOM) {
        later->is_missed = true;
        while (!has_much_room(later) && later->has_thread && !later->stuck && !later->ends)
            vz_os_condition_wait(&later->idle, &later->lock);
        later->is_missed = false;
    }
    return later->added - later->made < ROOM;
}

static void call_thread(struct vz_staging_queue *later)
{
    if (later->added - later->made < SOME)
        return;
    if (later->has_thread && later->sleeps)
        vz_os_condition_signal(&later->wake);
    else if (!later->has_thread && !later->ends)
        later->has_thread = vz_os_thread_start(&later->thread, work_beside, later) == 0;
}

bool vz_staging_queue_add(vz_staging_queue *later, const vz_staging_call *call, uint64_t *ticket, bool *done,
                          vz_error *err)
{
    size_t key_size, size;
    *done = false;
    if (!later || !fits(call, &key_size, &size))
        return true;
    vz_os_mutex_lock(&later->lock);
    if (later->stuck && !drain(later, err)) {
        vz_os_mutex_unlock(&later->lock);
        return false;
    }
    *done = has_room(later, call->what == VZ_STAGED_RENAME || *ticket > later->made);
    if (*done) {
        keep(later, call, key_size, size);
        *ticket = later->added;
        call_thread(later);
    }
    vz_os_mutex_unlock(&later->lock);
    return true;
}

bool vz_staging_queue_waits(vz_staging_queue *later, uint64_t ticket)
{
    if (!later || (ticket != VZ_STAGED_ANY && ticket <= atomic_load(&later->made)))
        return false;
    vz_os_mutex_lock(&later->lock);
    const bool waits = later->made < later->added;
    vz_os_mutex_unlock(&later->lock);
    return waits;
}

bool vz_staging_queue_drain(vz_staging_queue *later, vz_error *err)
{
    if (!later)
        return true;
    vz_os_mutex_lock(&later->lock);
    const bool ok = drain(later, err);
    vz_os_mutex_unlock(&later->lock);
    return ok;
}

/* ---- all of them; a forked child has none of the threads ---- */

static vz_os_mutex all_lock = VZ_OS_MUTEX_INIT;
static struct vz_staging_queue *all;

/* Queued calls are made before a fork, as far as the store takes them: a child may read their
 * results, and makes none of them. */
static void before_fork(void)
{
    vz_os_mutex_lock(&all_lock);
    for (struct vz_staging_queue *later = all; later; later = later->next) {
        vz_staging_queue_drain(later, NULL);
        vz_os_mutex_lock(&later->lock);
        end_thread(later); /* somebody may have called it in between */
    }
}

static void after_fork(void)
{
    for (struct vz_staging_queue *later = all; later; later = later->next)
        vz_os_mutex_unlock(&later->lock);
    vz_os_mutex_unlock(&all_lock);
}

/* A caller that waited in the parent is not there. */
static void after_fork_in_child(void)
{
    for (struct vz_staging_queue *later = all; later; later = later->next) {
        vz_os_condition_init(&later->wake);
        vz_os_condition_init(&later->idle);
        later->drains = 0;
    }
    after_fork();
}

static void register_fork(void)
{
    vz_os_at_fork(before_fork, after_fork, after_fork_in_child);
}

vz_staging_queue *vz_staging_queue_new(void)
{
    static vz_os_once once = VZ_OS_ONCE_INIT;
    struct vz_staging_queue *later = vz_pool_width() > 1 ? malloc(sizeof *later) : NULL;
    if (!later)
        return NULL;
    vz_os_run_once(&once, register_fork);
    memset(later, 0, offsetof(struct vz_staging_queue, calls));
    vz_os_mutex_init(&later->lock);
    vz_os_condition_init(&later->wake);
    vz_os_condition_init(&later->idle);
    vz_os_mutex_lock(&all_lock);
    later->next = all;
    all = later;
    vz_os_mutex_unlock(&all_lock);
    return later;
}

void vz_staging_queue_free(vz_staging_queue *later)
{
    if (!later)
        return;
    vz_os_mutex_lock(&all_lock);
    for (struct vz_staging_queue **at = &all; *at; at = &(*at)->next)
        if (*at == later) {
            *at = later->next;
            break;
        }
    vz_os_mutex_unlock(&all_lock);
    vz_os_mutex_lock(&later->lock);
    end_thread(later);
    vz_os_mutex_unlock(&later->lock);
    vz_os_condition_destroy(&later->wake);
    vz_os_condition_destroy(&later->idle);
    vz_os_mutex_destroy(&later->lock);
    free(later);
}
