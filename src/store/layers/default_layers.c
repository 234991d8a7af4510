/* default_layers.c - the layers that a store is used through (layer.h). */
#include "store/store/prefetch.h"
#include "store/layers/layer_internal.h"

vz_store *vz_layer_for_use(vz_store *store, bool writable, vz_error *err)
{
    if (store->capabilities & VZ_STORE_CHEAP)
        return store;
    vz_store *below = store;
    store = vz_layer_retrying(store, VZ_RETRY_ATTEMPTS, VZ_RETRY_WAIT_MS, err);
    if (store && writable)
        store = vz_layer_write_behind(store, err);
    if (store)
        vz_store_move_prefetched(below, store);
    return store;
}
