/* create_lock_release.c - the end of a create lock (create_lock.c). */
#include "remote/bucket/bucket_internal.h"
#include <stdlib.h>

void vz_bucket_create_lock_may_go(vz_bucket *remote)
{
    vz_os_mutex_lock(&remote->lock);
    remote->create_lock_may_go = true;
    vz_os_mutex_unlock(&remote->lock);
}

char *vz_bucket_create_lock_give_up(vz_bucket *remote, bool in_time)
{
    vz_os_mutex_lock(&remote->lock);
    char *key = in_time && !remote->create_lock_may_go ? NULL : remote->create_lock;
    if (key)
        remote->create_lock = NULL;
    vz_os_mutex_unlock(&remote->lock);
    return key;
}

void vz_bucket_create_lock_end(vz_bucket *remote)
{
    char *key = vz_bucket_create_lock_give_up(remote, false);
    if (!key)
        return;
    vz_exchange_delete(remote->site, key);
    free(key);
}
