/* thread_pool.c - one set of worker threads. A run publishes a job. The caller and as many workers
 * as there is work for take indexes from one counter until it is used up. */
#include "base/os/thread.h"
#include "base/util/bytes.h"
#include "base/os/thread_internal.h"
#include "base/os/timed_wait.h"
#include <stdalign.h>
#include <stdatomic.h>

#define POOL_MAX_THREADS 256u

struct job {
    vz_pool_job task;
    void *context;
    size_t count;
    atomic_size_t next;
    atomic_bool failed;
    vz_error error; /* of the first task that failed; written under the pool's lock */
};

struct scratch {
    alignas(64) vz_buffer slots[VZ_POOL_SCRATCH_SLOTS]; /* a cache line of its own for each
                                                         * worker */
};

/* Work that a worker hands to the caller of the run, and waits for. */
struct errand {
    vz_pool_call call;
    void *argument;
    bool done;
    struct errand *next;
};

/* `turn` is held through a run (two callers take turns) and by whatever changes the set of
 * threads; `lock` guards the fields. Order: turn, lock; who forks only tries to get the turn. */
static struct {
    vz_os_mutex turn;
    vz_os_mutex lock;
    vz_os_condition wake; /* workers: there is a job with a place, or the end */
    vz_os_condition idle; /* the caller: a worker left the job, or has an errand */
    vz_os_condition done; /* workers: an errand was done */
    vz_os_thread threads[POOL_MAX_THREADS];
    unsigned started;   /* workers that run; theirs are the numbers 1..started */
    unsigned requested; /* by vz_pool_set_threads; 0: what the machine allows */
    unsigned width;     /* 0: not known yet */
    struct job *job;
    unsigned places; /* workers that may still join the job */
    unsigned busy;   /* workers that are in it */
    bool ending;
    struct errand *errands;
    atomic_size_t errand_count; /* for who looks without the lock */
    struct scratch scratch[POOL_MAX_THREADS];
} pool = {
    .turn = VZ_OS_MUTEX_INIT,
    .lock = VZ_OS_MUTEX_INIT,
    .wake = VZ_OS_CONDITION_INIT,
    .idle = VZ_OS_CONDITION_INIT,
    .done = VZ_OS_CONDITION_INIT,
};

static _Thread_local bool inside_task, is_worker, has_helpers;
static _Thread_local const vz_pool_gap *gap; /* of the thread; NULL: it has none */

/* ---- what only the caller of a run may do ---- */

/* With the lock held, which is given up meanwhile. */
static void do_errands(void)
{
    while (pool.errands) {
        struct errand *errand = pool.errands;
        pool.errands = errand->next;
        pool.errand_count--;
        vz_os_mutex_unlock(&pool.lock);
        errand->call(errand->argument);
        vz_os_mutex_lock(&pool.lock);
        errand->done = true;
        vz_os_condition_broadcast(&pool.done);
    }
}

static void look_for_errands(void)
{
    if (is_worker || atomic_load(&pool.errand_count) == 0)
        return;
    vz_os_mutex_lock(&pool.lock);
    do_errands();
    vz_os_mutex_unlock(&pool.lock);
}

void vz_pool_on_caller(vz_pool_call call, void *argument)
{
    if (!is_worker) {
        if (inside_task)
            look_for_errands(); /* who waits must not wait longer than this thread's own work
                                 * takes */
        call(argument);
        return;
    }
    struct errand errand = {.call = call, .argument = argument};
    vz_os_mutex_lock(&pool.lock);
    struct errand **last = &pool.errands;
    while (*last)
        last = &(*last)->next;
    *last = &errand;
    pool.errand_count++;
    vz_os_condition_signal(&pool.idle);
    while (!errand.done)
        vz_os_condition_wait(&pool.done, &pool.lock);
    vz_os_mutex_unlock(&pool.lock);
}

/* ---- tasks ---- */

static void work(struct job *job, unsigned worker)
{
    vz_error err = VZ_ERROR_NONE;
    while (!atomic_load(&job->failed)) {
        look_for_errands();
        const size_t index = atomic_fetch_add(&job->next, 1);
        if (index >= job->count)
            return;
        if (job->task(job->context, index, worker, &err))
            continue;
        vz_os_mutex_lock(&pool.lock);
        if (!atomic_load(&job->failed)) {
            job->error = err;
            atomic_store(&job->failed, true);
        }
        vz_os_mutex_unlock(&pool.lock);
    }
}

static void *worker_main(void *argument)
{
    const unsigned worker = (unsigned)(uintptr_t)argument;
    inside_task = is_worker = true;
    vz_os_mutex_lock(&pool.lock);
    while (!pool.ending) {
        if (!pool.places) {
            vz_os_condition_wait(&pool.wake, &pool.lock);
            continue;
        }
        struct job *job = pool.job;
        pool.places--;
        pool.busy++;
        vz_os_mutex_unlock(&pool.lock);
        work(job, worker);
        vz_os_mutex_lock(&pool.lock);
        if (--pool.busy == 0)
            vz_os_condition_signal(&pool.idle);
    }
    vz_os_mutex_unlock(&pool.lock);
    return NULL;
}

/* ---- fork: the child has no workers, whatever the parent had; it begins with idle locks and
 * starts its own. A run that another thread is in is not waited for: its tasks may wait for a
 * network, whose thread stands still by then. ---- */

static bool forked_amid_run; /* of the thread that forks, while it has the lock */

static void before_fork(void)
{
    vz_os_mutex_lock(&pool.lock);
    forked_amid_run = !vz_os_mutex_try(&pool.turn);
}

static void after_fork_in_parent(void)
{
    if (!forked_amid_run)
        vz_os_mutex_unlock(&pool.turn);
    vz_os_mutex_unlock(&pool.lock);
}

/* Scratch that a worker may have been changing is left to the parent. */
static void after_fork_in_child(void)
{
    vz_os_condition_init(&pool.wake);
    vz_os_condition_init(&pool.idle);
    vz_os_condition_init(&pool.done);
    pool.errands = NULL;
    pool.errand_count = 0;
    pool.started = 0;
    pool.job = NULL;
    pool.places = pool.busy = 0;
    pool.ending = false;
    if (!pool.requested)
        pool.width = 0; /* the affinity of a child may differ by the time it works */
    if (forked_amid_run) {
        memset(pool.scratch, 0, sizeof pool.scratch);
        vz_os_mutex_init(&pool.turn);
    } else {
        vz_os_mutex_unlock(&pool.turn);
    }
    vz_os_mutex_unlock(&pool.lock);
}

static void register_fork(void)
{
    vz_os_at_fork(before_fork, after_fork_in_parent, after_fork_in_child);
}

static void prepare_once(void)
{
    static vz_os_once once = VZ_OS_ONCE_INIT;
    vz_os_run_once(&once, register_fork);
}

/* ---- the set of threads; called with `turn` held ---- */

/* Starts workers until `wanted` run, or as many as the system allows: the caller works in any
 * case. */
static void start_workers(unsigned wanted)
{
    while (pool.started < wanted) {
        const uintptr_t worker = pool.started + 1;
        if (vz_os_thread_start(&pool.threads[pool.started], worker_main, (void *)worker) != 0)
            return;
        pool.started++;
    }
}

static void end_workers(void)
{
    vz_os_mutex_lock(&pool.lock);
    pool.ending = true;
    vz_os_condition_broadcast(&pool.wake);
    vz_os_mutex_unlock(&pool.lock);
    for (unsigned i = 0; i < pool.started; i++)
        vz_os_thread_join(pool.threads[i]);
    pool.started = 0;
    pool.ending = false;
}

static unsigned known_width(void)
{
    vz_os_mutex_lock(&pool.lock);
    if (!pool.width) {
        const unsigned threads = pool.requested ? pool.requested : vz_machine_threads();
        pool.width = threads < POOL_MAX_THREADS ? threads : POOL_MAX_THREADS;
    }
    const unsigned width = pool.width;
    vz_os_mutex_unlock(&pool.lock);
    return width;
}

void vz_pool_set_threads(unsigned threads)
{
    prepare_once();
    vz_os_mutex_lock(&pool.turn);
    if (pool.requested != threads) {
        end_workers();
        vz_os_mutex_lock(&pool.lock);
        pool.requested = threads;
        pool.width = 0;
        vz_os_mutex_unlock(&pool.lock);
    }
    vz_os_mutex_unlock(&pool.turn);
}

unsigned vz_pool_width(void)
{
    prepare_once();
    return known_width();
}

/* ---- a run ---- */

/* A worker that is started finds the job there, and runs where the system puts a new thread: on
 * another processor. One that sleeps first may be woken on that of the caller, and is moved away
 * milliseconds later. */
static void run_together(struct job *job, unsigned helpers)
{
    vz_os_mutex_lock(&pool.lock);
    pool.job = job;
    pool.places = helpers;
    for (unsigned i = 0; i < helpers && i < pool.started; i++)
        vz_os_condition_signal(&pool.wake);
    vz_os_mutex_unlock(&pool.lock);
    start_workers(helpers);

    has_helpers = true;
    work(job, 0);
    has_helpers = false;

    vz_os_mutex_lock(&pool.lock);
    pool.places = 0; /* who did not come yet need not */
    while (pool.busy || pool.errands) {
        do_errands();
        if (pool.busy && !pool.errands)
            vz_os_condition_wait(&pool.idle, &pool.lock);
    }
    pool.job = NULL;
    vz_os_mutex_unlock(&pool.lock);
}

void vz_pool_set_gap(const vz_pool_gap *of_thread)
{
    gap = of_thread;
}

/* The turn is given back before the gap ends: a thread that has what this one waits for may want
 * the pool. */
static void run_in_turn(struct job *job, uint64_t bytes)
{
    const vz_pool_gap *own = gap;
    if (own)
        own->leave();
    vz_os_mutex_lock(&pool.turn);
    inside_task = true;
    const unsigned width = known_width();
    if (width > 1 && job->count > 1 && bytes >= VZ_POOL_BYTES_MIN)
        run_together(job, job->count < width ? (unsigned)job->count - 1 : width - 1);
    else
        work(job, 0);
    inside_task = false;
    vz_os_mutex_unlock(&pool.turn);
    if (own)
        own->enter();
}

bool vz_pool_run_bytes(vz_pool_job task, void *context, size_t count, uint64_t bytes, vz_error *err)
{
    if (inside_task)
        return vz_fail(err, VZ_INVALID, "the pool was entered from one of its tasks");
    if (!count)
        return true;
    prepare_once();
    struct job job = {.task = task, .context = context, .count = count};
    run_in_turn(&job, bytes);
    if (!atomic_load(&job.failed))
        return true;
    if (err && err->class == VZ_OK)
        *err = job.error;
    return false;
}

bool vz_pool_run(vz_pool_job task, void *context, size_t count, vz_error *err)
{
    return vz_pool_run_bytes(task, context, count, UINT64_MAX, err);
}

bool vz_pool_works_together(void)
{
    return is_worker || has_helpers;
}

struct vz_buffer *vz_pool_scratch(unsigned worker, unsigned slot)
{
    return &pool.scratch[worker].slots[slot];
}

void vz_pool_stop(void)
{
    prepare_once();
    vz_os_mutex_lock(&pool.turn);
    end_workers();
    for (unsigned worker = 0; worker < POOL_MAX_THREADS; worker++)
        for (unsigned slot = 0; slot < VZ_POOL_SCRATCH_SLOTS; slot++)
            vz_buffer_clear(&pool.scratch[worker].slots[slot]);
    vz_os_mutex_unlock(&pool.turn);
}
