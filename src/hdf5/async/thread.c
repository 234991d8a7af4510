/* thread.c - the module's thread, and processes that fork. A fork waits for the batch that is under
 * way, so that the child finds arrays and stores whole; none begins meanwhile.
 *
 * Handlers of forks run in the reverse order of their registration. That of the network's thread
 * must find no batch that waits for it. So ours are registered once more when the first request of
 * a remote store comes: by then that thread's are. */
#include "hdf5/async/async_internal.h"

void vz_async_give_turn(void)
{
    vz_os_mutex_lock(&vz_async.lock);
    vz_async_end_turn();
    vz_os_mutex_unlock(&vz_async.lock);
}

void vz_async_take_turn(void)
{
    vz_os_mutex_lock(&vz_async.lock);
    vz_async_begin_turn();
    vz_os_mutex_unlock(&vz_async.lock);
}

static void *thread_main(void *unused)
{
    static const vz_pool_gap gap = {vz_async_give_turn, vz_async_take_turn};
    (void)unused;
    vz_pool_set_gap(&gap);
    vz_os_mutex_lock(&vz_async.lock);
    while (!vz_async.ending)
        if (!vz_async_run_batch() && !vz_async_run_ahead())
            vz_os_condition_wait(&vz_async.changed, &vz_async.lock);
    vz_os_mutex_unlock(&vz_async.lock);
    return NULL;
}

/* ---- forks ---- */

/* The handlers of a fork that this thread is in: they may be registered more than once. */
static _Thread_local unsigned forks;

static void before_fork(void)
{
    if (forks++ > 0)
        return;
    const bool has_turn = vz_async_has_turn();
    vz_os_mutex_lock(&vz_async.lock);
    vz_async.forking++;
    vz_async.waiting += has_turn;
    while (vz_async.at_work)
        vz_os_condition_wait(&vz_async.changed, &vz_async.lock);
    vz_async.waiting -= has_turn;
}

static void after_fork_in_parent(void)
{
    if (--forks > 0)
        return;
    vz_async.forking--;
    vz_os_condition_broadcast(&vz_async.changed);
    vz_os_mutex_unlock(&vz_async.lock);
}

/* Writes that wait are the parent's. Reads that wait are done here, too. */
static void after_fork_in_child(void)
{
    if (--forks > 0)
        return;
    vz_async.forking = vz_async.waiting = 0;
    vz_async.runs = vz_async.wants = false;
    vz_async_keep_own_turn();
    vz_os_condition_init_timed(&vz_async.changed);
    for (vz_async_request *request = vz_async.first; request; request = request->next) {
        if (request->work.reading || request->status != VZ_ASYNC_UNDER_WAY)
            continue;
        request->status = VZ_ASYNC_FAILED;
        vz_error_set(&request->error, VZ_BUSY,
                     "not written: it was started before this process was forked, and is its parent's to write");
    }
    vz_os_mutex_unlock(&vz_async.lock);
}

static void prepare_forks(void)
{
    vz_os_at_fork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* ---- starting and ending ---- */

static void prepare_once(void)
{
    vz_os_condition_init_timed(&vz_async.changed);
    prepare_forks();
}

void vz_async_prepare(bool is_far)
{
    static vz_os_once once = VZ_OS_ONCE_INIT, far_once = VZ_OS_ONCE_INIT;
    vz_os_run_once(&once, prepare_once);
    if (is_far)
        vz_os_run_once(&far_once, prepare_forks);
}

bool vz_async_start_thread(void)
{
    if (!vz_async.runs)
        vz_async.runs = vz_os_thread_start(&vz_async.thread, thread_main, NULL) == 0;
    return vz_async.runs;
}

void vz_async_end_thread(void)
{
    vz_os_mutex_lock(&vz_async.lock);
    const bool runs = vz_async.runs;
    vz_async.ending = true;
    vz_os_condition_broadcast(&vz_async.changed);
    vz_os_mutex_unlock(&vz_async.lock);
    if (runs)
        vz_os_thread_join(vz_async.thread);
    vz_async.runs = vz_async.ending = false;
}
