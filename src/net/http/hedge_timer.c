/* hedge_timer.c - when an answer is late, and which of two answers counts. See hedged_get.c. */
#include "net/http/engine_internal.h"
#include <stdlib.h>

#define LATE_RANK     61   /* of 64 answers the one that is slower than 95 % of them */
#define LATE_TIMES    4    /* so much later than that one */
#define LATE_FLOOR_MS 200  /* what a busy machine does */
#define LATE_CAP_MS   5000 /* half of the time after which an answer is given up */
#define SAVED_MOST    (4 * VZ_NET_HEDGE_PRICE)

/* ---- when is an answer late? ---- */

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

int64_t vz_net_late_after(const vz_net_host *host)
{
    uint32_t sorted[VZ_NET_RECENT];
    if (host->recent_count < VZ_NET_RECENT)
        return -1;
    memcpy(sorted, host->recent_ms, sizeof sorted);
    qsort(sorted, VZ_NET_RECENT, sizeof *sorted, compare);
    const int64_t late = (int64_t)sorted[LATE_RANK - 1] * LATE_TIMES;
    return late < LATE_FLOOR_MS ? LATE_FLOOR_MS : late > LATE_CAP_MS ? LATE_CAP_MS : late;
}

/* Of two attempts the time counts that the first one waited. */
static void note_time(const vz_net_job *job)
{
    vz_net_host *host = job->host;
    const vz_net_job *first = job->first ? job->first : job;
    const int64_t took = vz_net_now() - first->attempt.asked_ms;
    host->recent_ms[host->recent_count++ % VZ_NET_RECENT] = took < 0 ? 0 : took > LATE_CAP_MS ? LATE_CAP_MS : took;
    if (host->earned < SAVED_MOST)
        host->earned++;
}

bool vz_net_is_late(const vz_net_job *job, int64_t now)
{
    const vz_net_request *request = job->request;
    const int64_t waited = now - job->attempt.asked_ms;
    if (request->method != VZ_NET_GET || !request->twice || job->doubled || !job->attempt.asked || job->attempt.began ||
        waited < LATE_FLOOR_MS)
        return false;
    const int64_t late = vz_net_late_after(job->host);
    return late >= 0 && waited >= late;
}

/* ---- which of two counts? ---- */

static vz_net_job *other_of(const vz_net_job *job)
{
    return job->first ? job->first : job->second;
}

bool vz_net_hedge_is_open(const vz_net_job *job)
{
    const vz_net_job *other = other_of(job);
    return other && !other->lost && !job->lost;
}

bool vz_net_hedge_answers(vz_net_job *job, int status)
{
    if (job->lost)
        return false;
    if (status < 200)
        return true; /* that is not the answer yet */
    if (vz_net_hedge_is_open(job)) {
        const bool is_good = !vz_net_is_momentary(status);
        (is_good ? other_of(job) : job)->lost = true;
        if (!is_good) {
            job->attempt.lost_status = status;
            return false;
        }
    }
    if (!job->attempt.began && job->request->twice)
        note_time(job);
    job->attempt.began = true;
    return true;
}
