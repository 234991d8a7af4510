/* claim_end.c - the end of a claim (claim.c). */
#include "remote/remote.h"
#include <stdlib.h>

char *vz_remote_give_up_claim(vz_remote *remote)
{
    pthread_mutex_lock(&remote->lock);
    char *key = remote->claim;
    remote->claim = NULL;
    pthread_mutex_unlock(&remote->lock);
    return key;
}

void vz_remote_end_claim(vz_remote *remote)
{
    char *key = vz_remote_give_up_claim(remote);
    if (!key)
        return;
    vz_exchange x = {0};
    if (vz_exchange_begin(&x, remote->site, VZ_NET_DELETE, key, NULL, NULL)) {
        x.net.repeatable = true;
        vz_exchange_do(&x, NULL);
    }
    vz_exchange_clear(&x);
    free(key);
}
