/* wait.c - how a thread that calls HDF5 waits for the module's. */
#include "base/os/process.h"
#include "hdf5/async/async_internal.h"

/* With the lock. In a forked child whose system allows no more threads this one does it. */
static void wait_more(uint64_t nanoseconds)
{
    if (!vz_async_start_thread() && (vz_async_run_batch() || vz_async_run_ahead()))
        return;
    if (nanoseconds == VZ_ASYNC_FOREVER)
        vz_os_condition_wait(&vz_async.changed, &vz_async.lock);
    else
        vz_os_condition_wait_for(&vz_async.changed, &vz_async.lock, nanoseconds);
}

bool vz_async_wait_until(bool (*is_over)(const void *context), const void *context, uint64_t nanoseconds)
{
    const uint64_t begin = (uint64_t)vz_os_now_ns();
    vz_os_mutex_lock(&vz_async.lock);
    if (++vz_async.waiting == 1)
        vz_os_condition_broadcast(&vz_async.changed);
    bool over;
    while (!(over = is_over(context))) {
        const uint64_t waited = nanoseconds == VZ_ASYNC_FOREVER ? 0 : (uint64_t)vz_os_now_ns() - begin;
        if (waited >= nanoseconds)
            break;
        wait_more(nanoseconds == VZ_ASYNC_FOREVER ? nanoseconds : nanoseconds - waited);
    }
    vz_async.waiting--;
    vz_async_take_back_turn();
    vz_os_mutex_unlock(&vz_async.lock);
    return over;
}
