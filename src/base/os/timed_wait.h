/* timed_wait.h - waiting for a condition for a limited time. */
#ifndef VZ_OS_TIMED_WAIT_H
#define VZ_OS_TIMED_WAIT_H

#include "base/os/thread.h"

/* A condition whose waits may have an end; its clock only goes forward. */
void vz_os_condition_init_timed(vz_os_condition *condition);

/* As vz_os_condition_wait, for so many nanoseconds at most. False: they are over. */
bool vz_os_condition_wait_for(vz_os_condition *condition, vz_os_mutex *mutex, uint64_t nanoseconds);

/* -- Gap --
 * A run of the pool may wait for a network. A thread that holds what others need meanwhile gives it
 * up before each of its runs, and takes it again afterwards. */
typedef struct vz_pool_gap {
    void (*leave)(void);
    void (*enter)(void);
} vz_pool_gap;

/* Of this thread, from now on. */
void vz_pool_set_gap(const vz_pool_gap *gap);

#endif
