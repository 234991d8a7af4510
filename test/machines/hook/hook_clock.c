/* hook_clock.c - time stands still for the connector while its calls are counted, but for what it sleeps: else which
 * call comes next would depend on how fast the machine is. It is an hour ago, so that no file is ever old enough for
 * its time to prove that it did not change. */
#include "hook_inside.h"
#include <stdatomic.h>
#include <stdint.h>

#define SECOND_NS INT64_C(1000000000)
#define EARLIER_S 3600

static _Atomic(int64_t) slept_ns;
static struct timespec began_monotonic, began_realtime;

void hook_clock_start(void)
{
    atomic_store(&slept_ns, 0);
    clock_gettime(CLOCK_MONOTONIC, &began_monotonic);
    clock_gettime(CLOCK_REALTIME, &began_realtime);
    began_realtime.tv_sec -= EARLIER_S;
}

int hook_clock_gettime(clockid_t clock, struct timespec *now)
{
    if (!hook_is_counting() || (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME))
        return clock_gettime(clock, now);
    const struct timespec *began = clock == CLOCK_MONOTONIC ? &began_monotonic : &began_realtime;
    const int64_t ns = began->tv_nsec + atomic_load(&slept_ns);
    now->tv_sec = began->tv_sec + (time_t)(ns / SECOND_NS);
    now->tv_nsec = (long)(ns % SECOND_NS);
    return 0;
}

time_t hook_time(time_t *place)
{
    struct timespec now;
    hook_clock_gettime(CLOCK_REALTIME, &now);
    if (place)
        *place = now.tv_sec;
    return now.tv_sec;
}

int hook_nanosleep(const struct timespec *length, struct timespec *rest)
{
    atomic_fetch_add(&slept_ns, length->tv_sec * SECOND_NS + length->tv_nsec);
    return nanosleep(length, rest);
}
