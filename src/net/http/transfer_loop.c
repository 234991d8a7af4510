/* transfer_loop.c - the transfer thread. It begins transfers within the limits, waits for the
 * network, and hands out or repeats transfers that ended. Lists change under the lock; libcurl is
 * called without it. */
#include "net/http/engine_internal.h"
#include <stdio.h>
#include <stdlib.h>
#if __has_include(<openssl/crypto.h>)
#include <openssl/crypto.h>
#endif

#define IDLE_WAIT_MS 60000

/* ---- begin ---- */

/* Estimate of the memory that an answer takes. */
static size_t charge_of(const vz_net_request *request)
{
    if (!request->into || request->into->borrowed || request->method == VZ_NET_HEAD)
        return 0;
    const uint64_t expected = request->expected ? request->expected : VZ_NET_BYTES_GUESS;
    const uint64_t most = request->most && request->most < expected ? request->most : expected;
    return most < VZ_NET_BYTES_MAX ? (size_t)most : VZ_NET_BYTES_MAX;
}

/* A set that holds nothing of the memory always gets one request through: the thread that pulls it
 * may hold what others wait for. */
static bool may_begin(const vz_net_job *job, int64_t now)
{
    const size_t charge = charge_of(job->request);
    return vz_net.active_count < VZ_NET_ACTIVE_MAX && vz_net_host_has_room(job->host, job->set, now) &&
           (charge == 0 || job->set->charged == 0 || vz_net.bytes + charge <= VZ_NET_BYTES_MAX);
}

static void make_active(vz_net_job *job, int64_t now)
{
    TAILQ_REMOVE(&job->set->queued, job, next);
    TAILQ_INSERT_TAIL(&vz_net.active, job, next);
    job->state = JOB_ACTIVE;
    job->host->active++;
    vz_net.active_count++;
    if (job->begun_ms == 0)
        job->begun_ms = now;
    if (job->charged == 0 && (job->charged = charge_of(job->request)) > 0) {
        vz_net.bytes += job->charged;
        job->set->charged++;
    }
}

static void make_inactive(vz_net_job *job)
{
    TAILQ_REMOVE(&vz_net.active, job, next);
    job->host->active--;
    vz_net.active_count--;
}

/* The next one that may begin, of the sets in turn. */
static vz_net_job *choose(int64_t now)
{
    vz_net_set *set;
    TAILQ_FOREACH(set, &vz_net.sets, all)
    {
        vz_net_job *job = TAILQ_FIRST(&set->queued);
        if (!job || !may_begin(job, now))
            continue;
        TAILQ_REMOVE(&vz_net.sets, set, all);
        TAILQ_INSERT_TAIL(&vz_net.sets, set, all);
        return job;
    }
    return NULL;
}

#define STALE_MOST 3

static void wait_for_signer(vz_net_job *job)
{
    job->state = JOB_UNSIGNED;
    TAILQ_INSERT_TAIL(&job->set->unsigned_jobs, job, next);
    vz_os_condition_broadcast(&job->set->pulled);
}

/* It was not sent: there are no credentials, or something else is wrong with it. */
static void did_not_begin(vz_net_job *job, vz_net_signed is_signed, const vz_error *err)
{
    make_inactive(job);
    if (is_signed == VZ_NET_STALE && job->stale++ < STALE_MOST) {
        wait_for_signer(job);
        return;
    }
    const bool stale = is_signed == VZ_NET_STALE;
    vz_net_fail(job, stale ? VZ_PERMISSION : err->class, stale ? "there are no credentials that are valid" : err->text);
    vz_net_answered(job);
}

static void begin_jobs(void)
{
    vz_net_job *job;
    const int64_t now = vz_net_now();
    while (!vz_net.park && (job = choose(now))) {
        make_active(job, now);
        vz_os_mutex_unlock(&vz_net.lock);
        vz_error err = VZ_ERROR_NONE;
        const vz_net_signed is_signed = vz_net_transfer_begin(job, &err);
        vz_os_mutex_lock(&vz_net.lock);
        if (is_signed != VZ_NET_SIGNED)
            did_not_begin(job, is_signed, &err);
    }
}

/* Those whose time has come stand before those that never began. */
static void queue_due_jobs(int64_t now)
{
    vz_net_job *job, *next;
    for (job = TAILQ_FIRST(&vz_net.later); job; job = next) {
        next = TAILQ_NEXT(job, next);
        if (job->due_ms > now)
            continue;
        TAILQ_REMOVE(&vz_net.later, job, next);
        job->state = JOB_QUEUED;
        TAILQ_INSERT_HEAD(&job->set->queued, job, next);
    }
}

/* ---- end ---- */

static void try_again(vz_net_job *job, const vz_net_judgement *judgement, int64_t now)
{
    const vz_net_request *request = job->request;
    const bool repeatable = request->repeatable || request->method == VZ_NET_GET || request->method == VZ_NET_HEAD;
    const int64_t due = repeatable || !request->sent ? vz_net_again_at(job, judgement, now) : -1;
    if (due >= 0) {
        job->state = JOB_LATER;
        job->due_ms = due;
        TAILQ_INSERT_TAIL(&vz_net.later, job, next);
        return;
    }
    char text[VZ_NET_WHY_SIZE];
    if (request->attempts > 1)
        snprintf(text, sizeof text, "%.100s, %u times in %lld s", judgement->why, request->attempts,
                 (long long)(now - job->begun_ms + 500) / 1000);
    else
        snprintf(text, sizeof text, "%s", judgement->why);
    vz_net_fail(job, repeatable || !request->sent ? VZ_IO : VZ_TRANSIENT, text);
    vz_net_answered(job);
}

/* Does the answer say that the credentials which signed the request hold no more? */
static bool is_refused(vz_net_job *job)
{
    const vz_net_request *request = job->request;
    const int status = request->status;
    vz_net_signer *signer = request->signer;
    if (job->renewed || request->failed != VZ_OK || !signer || !signer->class->refused ||
        (status != 400 && status != 401 && status != 403))
        return false;
    job->renewed = signer->class->refused(signer, request, job->attempt.begun_ms);
    return job->renewed;
}

static void end_job(vz_net_job *job, CURLcode result)
{
    vz_net_judgement judgement;
    vz_net_judge(job, result, &judgement);
    const int64_t begun = job->attempt.begun_ms, now = vz_net_now();
    const bool refused = judgement.verdict == VERDICT_ANSWER && is_refused(job);
    vz_net_transfer_end(job, judgement.verdict == VERDICT_ANSWER && !refused);
    vz_os_mutex_lock(&vz_net.lock);
    make_inactive(job);
    if (judgement.slow_down) {
        vz_net_host_slow_down(job->host, job->set, begun, now);
        if (judgement.after_ms && now + judgement.after_ms > job->host->paused_ms)
            job->host->paused_ms = now + judgement.after_ms;
    } else if (job->request->status != 0) {
        vz_net_host_went_well(job->host, job->set);
    }
    if (judgement.verdict == VERDICT_AGAIN)
        try_again(job, &judgement, now);
    else if (refused)
        wait_for_signer(job);
    else
        vz_net_answered(job);
    vz_os_mutex_unlock(&vz_net.lock);
}

static void end_attempt(vz_net_job *attempted, CURLcode result)
{
    vz_net_job *job = vz_net_hedge_settle(attempted);
    if (job)
        end_job(job, result);
}

static void end_jobs(void)
{
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(vz_net.multi, &left))) {
        void *job = NULL;
        if (message->msg != CURLMSG_DONE)
            continue;
        const CURLcode result = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &job);
        end_attempt(job, result);
    }
}

static void end_overdue_jobs(int64_t now)
{
    vz_net_job *job, *next;
    for (job = TAILQ_FIRST(&vz_net.active); job; job = next) {
        next = TAILQ_NEXT(job, next);
        vz_net_job *attempted = job->lost ? job->second : job;
        if (vz_net_transfer_overdue(attempted, now))
            end_attempt(attempted, CURLE_OPERATION_TIMEDOUT);
    }
}

/* ---- stop ---- */

static void answer_stopped(vz_net_job *job)
{
    vz_net_fail(job, VZ_TRANSIENT, "it is not wanted any more");
    vz_net_answered(job);
}

static void stop_list(struct vz_net_jobs *jobs, const vz_net_set *set)
{
    vz_net_job *job, *next;
    for (job = TAILQ_FIRST(jobs); job; job = next) {
        next = TAILQ_NEXT(job, next);
        if (job->set != set)
            continue;
        if (job->state == JOB_ACTIVE) {
            job->request->sent |= job->attempt.asked > 0;
            vz_net_hedge_stop(job);
            vz_net_transfer_end(job, false);
            make_inactive(job);
        } else {
            TAILQ_REMOVE(jobs, job, next);
        }
        answer_stopped(job);
    }
}

static void stop_sets(void)
{
    vz_net_set *set;
    TAILQ_FOREACH(set, &vz_net.sets, all)
    {
        if (!set->stopped || set->under_way == 0)
            continue;
        stop_list(&set->queued, set);
        stop_list(&set->unsigned_jobs, set);
        stop_list(&vz_net.later, set);
        stop_list(&vz_net.active, set);
    }
}

/* ---- the thread ---- */

/* Until when nothing has to be done, if the network is silent. Under the lock. */
static int idle_ms(int64_t now)
{
    int64_t until = now + (vz_net.active_count ? VZ_NET_LOOK_MS : IDLE_WAIT_MS);
    const vz_net_job *job;
    TAILQ_FOREACH(job, &vz_net.later, next)
    if (job->due_ms < until)
        until = job->due_ms;
    const vz_net_host *host;
    TAILQ_FOREACH(host, &vz_net.hosts, all)
    if (host->jobs > 0 && host->paused_ms > now && host->paused_ms < until)
        until = host->paused_ms;
    return until <= now ? 0 : (int)(until - now);
}

static void park(void)
{
    vz_net.parked = true;
    vz_os_condition_broadcast(&vz_net.changed);
    while (vz_net.park)
        vz_os_condition_wait(&vz_net.changed, &vz_net.lock);
    vz_net.parked = false;
}

static void transfer(int64_t *looked_ms)
{
    int running = 0;
    curl_multi_perform(vz_net.multi, &running);
    vz_net_hedge_end_lost();
    end_jobs();
    const int64_t now = vz_net_now();
    if (now - *looked_ms < VZ_NET_LOOK_MS)
        return;
    end_overdue_jobs(now);
    vz_net_hedge_begin_due(now);
    *looked_ms = now;
}

static void *thread_main(void *unused)
{
    (void)unused;
    int64_t looked_ms = 0;
    vz_os_mutex_lock(&vz_net.lock);
    while (!vz_net.ending) {
        if (vz_net.park)
            park();
        stop_sets();
        queue_due_jobs(vz_net_now());
        begin_jobs();
        vz_os_mutex_unlock(&vz_net.lock);
        transfer(&looked_ms);
        vz_os_mutex_lock(&vz_net.lock);
        queue_due_jobs(vz_net_now());
        begin_jobs();
        const int wait = vz_net.park || vz_net.ending ? 0 : idle_ms(vz_net_now());
        vz_os_mutex_unlock(&vz_net.lock);
        curl_multi_poll(vz_net.multi, NULL, 0, wait, NULL);
        vz_os_mutex_lock(&vz_net.lock);
        vz_net.woken = false;
    }
    vz_net.running = false;
    vz_os_condition_broadcast(&vz_net.changed);
    vz_os_mutex_unlock(&vz_net.lock);
    return NULL;
}

/* At the end of the process: what libraries free then must have no thread in it. HDF5 may still
 * flush after this; the thread starts again if it does. */
static void end_thread(void)
{
    vz_os_mutex_lock(&vz_net.lock);
    if (vz_net.running && !vz_os_thread_is_current(vz_net.thread)) {
        vz_net.ending = true;
        vz_net_wake();
        while (vz_net.running)
            vz_os_condition_wait(&vz_net.changed, &vz_net.lock);
        vz_os_thread_join(vz_net.thread);
        vz_net.ending = false;
    }
    vz_os_mutex_unlock(&vz_net.lock);
}

/* Once a process. OpenSSL must not clean itself up before HDF5 has flushed what a program left
 * open. */
static bool make_ready(vz_error *err)
{
    if (vz_net.ready)
        return true;
#ifdef OPENSSL_INIT_NO_ATEXIT
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
#endif
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return vz_fail(err, VZ_IO, "libcurl does not start");
    vz_net.share = curl_share_init();
    vz_net.idle = malloc(VZ_NET_ACTIVE_MAX * sizeof *vz_net.idle);
    if (!vz_net.share || !vz_net.idle)
        return vz_fail_memory(err);
    curl_share_setopt(vz_net.share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    atexit(end_thread);
    vz_net.ready = true;
    return true;
}

static bool make_multi(vz_error *err)
{
    if (vz_net.multi)
        return true;
    vz_net.multi = curl_multi_init();
    if (!vz_net.multi)
        return vz_fail_memory(err);
    curl_multi_setopt(vz_net.multi, CURLMOPT_MAXCONNECTS, (long)VZ_NET_IDLE_MAX);
    return true;
}

bool vz_net_run(vz_error *err)
{
    while (vz_net.ending)
        vz_os_condition_wait(&vz_net.changed, &vz_net.lock);
    if (vz_net.running)
        return true;
    vz_net_fork_register();
    if (!make_ready(err) || !make_multi(err))
        return false;
    const int failed = vz_os_thread_start(&vz_net.thread, thread_main, NULL);
    if (failed)
        return vz_fail_errno(err, failed, "the thread of the transfers does not start");
    vz_net.running = true;
    return true;
}
