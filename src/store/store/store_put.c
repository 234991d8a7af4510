/* store_put.c - puts values into a store of any kind: at the key's place, or in the staging
 * area. */
#include "store/store/call_internal.h"

static bool may_put(vz_store *store, const char *key, uint64_t size, vz_error *err)
{
    if (!vz_store_call_check_writable(store, err) || !vz_store_call_check_key(store, key, err))
        return vz_store_call_done(store, key, false, err);
    vz_store_call_count(store, VZ_COUNT_PUT, 1);
    vz_store_call_count(store, VZ_COUNT_WRITTEN, size);
    vz_store_call_note_write(store);
    return true;
}

/* *done=false (and true returned): it does not wait. */
static bool put_later(vz_store *store, const char *key, vz_parts value, bool *done, vz_error *err)
{
    *done = false;
    return !store->class->put_later ||
           vz_store_call_done(store, key, store->class->put_later(store, key, value, done, err), err);
}

/* A call at the key's place ends. */
static bool put_there(vz_store *store, const char *key, const vz_store_key_location *at, bool ok, vz_error *err)
{
    if (ok && at->store != store)
        store->staging_operations->wrote(store->staging, key);
    return vz_store_call_done(store, key, ok, err);
}

static bool put(vz_store *store, const char *key, vz_bytes value,
                bool (*put_value)(vz_store *store, const char *key, vz_bytes value, vz_error *err), vz_error *err)
{
    vz_store_key_location at;
    const bool ok = vz_store_call_place(store, key, &at, err) && put_value(at.store, at.key, value, err);
    return put_there(store, key, &at, ok, err);
}

bool vz_store_put(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    bool done;
    if (vz_store_call_is_muted(store))
        return true;
    if (!may_put(store, key, value.size, err) || !put_later(store, key, vz_parts_of(&value), &done, err))
        return false;
    return done || put(store, key, value, store->class->put, err);
}

bool vz_store_put_parts(vz_store *store, const char *key, vz_parts value, vz_error *err)
{
    vz_store_key_location at;
    bool done;
    uint64_t size = 0;
    if (vz_store_call_is_muted(store))
        return true;
    for (size_t i = 0; i < value.count; i++)
        size += value.list[i].size;
    if (!may_put(store, key, size, err) || !put_later(store, key, value, &done, err))
        return false;
    if (done)
        return true;
    const bool ok =
        vz_store_call_place(store, key, &at, err) && at.store->class->put_parts(at.store, at.key, value, err);
    return put_there(store, key, &at, ok, err);
}

bool vz_store_put_stamped(vz_store *store, const char *key, vz_bytes value, vz_stamp *stamp, vz_error *err)
{
    vz_store_key_location at;
    *stamp = (vz_stamp){0};
    if (vz_store_call_is_muted(store))
        return true;
    if (!store->class->put_stamped)
        return vz_store_put(store, key, value, err);
    if (!may_put(store, key, value.size, err))
        return false;
    const bool ok =
        vz_store_call_place(store, key, &at, err) && at.store->class->put_stamped(at.store, at.key, value, stamp, err);
    return put_there(store, key, &at, ok, err);
}

bool vz_store_put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    return vz_store_call_is_muted(store) ||
           (may_put(store, key, value.size, err) && put(store, key, value, store->class->put_new, err));
}
