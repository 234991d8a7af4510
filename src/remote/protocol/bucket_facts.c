/* bucket_facts.c - see remote_internal.h. A process asks few buckets, so that a list is enough. */
#include "remote/protocol/remote_internal.h"
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static vz_bucket_facts *list;

/* A thread of the parent's may have held them. */
static void renew_locks(void)
{
    pthread_mutex_init(&list_lock, NULL);
    for (vz_bucket_facts *known = list; known; known = known->next) {
        pthread_mutex_init(&known->probing, NULL);
        pthread_mutex_init(&known->lock, NULL);
    }
}

static void renew_after_forks(void)
{
    pthread_atfork(NULL, NULL, renew_locks);
}

static vz_bucket_facts *add(const char *id)
{
    const size_t size = strlen(id) + 1;
    vz_bucket_facts *known = calloc(1, sizeof *known + size);
    if (!known)
        return NULL;
    memcpy(known->id, id, size);
    pthread_mutex_init(&known->probing, NULL);
    pthread_mutex_init(&known->lock, NULL);
    known->next = list;
    list = known;
    return known;
}

vz_bucket_facts *vz_bucket_facts_of(const char *id, vz_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, renew_after_forks);
    pthread_mutex_lock(&list_lock);
    vz_bucket_facts *known = list;
    while (known && strcmp(known->id, id) != 0)
        known = known->next;
    if (!known)
        known = add(id);
    pthread_mutex_unlock(&list_lock);
    if (!known)
        vz_fail_memory(err);
    return known;
}
