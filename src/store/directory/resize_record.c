/* resize_record.c - arrays whose shape in the store is, for a while, not the one of their
 * chunks: what their writer tells the next one. */
#include "store/directory/staging_internal.h"
#include "store/store/store.h"

bool vz_store_begin_shape_change(vz_store *store, const char *prefix, vz_error *err)
{
    if (!store->staging || store->repeats || vz_staging_begin_shape_change(store->staging, prefix, err))
        return true;
    vz_error_where(err, store->path, prefix);
    return false;
}

void vz_store_end_shape_change(vz_store *store, const char *prefix)
{
    if (store->staging && !store->repeats)
        vz_staging_end_shape_change(store->staging, prefix);
}

void vz_store_each_shape_change(vz_store *store, vz_store_shape_change_visit visit, void *context)
{
    if (store->staging)
        vz_staging_each_shape_change(store->staging, visit, context);
}

bool vz_store_del_left(vz_store *store, const vz_lease_dead_writer *writer, const char *key, vz_error *err)
{
    if (vz_staging_del_left(store->staging, writer, key, err))
        return true;
    vz_error_where(err, store->path, key);
    return false;
}
