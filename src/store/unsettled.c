/* unsettled.c - arrays whose shape in the store is not the one of their chunks: what their writer tells the next one.
 */
#include "store/stage.h"
#include "store/store.h"

bool vz_store_unsettle_shape(vz_store *store, const char *prefix, vz_error *err)
{
    if (!store->stage || vz_stage_unsettle_shape(store->stage, prefix, err))
        return true;
    vz_error_where(err, store->path, prefix);
    return false;
}

void vz_store_settle_shape(vz_store *store, const char *prefix)
{
    if (store->stage)
        vz_stage_settle_shape(store->stage, prefix);
}

void vz_store_each_unsettled(vz_store *store, vz_unsettled_visit visit, void *context)
{
    if (store->stage)
        vz_stage_each_unsettled(store->stage, visit, context);
}

bool vz_store_del_left(vz_store *store, const vz_dead_writer *writer, const char *key, vz_error *err)
{
    if (vz_stage_del_left(store->stage, writer, key, err))
        return true;
    vz_error_where(err, store->path, key);
    return false;
}
