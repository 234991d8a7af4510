/* timed_wait.c - see timed_wait.h. */
#include "base/os/timed_wait.h"
#include <time.h>

#define SECOND_NS  UINT64_C(1000000000)
#define LONGEST_NS (SECOND_NS * 86400) /* a longer wait is several: deadlines must not overflow */

#if defined(__APPLE__) /* its conditions wait for a time, and have no clock to choose */

void vz_os_condition_init_timed(vz_os_condition *condition)
{
    vz_os_condition_init(condition);
}

static int wait_until(vz_os_condition *condition, vz_os_mutex *mutex, uint64_t nanoseconds)
{
    const struct timespec time = {(time_t)(nanoseconds / SECOND_NS), (long)(nanoseconds % SECOND_NS)};
    return pthread_cond_timedwait_relative_np(&condition->system, &mutex->system, &time);
}

#else

void vz_os_condition_init_timed(vz_os_condition *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&condition->system, &attributes);
    pthread_condattr_destroy(&attributes);
}

static int wait_until(vz_os_condition *condition, vz_os_mutex *mutex, uint64_t nanoseconds)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    const uint64_t fraction = (uint64_t)end.tv_nsec + nanoseconds % SECOND_NS;
    end.tv_sec += (time_t)(nanoseconds / SECOND_NS + fraction / SECOND_NS);
    end.tv_nsec = (long)(fraction % SECOND_NS);
    return pthread_cond_timedwait(&condition->system, &mutex->system, &end);
}

#endif

bool vz_os_condition_wait_for(vz_os_condition *condition, vz_os_mutex *mutex, uint64_t nanoseconds)
{
    return wait_until(condition, mutex, nanoseconds < LONGEST_NS ? nanoseconds : LONGEST_NS) == 0 ||
           nanoseconds > LONGEST_NS;
}
