/* thread.h - locks, and threads of the project's own beside the program's. */
#ifndef VZ_OS_THREAD_H
#define VZ_OS_THREAD_H

#include "base/util/error.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* -- Locks --
 * Nothing here fails: a lock takes no memory beyond its own, and costs what the system's does. */
typedef struct vz_os_mutex {
    pthread_mutex_t system;
} vz_os_mutex;

typedef struct vz_os_condition {
    pthread_cond_t system;
} vz_os_condition;

typedef struct vz_os_rwlock { /* of many readers or one writer */
    pthread_rwlock_t system;
} vz_os_rwlock;

typedef struct vz_os_once {
    pthread_once_t system;
} vz_os_once;

#define VZ_OS_MUTEX_INIT                                                                                               \
    {                                                                                                                  \
        PTHREAD_MUTEX_INITIALIZER                                                                                      \
    }
#define VZ_OS_CONDITION_INIT                                                                                           \
    {                                                                                                                  \
        PTHREAD_COND_INITIALIZER                                                                                       \
    }
#define VZ_OS_ONCE_INIT                                                                                                \
    {                                                                                                                  \
        PTHREAD_ONCE_INIT                                                                                              \
    }

static inline void vz_os_mutex_init(vz_os_mutex *mutex)
{
    pthread_mutex_init(&mutex->system, NULL);
}

static inline void vz_os_mutex_destroy(vz_os_mutex *mutex)
{
    pthread_mutex_destroy(&mutex->system);
}

static inline void vz_os_mutex_lock(vz_os_mutex *mutex)
{
    pthread_mutex_lock(&mutex->system);
}

static inline bool vz_os_mutex_try(vz_os_mutex *mutex) /* false: somebody holds it */
{
    return pthread_mutex_trylock(&mutex->system) == 0;
}

static inline void vz_os_mutex_unlock(vz_os_mutex *mutex)
{
    pthread_mutex_unlock(&mutex->system);
}

static inline void vz_os_condition_init(vz_os_condition *condition)
{
    pthread_cond_init(&condition->system, NULL);
}

static inline void vz_os_condition_destroy(vz_os_condition *condition)
{
    pthread_cond_destroy(&condition->system);
}

/* Gives the mutex back while it waits. It may end without a signal: the caller looks again. */
static inline void vz_os_condition_wait(vz_os_condition *condition, vz_os_mutex *mutex)
{
    pthread_cond_wait(&condition->system, &mutex->system);
}

static inline void vz_os_condition_signal(vz_os_condition *condition) /* one that waits */
{
    pthread_cond_signal(&condition->system);
}

static inline void vz_os_condition_broadcast(vz_os_condition *condition) /* all that wait */
{
    pthread_cond_broadcast(&condition->system);
}

static inline void vz_os_rwlock_init(vz_os_rwlock *lock)
{
    pthread_rwlock_init(&lock->system, NULL);
}

static inline void vz_os_rwlock_destroy(vz_os_rwlock *lock)
{
    pthread_rwlock_destroy(&lock->system);
}

static inline void vz_os_rwlock_read(vz_os_rwlock *lock)
{
    pthread_rwlock_rdlock(&lock->system);
}

static inline void vz_os_rwlock_write(vz_os_rwlock *lock)
{
    pthread_rwlock_wrlock(&lock->system);
}

static inline void vz_os_rwlock_unlock(vz_os_rwlock *lock)
{
    pthread_rwlock_unlock(&lock->system);
}

/* The first caller runs it; others wait until it has run. */
static inline void vz_os_run_once(vz_os_once *once, void (*run)(void))
{
    pthread_once(&once->system, run);
}

/* -- Threads -- */
typedef struct vz_os_thread {
    pthread_t system;
} vz_os_thread;

/* Signals of the program are for its own threads; those that a fault raises stay, or it would
 * end without a handler. 0, or the number of the error: the system allows no more threads. */
int vz_os_thread_start(vz_os_thread *thread, void *(*run)(void *argument), void *argument);
void vz_os_thread_join(vz_os_thread thread);       /* waits for its end */
bool vz_os_thread_is_current(vz_os_thread thread); /* is it the one that asks? */

/* A pointer of each thread's own. `release` gets it as the thread ends, unless it is NULL. */
typedef struct vz_os_thread_slot {
    pthread_key_t system;
} vz_os_thread_slot;

/* false: there are no more */
bool vz_os_thread_slot_init(vz_os_thread_slot *slot, void (*release)(void *value));
/* NULL at first */
void *vz_os_thread_slot_get(vz_os_thread_slot slot);
bool vz_os_thread_slot_set(vz_os_thread_slot slot, void *value);

/* Functions that a fork runs, each or NULL: before it, and after it in either process. For good. */
void vz_os_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));

/* -- Thread pool --
 * worker threads for chunk work. Workers never call HDF5. One pool per module instance, started at
 * first use, restarted in a forked child. */
/* One task: index in 0..count-1, worker in 0..vz_pool_width()-1 (use it to pick per-worker
 * scratch). */
typedef bool (*vz_pool_job)(void *context, size_t index, unsigned worker, vz_error *err);

/* Sets the number of threads that work at once, the caller included (0: what affinity and cgroup
 * allow). */
void vz_pool_set_threads(unsigned threads);
unsigned vz_pool_width(void);

/* Runs task 0..count-1, the caller taking part, and returns when all ended. After a failure no
 * further index is begun; the first error wins. Signals are blocked in workers. Not re-entrant
 * from a task. */
bool vz_pool_run(vz_pool_job task, void *context, size_t count, vz_error *err);

/* As vz_pool_run, for tasks that are about so many bytes in all. Fewer than VZ_POOL_BYTES_MIN
 * are done by the time that another thread is awake: then the caller does all of it. */
#define VZ_POOL_BYTES_MIN ((uint64_t)16 << 10)
bool vz_pool_run_bytes(vz_pool_job task, void *context, size_t count, uint64_t bytes, vz_error *err);

/* Is the caller one of several threads that are in a run? */
bool vz_pool_works_together(void);

/* Has the thread that runs the pool make a call, for what no other thread may do, and returns
 * when it is made. In a worker that is when that thread comes to it: between its own tasks, and
 * in its own calls of this. Elsewhere it is at once. */
typedef void (*vz_pool_call)(void *argument);
void vz_pool_on_caller(vz_pool_call call, void *argument);

/* Per-worker memory that lives from call to call; valid indexes are those a task is given. */
struct vz_buffer *vz_pool_scratch(unsigned worker, unsigned slot);
#define VZ_POOL_SCRATCH_SLOTS 4

/* Ends the threads (they start again at the next run) and frees scratch. */
void vz_pool_stop(void);

#endif
