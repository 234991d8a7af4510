/* create_lock_release.c - the end of a claim (create_lock.c). */
#include "remote/bucket/bucket_internal.h"
#include <stdlib.h>

void vz_remote_claim_may_go(vz_remote *remote)
{
    pthread_mutex_lock(&remote->lock);
    remote->claim_may_go = true;
    pthread_mutex_unlock(&remote->lock);
}

char *vz_remote_give_up_claim(vz_remote *remote, bool in_time)
{
    pthread_mutex_lock(&remote->lock);
    char *key = in_time && !remote->claim_may_go ? NULL : remote->claim;
    if (key)
        remote->claim = NULL;
    pthread_mutex_unlock(&remote->lock);
    return key;
}

void vz_remote_end_claim(vz_remote *remote)
{
    char *key = vz_remote_give_up_claim(remote, false);
    if (!key)
        return;
    vz_exchange_delete(remote->site, key);
    free(key);
}
