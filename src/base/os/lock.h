/* lock.h - locks between threads, and calls that are made once. Nothing here fails: a lock takes no
 * memory beyond its own. A lock costs what the system's does. */
#ifndef VZ_OS_LOCK_H
#define VZ_OS_LOCK_H

#include <pthread.h>
#include <stdbool.h>

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

#endif
