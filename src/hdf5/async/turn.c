/* turn.c - arrays and stores have one user at a time: the thread of a call of HDF5, or the module's
 * own. The module's thread gives its turn up while its tasks are in the pool, where it waits for
 * networks. A thread of HDF5 gives it up while it waits for requests. */
#include "hdf5/async/async_internal.h"

vz_async_state vz_async = {.lock = VZ_OS_MUTEX_INIT, .changed = VZ_OS_CONDITION_INIT};

size_t vz_async_unsettled;

/* A program that calls without a pause must not keep the module's thread out for ever. */
enum { ENTERED_MAX = 256 };

void vz_async_begin_turn(void)
{
    vz_async.wants = true;
    while (vz_async.entered > 0 && vz_async.waiting == 0)
        vz_os_condition_wait(&vz_async.changed, &vz_async.lock);
    vz_async.wants = false;
    vz_async.inside = true;
    vz_async.entered_since = 0;
}

void vz_async_end_turn(void)
{
    vz_async.inside = false;
    vz_os_condition_broadcast(&vz_async.changed);
}

/* Turns of this thread, one in the other. */
static _Thread_local unsigned own;

bool vz_async_has_turn(void)
{
    return own > 0;
}

void vz_async_keep_own_turn(void)
{
    vz_async.entered = own;
    vz_async.inside = false;
}

static bool must_wait(void)
{
    return vz_async.inside || (vz_async.wants && vz_async.entered_since > ENTERED_MAX);
}

void vz_async_take_back_turn(void)
{
    while (vz_async.inside && own > 0)
        vz_os_condition_wait(&vz_async.changed, &vz_async.lock);
}

void vz_async_enter(void)
{
    vz_os_mutex_lock(&vz_async.lock);
    while (vz_async.entered == 0 && must_wait())
        vz_os_condition_wait(&vz_async.changed, &vz_async.lock);
    own++;
    vz_async.entered++;
    vz_async.entered_since++;
    vz_os_mutex_unlock(&vz_async.lock);
}

void vz_async_leave(void)
{
    vz_os_mutex_lock(&vz_async.lock);
    own--;
    if (--vz_async.entered == 0)
        vz_os_condition_broadcast(&vz_async.changed);
    vz_os_mutex_unlock(&vz_async.lock);
}
