/* engine.c - the engine of the process, and the two operations that all other files need: wake its
 * thread, and have a request answered. */
#include "net/http/engine_internal.h"
#include "base/os/process.h"
#include <stdio.h>

vz_net_engine vz_net = {
    .lock = VZ_OS_MUTEX_INIT,
    .changed = VZ_OS_CONDITION_INIT,
    .sets = TAILQ_HEAD_INITIALIZER(vz_net.sets),
    .hosts = TAILQ_HEAD_INITIALIZER(vz_net.hosts),
    .later = TAILQ_HEAD_INITIALIZER(vz_net.later),
    .active = TAILQ_HEAD_INITIALIZER(vz_net.active),
};

int64_t vz_net_now(void)
{
    return vz_os_now_ns() / 1000000;
}

void vz_net_wake(void)
{
    if (vz_net.woken || !vz_net.multi)
        return;
    vz_net.woken = true;
    curl_multi_wakeup(vz_net.multi);
}

void vz_net_answered(vz_net_job *job)
{
    vz_net_set *set = job->set;
    job->state = JOB_ANSWERED;
    TAILQ_INSERT_TAIL(&set->answered, job, next);
    set->under_way--;
    vz_os_condition_broadcast(&set->pulled);
}

void vz_net_fail(vz_net_job *job, vz_error_class class, const char *text)
{
    vz_net_request *request = job->request;
    request->failed = class;
    if (request->into)
        request->into->size = job->start;
    const int url_length = (int)strcspn(request->url, "?#");
    const int room = VZ_NET_WHY_SIZE - 16 - (int)strnlen(text, VZ_NET_WHY_SIZE / 2);
    snprintf(request->why, sizeof request->why, "%.*s (%s %.*s%s)", VZ_NET_WHY_SIZE / 2, text,
             vz_net_method_name(request->method), url_length < room ? url_length : room, request->url,
             url_length < room ? "" : "...");
}
