/* thread_pool.c - one set of worker threads. A run publishes a job; the caller and as many
 * workers as there is work for take indexes from one counter until it is used up. */
#include "base/os/thread.h"
#include "base/util/bytes.h"
#include "base/os/thread_internal.h"
#include <pthread.h>
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
    alignas(64) vz_buffer slots[VZ_POOL_SCRATCH_SLOTS]; /* a cache line of its own for each worker */
};

/* What a worker wants done by the caller of the run, and waits for. */
struct errand {
    vz_pool_call call;
    void *argument;
    bool done;
    struct errand *next;
};

/* `turn` is held through a run (two callers take turns) and by whatever changes the set of
 * threads; `lock` guards the fields. Order: turn, lock; who forks only tries to get the turn. */
static struct {
    pthread_mutex_t turn;
    pthread_mutex_t lock;
    pthread_cond_t wake; /* workers: there is a job with a place, or the end */
    pthread_cond_t idle; /* the caller: a worker left the job, or has an errand */
    pthread_cond_t done; /* workers: an errand was done */
    pthread_t threads[POOL_MAX_THREADS];
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
    .turn = PTHREAD_MUTEX_INITIALIZER,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .wake = PTHREAD_COND_INITIALIZER,
    .idle = PTHREAD_COND_INITIALIZER,
    .done = PTHREAD_COND_INITIALIZER,
};

static _Thread_local bool inside_task, is_worker, has_helpers;

/* ---- what only the caller of a run may do ---- */

/* With the lock held, which is given up meanwhile. */
static void do_errands(void)
{
    while (pool.errands) {
        struct errand *errand = pool.errands;
        pool.errands = errand->next;
        pool.errand_count--;
        pthread_mutex_unlock(&pool.lock);
        errand->call(errand->argument);
        pthread_mutex_lock(&pool.lock);
        errand->done = true;
        pthread_cond_broadcast(&pool.done);
    }
}

static void look_for_errands(void)
{
    if (is_worker || atomic_load(&pool.errand_count) == 0)
        return;
    pthread_mutex_lock(&pool.lock);
    do_errands();
    pthread_mutex_unlock(&pool.lock);
}

void vz_pool_on_caller(vz_pool_call call, void *argument)
{
    if (!is_worker) {
        if (inside_task)
            look_for_errands(); /* who waits must not wait longer than this thread's own work takes */
        call(argument);
        return;
    }
    struct errand errand = {.call = call, .argument = argument};
    pthread_mutex_lock(&pool.lock);
    struct errand **last = &pool.errands;
    while (*last)
        last = &(*last)->next;
    *last = &errand;
    pool.errand_count++;
    pthread_cond_signal(&pool.idle);
    while (!errand.done)
        pthread_cond_wait(&pool.done, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
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
        pthread_mutex_lock(&pool.lock);
        if (!atomic_load(&job->failed)) {
            job->error = err;
            atomic_store(&job->failed, true);
        }
        pthread_mutex_unlock(&pool.lock);
    }
}

static void *worker_main(void *argument)
{
    const unsigned worker = (unsigned)(uintptr_t)argument;
    inside_task = is_worker = true;
    pthread_mutex_lock(&pool.lock);
    while (!pool.ending) {
        if (!pool.places) {
            pthread_cond_wait(&pool.wake, &pool.lock);
            continue;
        }
        struct job *job = pool.job;
        pool.places--;
        pool.busy++;
        pthread_mutex_unlock(&pool.lock);
        work(job, worker);
        pthread_mutex_lock(&pool.lock);
        if (--pool.busy == 0)
            pthread_cond_signal(&pool.idle);
    }
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

/* ---- fork: the child has no workers, whatever the parent had; it begins with idle locks and starts its own. A run
 * that another thread is in is not waited for: its tasks may wait for a network, whose thread stands still by then.
 * ---- */

static bool forked_amid_run; /* of the thread that forks, while it has the lock */

static void before_fork(void)
{
    pthread_mutex_lock(&pool.lock);
    forked_amid_run = pthread_mutex_trylock(&pool.turn) != 0;
}

static void after_fork_in_parent(void)
{
    if (!forked_amid_run)
        pthread_mutex_unlock(&pool.turn);
    pthread_mutex_unlock(&pool.lock);
}

/* Scratch that a worker may have been changing is left to the parent. */
static void after_fork_in_child(void)
{
    pthread_cond_init(&pool.wake, NULL);
    pthread_cond_init(&pool.idle, NULL);
    pthread_cond_init(&pool.done, NULL);
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
        pthread_mutex_init(&pool.turn, NULL);
    } else {
        pthread_mutex_unlock(&pool.turn);
    }
    pthread_mutex_unlock(&pool.lock);
}

static void register_fork(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

static void prepare_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_fork);
}

/* ---- the set of threads; called with `turn` held ---- */

/* Starts workers until `wanted` run, or as many as the system allows: the caller works in any
 * case. */
static void start_workers(unsigned wanted)
{
    while (pool.started < wanted) {
        const uintptr_t worker = pool.started + 1;
        if (!vz_thread_start(&pool.threads[pool.started], worker_main, (void *)worker))
            return;
        pool.started++;
    }
}

static void end_workers(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.ending = true;
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.lock);
    for (unsigned i = 0; i < pool.started; i++)
        pthread_join(pool.threads[i], NULL);
    pool.started = 0;
    pool.ending = false;
}

static unsigned known_width(void)
{
    pthread_mutex_lock(&pool.lock);
    if (!pool.width) {
        const unsigned threads = pool.requested ? pool.requested : vz_machine_threads();
        pool.width = threads < POOL_MAX_THREADS ? threads : POOL_MAX_THREADS;
    }
    const unsigned width = pool.width;
    pthread_mutex_unlock(&pool.lock);
    return width;
}

void vz_pool_set_threads(unsigned threads)
{
    prepare_once();
    pthread_mutex_lock(&pool.turn);
    if (pool.requested != threads) {
        end_workers();
        pthread_mutex_lock(&pool.lock);
        pool.requested = threads;
        pool.width = 0;
        pthread_mutex_unlock(&pool.lock);
    }
    pthread_mutex_unlock(&pool.turn);
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
    pthread_mutex_lock(&pool.lock);
    pool.job = job;
    pool.places = helpers;
    for (unsigned i = 0; i < helpers && i < pool.started; i++)
        pthread_cond_signal(&pool.wake);
    pthread_mutex_unlock(&pool.lock);
    start_workers(helpers);

    has_helpers = true;
    work(job, 0);
    has_helpers = false;

    pthread_mutex_lock(&pool.lock);
    pool.places = 0; /* who did not come yet need not */
    while (pool.busy || pool.errands) {
        do_errands();
        if (pool.busy && !pool.errands)
            pthread_cond_wait(&pool.idle, &pool.lock);
    }
    pool.job = NULL;
    pthread_mutex_unlock(&pool.lock);
}

bool vz_pool_run_bytes(vz_pool_job task, void *context, size_t count, uint64_t bytes, vz_error *err)
{
    if (inside_task)
        return vz_fail(err, VZ_INVALID, "the pool was entered from one of its tasks");
    if (!count)
        return true;
    prepare_once();
    pthread_mutex_lock(&pool.turn);
    inside_task = true;
    const unsigned width = known_width();
    struct job job = {.task = task, .context = context, .count = count};
    if (width > 1 && count > 1 && bytes >= VZ_POOL_BYTES_MIN)
        run_together(&job, count < width ? (unsigned)count - 1 : width - 1);
    else
        work(&job, 0);
    inside_task = false;
    pthread_mutex_unlock(&pool.turn);
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
    pthread_mutex_lock(&pool.turn);
    end_workers();
    for (unsigned worker = 0; worker < POOL_MAX_THREADS; worker++)
        for (unsigned slot = 0; slot < VZ_POOL_SCRATCH_SLOTS; slot++)
            vz_buffer_clear(&pool.scratch[worker].slots[slot]);
    pthread_mutex_unlock(&pool.turn);
}
