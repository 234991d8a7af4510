/* readers.c - threads that read from the store. */
#include "command/serve/serve_internal.h"
#include "base/os/process.h"
#include <stdlib.h>

/* Changes by others are seen after so long, in stores that do not show them at once. */
#define RENEW_NS VZ_OS_NS_PER_S

struct vz_serve_readers {
    const vz_serve_site *site;
    const vz_os_bell *bell;
    vz_os_mutex lock;
    vz_os_condition wanted;
    vz_serve_job *first, **last; /* to be read */
    vz_serve_job *done;
    bool stops;
    vz_os_rwlock store; /* held to read; to be alone with the store, to write */
    _Atomic(int64_t) renewed_ns;
    unsigned count;
    vz_os_thread threads[VZ_SERVE_THREADS_FAR];
};

/* Only one thread may use the store while it looks for what others wrote. */
static void renew(vz_serve_readers *readers)
{
    const int64_t now = vz_os_now_ns();
    if (now - readers->renewed_ns < RENEW_NS)
        return;
    vz_os_rwlock_write(&readers->store);
    if (now - readers->renewed_ns >= RENEW_NS) {
        vz_store_renew(readers->site->store, NULL); /* else the store is what it was */
        readers->renewed_ns = vz_os_now_ns();
    }
    vz_os_rwlock_unlock(&readers->store);
}

static vz_serve_job *take(vz_serve_readers *readers)
{
    vz_os_mutex_lock(&readers->lock);
    while (!readers->first && !readers->stops)
        vz_os_condition_wait(&readers->wanted, &readers->lock);
    vz_serve_job *job = readers->stops ? NULL : readers->first;
    if (job) {
        readers->first = job->next;
        if (!readers->first)
            readers->last = &readers->first;
    }
    vz_os_mutex_unlock(&readers->lock);
    return job;
}

static void give_back(vz_serve_readers *readers, vz_serve_job *job)
{
    vz_os_mutex_lock(&readers->lock);
    job->next = readers->done;
    readers->done = job;
    vz_os_mutex_unlock(&readers->lock);
    vz_os_bell_ring(readers->bell);
}

static void *work(void *argument)
{
    vz_serve_readers *readers = argument;
    vz_serve_job *job;
    while ((job = take(readers))) {
        if (!job->answer.is_begun)
            renew(readers);
        vz_os_rwlock_read(&readers->store);
        vz_serve_read(readers->site, &job->answer);
        vz_os_rwlock_unlock(&readers->store);
        give_back(readers, job);
    }
    return NULL;
}

vz_serve_readers *vz_serve_readers_start(const vz_serve_site *site, const vz_os_bell *bell, vz_error *err)
{
    const unsigned wanted = site->is_near ? VZ_SERVE_THREADS_NEAR : VZ_SERVE_THREADS_FAR;
    vz_serve_readers *readers = calloc(1, sizeof *readers);
    if (!readers) {
        vz_fail_memory(err);
        return NULL;
    }
    readers->site = site;
    readers->bell = bell;
    readers->last = &readers->first;
    readers->renewed_ns = vz_os_now_ns();
    vz_os_mutex_init(&readers->lock);
    vz_os_condition_init(&readers->wanted);
    vz_os_rwlock_init(&readers->store);
    int failed = 0;
    while (!failed && readers->count < wanted)
        if ((failed = vz_os_thread_start(&readers->threads[readers->count], work, readers)) == 0)
            readers->count++;
    if (readers->count > 0)
        return readers; /* fewer are slower, and no failure */
    vz_fail_errno(err, failed, "no thread can be started");
    vz_serve_readers_stop(readers);
    return NULL;
}

void vz_serve_readers_add(vz_serve_readers *readers, vz_serve_job *job)
{
    job->next = NULL;
    vz_os_mutex_lock(&readers->lock);
    *readers->last = job;
    readers->last = &job->next;
    vz_os_condition_signal(&readers->wanted);
    vz_os_mutex_unlock(&readers->lock);
}

vz_serve_job *vz_serve_readers_next(vz_serve_readers *readers)
{
    vz_os_mutex_lock(&readers->lock);
    vz_serve_job *job = readers->done;
    if (job)
        readers->done = job->next;
    vz_os_mutex_unlock(&readers->lock);
    return job;
}

void vz_serve_readers_stop(vz_serve_readers *readers)
{
    vz_os_mutex_lock(&readers->lock);
    readers->stops = true;
    vz_os_condition_broadcast(&readers->wanted);
    vz_os_mutex_unlock(&readers->lock);
    for (unsigned i = 0; i < readers->count; i++)
        vz_os_thread_join(readers->threads[i]);
    vz_os_rwlock_destroy(&readers->store);
    vz_os_condition_destroy(&readers->wanted);
    vz_os_mutex_destroy(&readers->lock);
    free(readers);
}
