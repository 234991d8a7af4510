/* hook_clock.c - time stands still for the connector while its calls are counted, but for what it sleeps: else which
 * call comes next would depend on how fast the machine is. It is years ago, so that no file is ever old enough for its
 * time to prove that it did not change; and it is the same in every run, as random numbers are, so that the same calls
 * leave the same bytes. */
#include "hook_inside.h"
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#define SECOND_NS INT64_C(1000000000)
#define BEGIN_S   1000000000 /* September 2001 */

static _Atomic(int64_t) slept_ns;
static _Atomic(uint64_t) drawn;
static struct timespec began_monotonic, began_realtime;

void hook_clock_start(int session)
{
    atomic_store(&slept_ns, 0);
    clock_gettime(CLOCK_MONOTONIC, &began_monotonic);
    began_realtime = (struct timespec){.tv_sec = BEGIN_S + session};
    atomic_store(&drawn, (uint64_t)session << 32);
}

int hook_clock_gettime(clockid_t clock, struct timespec *now)
{
    if (!hook_is_counting() || (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE))
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

/* Each number once, spread over all 64 bits (the finalizer of splitmix64). */
void hook_draw(void *bytes, size_t size)
{
    for (unsigned char *to = bytes; size;) {
        uint64_t number = (atomic_fetch_add(&drawn, 1) + 1) * UINT64_C(0x9E3779B97F4A7C15);
        number = (number ^ number >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
        number = (number ^ number >> 27) * UINT64_C(0x94D049BB133111EB);
        number ^= number >> 31;
        const size_t part = size < sizeof number ? size : sizeof number;
        memcpy(to, &number, part);
        to += part;
        size -= part;
    }
}
