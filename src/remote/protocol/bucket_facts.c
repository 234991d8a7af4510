/* bucket_facts.c - see remote_internal.h. A process asks few buckets, so that a list is enough. */
#include "remote/protocol/remote_internal.h"
#include "base/os/thread.h"
#include <stdlib.h>
#include <string.h>

static vz_os_mutex list_lock = VZ_OS_MUTEX_INIT;
static vz_site_facts *list;

/* A thread of the parent's may have held them. */
static void renew_locks(void)
{
    vz_os_mutex_init(&list_lock);
    for (vz_site_facts *known = list; known; known = known->next) {
        vz_os_mutex_init(&known->probing);
        vz_os_mutex_init(&known->lock);
    }
}

static void renew_after_forks(void)
{
    vz_os_at_fork(NULL, NULL, renew_locks);
}

static vz_site_facts *add(const char *id)
{
    const size_t size = strlen(id) + 1;
    vz_site_facts *known = calloc(1, sizeof *known + size);
    if (!known)
        return NULL;
    memcpy(known->id, id, size);
    vz_os_mutex_init(&known->probing);
    vz_os_mutex_init(&known->lock);
    known->next = list;
    list = known;
    return known;
}

vz_site_facts *vz_site_fact_of_bucket(const char *id, vz_error *err)
{
    static vz_os_once once = VZ_OS_ONCE_INIT;
    vz_os_run_once(&once, renew_after_forks);
    vz_os_mutex_lock(&list_lock);
    vz_site_facts *known = list;
    while (known && strcmp(known->id, id) != 0)
        known = known->next;
    if (!known)
        known = add(id);
    vz_os_mutex_unlock(&list_lock);
    if (!known)
        vz_fail_memory(err);
    return known;
}
