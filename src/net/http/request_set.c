/* request_set.c - sets of requests: given, pulled, stopped, closed. */
#include "net/http/engine_internal.h"
#include <stdlib.h>

#define CONNECTIONS_MAX 256u

static unsigned or_default(unsigned value, unsigned ordinary)
{
    return value ? value : ordinary;
}

static vz_net_options whole_options(const vz_net_options *asked)
{
    vz_net_options options = asked ? *asked : (vz_net_options){0};
    options.connections = or_default(options.connections, 64);
    if (options.connections > CONNECTIONS_MAX)
        options.connections = CONNECTIONS_MAX;
    options.connect_ms = or_default(options.connect_ms, 5000);
    options.first_byte_ms = or_default(options.first_byte_ms, 10000);
    options.stall_ms = or_default(options.stall_ms, 20000);
    options.retry_ms = or_default(options.retry_ms, 180000);
    options.attempts = or_default(options.attempts, 20);
    options.ca_bundle = NULL; /* the set has its own copy */
    return options;
}

static void free_set(vz_net_set *set)
{
    free(set->ca_bundle);
    free(set->proxy_http);
    free(set->proxy_https);
    free(set->no_proxy);
    free(set);
}

vz_net_set *vz_net_set_open(const vz_net_options *options, vz_error *err)
{
    vz_net_set *set = calloc(1, sizeof *set);
    if (!set) {
        vz_error_set(err, VZ_NO_MEMORY, "out of memory");
        return NULL;
    }
    set->options = whole_options(options);
    TAILQ_INIT(&set->jobs);
    TAILQ_INIT(&set->queued);
    TAILQ_INIT(&set->unsigned_jobs);
    TAILQ_INIT(&set->answered);
    if (!vz_net_environment(set, options ? options->ca_bundle : NULL, err)) {
        free_set(set);
        return NULL;
    }
    vz_os_condition_init(&set->pulled);
    vz_net_fork_register();
    vz_os_mutex_lock(&vz_net.lock);
    set->generation = vz_net.generation;
    TAILQ_INSERT_TAIL(&vz_net.sets, set, all);
    vz_os_mutex_unlock(&vz_net.lock);
    return set;
}

/* Under the lock. */
static bool enqueue(vz_net_set *set, vz_net_job *job, vz_error *err)
{
    if (set->generation != vz_net.generation)
        return vz_fail(err, VZ_INVALID, "requests of the process that this one was forked from");
    if (!vz_net_run(err) || !(job->host = vz_net_host_of(job->request->url, err)))
        return false;
    TAILQ_INSERT_TAIL(&set->jobs, job, in_set);
    TAILQ_INSERT_TAIL(&set->queued, job, next);
    set->under_way++;
    vz_net_wake();
    return true;
}

bool vz_net_set_add(vz_net_set *set, vz_net_request *request, vz_error *err)
{
    if (!vz_net_url_check(request, err) || (request->signer && !request->signer->class->prepare(request->signer, err)))
        return false;
    vz_net_job *job = calloc(1, sizeof *job);
    if (!job)
        return vz_fail_memory(err);
    job->request = request;
    job->set = set;
    job->start = request->into ? request->into->size : 0;
    vz_net_request_clear(request);
    request->job = job;
    vz_os_mutex_lock(&vz_net.lock);
    const bool ok = enqueue(set, job, err);
    vz_os_mutex_unlock(&vz_net.lock);
    if (!ok) {
        request->job = NULL;
        free(job);
    }
    return ok;
}

/* Under the lock: a job that nobody needs any more. */
static void forget(vz_net_job *job)
{
    vz_net_set *set = job->set;
    TAILQ_REMOVE(&set->jobs, job, in_set);
    vz_net_host_release(job->host);
    if (job->charged) {
        vz_net.bytes -= job->charged;
        set->charged--;
        vz_net_wake();
    }
    job->request->job = NULL;
    free(job);
}

/* Requests that waited for a signer's credentials go on, or fail. Under the lock. */
static void go_on(vz_net_set *set, const vz_net_signer *signer, const vz_error *err)
{
    vz_net_job *job, *next;
    for (job = TAILQ_FIRST(&set->unsigned_jobs); job; job = next) {
        next = TAILQ_NEXT(job, next);
        if (job->request->signer != signer)
            continue;
        TAILQ_REMOVE(&set->unsigned_jobs, job, next);
        if (err->class == VZ_OK) {
            job->state = JOB_QUEUED;
            TAILQ_INSERT_HEAD(&set->queued, job, next);
        } else {
            vz_net_fail(job, err->class, err->text);
            vz_net_answered(job);
        }
    }
    vz_net_wake();
}

/* A thread that pulls has nothing better to do. Under the lock, which is given up meanwhile. */
static void prepare_signer(vz_net_set *set)
{
    vz_net_signer *signer = TAILQ_FIRST(&set->unsigned_jobs)->request->signer;
    vz_error err = VZ_ERROR_NONE;
    vz_os_mutex_unlock(&vz_net.lock);
    if (!signer->class->prepare(signer, &err) && err.class == VZ_OK)
        vz_error_set(&err, VZ_PERMISSION, "there are no credentials");
    vz_os_mutex_lock(&vz_net.lock);
    go_on(set, signer, &err);
}

/* Under the lock: waits for one. */
static vz_net_job *next_answered(vz_net_set *set)
{
    while (set->generation == vz_net.generation) {
        vz_net_job *job = TAILQ_FIRST(&set->answered);
        if (job || set->under_way == 0)
            return job;
        if (!TAILQ_EMPTY(&set->unsigned_jobs) && !set->stopped)
            prepare_signer(set);
        else
            vz_os_condition_wait(&set->pulled, &vz_net.lock);
    }
    return NULL;
}

vz_net_request *vz_net_set_next(vz_net_set *set)
{
    vz_net_request *request = NULL;
    vz_os_mutex_lock(&vz_net.lock);
    vz_net_job *job = next_answered(set);
    if (job) {
        request = job->request;
        TAILQ_REMOVE(&set->answered, job, next);
        forget(job);
    }
    vz_os_mutex_unlock(&vz_net.lock);
    return request;
}

void vz_net_set_stop(vz_net_set *set)
{
    vz_os_mutex_lock(&vz_net.lock);
    if (set->generation == vz_net.generation && set->under_way > 0) {
        set->stopped = true;
        vz_net_wake();
    }
    vz_os_mutex_unlock(&vz_net.lock);
}

void vz_net_set_drop(vz_net_set *set)
{
    vz_net_job *job, *next;
    for (job = TAILQ_FIRST(&set->jobs); job; job = next) {
        next = TAILQ_NEXT(job, in_set);
        job->request->job = NULL;
        free(job->second);
        free(job);
    }
    free_set(set);
}

void vz_net_set_close(vz_net_set *set)
{
    vz_os_mutex_lock(&vz_net.lock);
    if (set->generation != vz_net.generation) {
        vz_os_mutex_unlock(&vz_net.lock);
        vz_net_set_drop(set);
        return;
    }
    set->stopped = true;
    if (set->under_way > 0 && vz_net_run(NULL))
        vz_net_wake();
    while (set->under_way > 0)
        vz_os_condition_wait(&set->pulled, &vz_net.lock);
    vz_net_job *job;
    while ((job = TAILQ_FIRST(&set->jobs)))
        forget(job);
    TAILQ_REMOVE(&vz_net.sets, set, all);
    vz_os_mutex_unlock(&vz_net.lock);
    vz_os_condition_destroy(&set->pulled);
    free_set(set);
}

bool vz_net_do(const vz_net_options *options, vz_net_request *request, vz_error *err)
{
    vz_net_set *set = vz_net_set_open(options, err);
    if (!set)
        return false;
    const bool added = vz_net_set_add(set, request, err);
    if (added)
        vz_net_set_next(set);
    vz_net_set_close(set);
    if (added && request->failed != VZ_OK)
        vz_error_set(err, request->failed, "%s", request->why);
    return added && request->failed == VZ_OK;
}
