/* hedged_get.c - a second GET when an answer is late. For the transfer thread alone.
 *
 * Of many answers a few come much later than the others, because of one machine or connection of
 * the server. Then the request is sent once more on a new connection. The first good answer counts;
 * the other attempt is stopped. Both would write into the request's buffers, so neither writes
 * before its first header line has decided which one counts. */
#include "net/http/engine_internal.h"
#include <stdlib.h>

/* A server that said that it is too much gets none. */
static bool may_double(const vz_net_job *job, int64_t now)
{
    const vz_net_host *host = job->host;
    return host->earned >= VZ_NET_HEDGE_PRICE && host->window == 0 && vz_net.active_count < VZ_NET_ACTIVE_MAX &&
           vz_net_host_has_room(host, job->set, now);
}

/* ---- two attempts ---- */

static void count_active(vz_net_job *job, int more)
{
    vz_os_mutex_lock(&vz_net.lock);
    job->host->active += (unsigned)more;
    vz_net.active_count += (unsigned)more;
    vz_os_mutex_unlock(&vz_net.lock);
}

/* It is no harm if it cannot be sent. */
static void begin_second(vz_net_job *job)
{
    vz_error err = VZ_ERROR_NONE;
    vz_net_job *second = calloc(1, sizeof *second);
    if (!second)
        return;
    job->doubled = true;
    second->request = job->request;
    second->set = job->set;
    second->host = job->host;
    second->start = job->start;
    second->first = job;
    if (vz_net_transfer_begin(second, &err) != VZ_NET_SIGNED) {
        free(second);
        return;
    }
    job->host->earned -= VZ_NET_HEDGE_PRICE;
    job->second = second;
    count_active(job, 1);
}

void vz_net_hedge_begin_due(int64_t now)
{
    vz_net_job *job;
    TAILQ_FOREACH(job, &vz_net.active, next)
    if (vz_net_is_late(job, now) && may_double(job, now))
        begin_second(job);
}

/* ---- one of them ends ---- */

/* The bytes that it received are dropped. */
static void end_one(vz_net_job *attempted)
{
    vz_net_job *job = attempted->first ? attempted->first : attempted;
    const int status = attempted->attempt.lost_status;
    const int64_t begun = attempted->attempt.begun_ms;
    vz_net_transfer_end(attempted, true);
    count_active(job, -1);
    if (attempted == job->second) {
        job->second = NULL;
        free(attempted);
    }
    if (status != 503 && status != 429)
        return;
    vz_os_mutex_lock(&vz_net.lock);
    vz_net_host_slow_down(job->host, job->set, begun, vz_net_now());
    vz_os_mutex_unlock(&vz_net.lock);
}

void vz_net_hedge_end_lost(void)
{
    vz_net_job *job;
    TAILQ_FOREACH(job, &vz_net.active, next)
    {
        if (job->second && job->second->lost)
            end_one(job->second);
        else if (job->lost && job->attempt.easy)
            end_one(job);
    }
}

/* The second attempt is the job's own from now on. */
static void adopt(vz_net_job *job)
{
    vz_net_job *second = job->second;
    job->attempt = second->attempt;
    curl_easy_setopt(job->attempt.easy, CURLOPT_ERRORBUFFER, job->attempt.said);
    job->second = NULL;
    job->lost = false;
    free(second);
}

vz_net_job *vz_net_hedge_settle(vz_net_job *attempted)
{
    vz_net_job *job = attempted->first ? attempted->first : attempted;
    if (vz_net_hedge_is_open(attempted)) {
        attempted->lost = true;
        end_one(attempted);
        return NULL;
    }
    if (attempted != job)
        adopt(job);
    return job;
}

void vz_net_hedge_stop(vz_net_job *job)
{
    if (!job->second)
        return;
    if (job->lost) {
        adopt(job);
        return;
    }
    job->host->active--;
    vz_net.active_count--;
    vz_net_transfer_end(job->second, true);
    free(job->second);
    job->second = NULL;
}
