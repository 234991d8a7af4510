/* store_close.c - what is held of a store, or known of it, goes; and its path for another one. */
#include "store/store/prefetch.h"
#include "store/store/request_internal.h"
#include <stdlib.h>

bool vz_store_renew(vz_store *store, vz_error *err)
{
    vz_store_forget_prefetched(store, NULL);
    return !store->class->renew || store->class->renew(store, err);
}

void vz_store_close(vz_store *store)
{
    if (!store)
        return;
    vz_version_held_free(store);
    vz_store_forget_prefetched(store, NULL);
    store->class->close(store);
}

vz_store *vz_store_with_path(vz_store *store, const char *path, vz_error *err)
{
    char *copy = strdup(path);
    if (!copy) {
        vz_store_close(store);
        vz_fail_memory(err);
        return NULL;
    }
    free(store->path);
    store->path = copy;
    return store;
}
