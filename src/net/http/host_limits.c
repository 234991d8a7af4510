/* host_limits.c - how much is asked of one server at once, and when it is asked again. */
#include "net/http/engine_internal.h"
#include "base/os/process.h"
#include <stdlib.h>
#include <string.h>

#define WAIT_FIRST_MS    100
#define WAIT_MOST_MS     10000
#define UNKNOWN_ATTEMPTS 3  /* of a server that never answered: its name may be wrong */
#define HOSTS_KEPT       64 /* that nobody asks just now */

static void drop_idle_hosts(void)
{
    unsigned count = 0;
    vz_net_host *host, *next;
    TAILQ_FOREACH(host, &vz_net.hosts, all)
    count++;
    for (host = TAILQ_FIRST(&vz_net.hosts); host && count > HOSTS_KEPT; host = next) {
        next = TAILQ_NEXT(host, all);
        if (host->jobs > 0)
            continue;
        TAILQ_REMOVE(&vz_net.hosts, host, all);
        free(host);
        count--;
    }
}

vz_net_host *vz_net_host_of(const char *url, vz_error *err)
{
    const size_t length = vz_net_url_origin(url);
    vz_net_host *host;
    TAILQ_FOREACH(host, &vz_net.hosts, all)
    if (strncmp(host->origin, url, length) == 0 && host->origin[length] == '\0') {
        host->jobs++;
        return host;
    }
    drop_idle_hosts();
    host = calloc(1, sizeof *host);
    if (!host) {
        vz_error_set(err, VZ_NO_MEMORY, "out of memory");
        return NULL;
    }
    memcpy(host->origin, url, length);
    host->jobs = 1;
    TAILQ_INSERT_TAIL(&vz_net.hosts, host, all);
    return host;
}

void vz_net_host_release(vz_net_host *host)
{
    host->jobs--;
}

/* A window of 0 was never slowed down: the set says how much. */
static double window_of(const vz_net_host *host, const vz_net_set *set)
{
    return host->window > 0 && host->window < set->options.connections ? host->window : set->options.connections;
}

bool vz_net_host_has_room(const vz_net_host *host, const vz_net_set *set, int64_t now)
{
    return now >= host->paused_ms && host->active < (unsigned)window_of(host, set);
}

/* One more for each windowful that went well. */
void vz_net_host_went_well(vz_net_host *host, const vz_net_set *set)
{
    host->answered = true;
    if (host->window == 0)
        return;
    host->window += 1 / host->window;
    if (host->window >= set->options.connections)
        host->window = 0;
}

/* Halves what is under way; only once for the requests that were under way together. */
void vz_net_host_slow_down(vz_net_host *host, const vz_net_set *set, int64_t attempt_begun_ms, int64_t now)
{
    if (attempt_begun_ms < host->slowed_ms)
        return;
    host->slowed_ms = now;
    host->window = window_of(host, set) / 2;
    if (host->window < 1)
        host->window = 1;
}

/* Steele and Vigna's splitmix64: waits must differ between processes, nothing more. */
static uint64_t next_random(void)
{
    if (vz_net.random == 0 && !vz_os_random(&vz_net.random, sizeof vz_net.random))
        vz_net.random = (uint64_t)vz_net_now();
    uint64_t z = vz_net.random += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

int64_t vz_net_again_at(vz_net_job *job, const vz_net_judgement *judgement, int64_t now)
{
    const vz_net_options *options = &job->set->options;
    const unsigned attempts = job->request->attempts;
    const bool unknown = judgement->no_host && !job->host->answered;
    if (attempts >= (unknown && options->attempts > UNKNOWN_ATTEMPTS ? UNKNOWN_ATTEMPTS : options->attempts))
        return -1;
    const unsigned doublings = attempts - 1 < 10 ? attempts - 1 : 10;
    const int64_t most = (int64_t)WAIT_FIRST_MS << doublings;
    int64_t wait = (int64_t)(next_random() % (uint64_t)(most < WAIT_MOST_MS ? most : WAIT_MOST_MS)) + 1;
    if (wait < judgement->after_ms)
        wait = judgement->after_ms;
    return now + wait - job->begun_ms > options->retry_ms ? -1 : now + wait;
}
