/* clock.c - the time, and waiting; see process.h. */
#include "base/os/process.h"

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * VZ_OS_NS_PER_S + now.tv_nsec;
}

int64_t vz_os_now_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t vz_os_date_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

int64_t vz_os_date_s(void)
{
    return vz_os_date_ns() / VZ_OS_NS_PER_S;
}

void vz_os_sleep_us(uint64_t us)
{
    const struct timespec pause = {.tv_sec = (time_t)(us / 1000000), .tv_nsec = (long)(us % 1000000) * 1000};
    nanosleep(&pause, NULL);
}
