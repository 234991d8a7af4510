/* ahead.c - what calls that wait will need, fetched by the module's thread before anybody waits. So
 * it comes while the program computes. */
#include "hdf5/async/async_internal.h"
#include "base/os/process.h"

void vz_async_fetched(uint64_t number)
{
    vz_os_mutex_lock(&vz_async.lock);
    vz_async.fetched_ahead = number;
    vz_os_condition_broadcast(&vz_async.changed);
    vz_os_mutex_unlock(&vz_async.lock);
}

bool vz_async_may_fetch_more(void)
{
    vz_os_mutex_lock(&vz_async.lock);
    const bool may = !vz_async_batch_waits();
    vz_os_mutex_unlock(&vz_async.lock);
    return may;
}

bool vz_async_run_ahead(void)
{
    if (vz_async.asked_ahead == vz_async.fetched_ahead || vz_async.forking)
        return false;
    /* An opening by itself is a round trip, which is longer. */
    vz_async_linger(VZ_ASYNC_LINGER_MOST_NS);
    vz_async.at_work = true;
    const uint64_t began = (uint64_t)vz_os_now_ns();
    vz_async_begin_turn();
    vz_os_mutex_unlock(&vz_async.lock);
    vz_async.fetch();
    vz_os_mutex_lock(&vz_async.lock);
    vz_async_end_turn();
    vz_async_note_answer((uint64_t)vz_os_now_ns() - began);
    vz_async.at_work = false;
    vz_os_condition_broadcast(&vz_async.changed);
    return true;
}
