/* store_close.c - what is held of a store, or known of it, goes. */
#include "store/ahead.h"
#include "store/held.h"

void vz_store_renew(vz_store *store)
{
    vz_store_forget_ahead(store, NULL);
    if (store->class->renew)
        store->class->renew(store);
}

void vz_store_close(vz_store *store)
{
    if (!store)
        return;
    vz_held_free(store);
    vz_store_forget_ahead(store, NULL);
    store->class->close(store);
}
