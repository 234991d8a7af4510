/* request_sync.c - does one request by calls of the store. */
#include "store/store/request_internal.h"
#include "store/store/request.h"

static bool fail_changed(vz_error *err)
{
    return vz_fail(err, VZ_CHANGED, "another program changed it meanwhile");
}

static bool read_held(vz_store *store, vz_request *request, const vz_version_held *held, vz_buffer *scratch,
                      vz_error *err)
{
    const vz_range *ranges = request->ranges ? request->ranges : &VZ_WHOLE;
    const size_t count = request->ranges ? request->range_count : 1;
    if (count == 0)
        return true;
    if (request->into)
        return vz_store_read_value(store, request->key, &held->value, ranges, count, request->into, err);
    scratch->size = 0;
    scratch->limit = (size_t)request->most;
    const bool ok = vz_store_read_value(store, request->key, &held->value, ranges, 1, scratch, err);
    scratch->limit = 0;
    request->bytes = (vz_bytes){scratch->data, scratch->size};
    return ok;
}

/* The version that is held may not be the one that is demanded; what is there now may be. */
static vz_version_held *use_demanded(vz_store *store, const vz_request *request, vz_error *err)
{
    const bool demands = request->when == VZ_WHEN_VERSION;
    vz_version_held *held = vz_version_held_use(store, request->key, request->hold, err);
    if (!held || !demands || vz_version_equal(&held->version, &request->version))
        return held;
    vz_version_held_leave(store, held);
    vz_store_forget_held(store, request->key);
    held = vz_version_held_use(store, request->key, request->hold, err);
    if (!held || vz_version_equal(&held->version, &request->version))
        return held;
    vz_version_held_leave(store, held);
    fail_changed(err);
    return NULL;
}

/* Which takes fewer looks at it. */
static bool get_small(vz_store *store, vz_request *request, vz_buffer *scratch, vz_error *err)
{
    vz_buffer *out = request->into ? request->into : scratch;
    request->version = (vz_version){0};
    request->size = 0;
    if (request->into)
        return vz_store_get(store, request->key, VZ_WHOLE, out, &request->found, err);
    out->size = 0;
    out->limit = (size_t)request->most;
    const bool ok = vz_store_get(store, request->key, VZ_WHOLE, out, &request->found, err);
    out->limit = 0;
    request->bytes = (vz_bytes){out->data, out->size};
    return ok;
}

static bool get(vz_store *store, vz_request *request, vz_buffer *scratch, vz_error *err)
{
    if (request->small && request->when == VZ_WHEN_ANY && !request->hold && vz_request_is_whole(request))
        return get_small(store, request, scratch, err);
    vz_version_held *held = use_demanded(store, request, err);
    if (!held)
        return false;
    request->found = held->found;
    request->version = held->version;
    request->size = held->found ? held->value.stamp.size : 0;
    const bool ok = !held->found || read_held(store, request, held, scratch, err);
    vz_version_held_leave(store, held);
    return ok;
}

static bool put_stamped(vz_store *store, vz_request *request, vz_error *err)
{
    vz_stamp stamp;
    const bool ok = vz_store_put_stamped(store, request->key, request->value, &stamp, err);
    request->version = ok ? vz_version_of(&stamp, true) : (vz_version){0};
    return ok;
}

static bool change(vz_store *store, vz_request *request, vz_error *err)
{
    if (request->op == VZ_REQUEST_DELETE)
        return vz_store_del(store, request->key, err);
    if (request->pieces)
        return vz_pieces_put(store, request->key, request->pieces, false, err);
    return request->tells ? put_stamped(store, request, err) : vz_store_put(store, request->key, request->value, err);
}

static bool put_new(vz_store *store, const vz_request *request, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (request->pieces ? vz_pieces_put(store, request->key, request->pieces, true, &failed)
                        : vz_store_put_new(store, request->key, request->value, &failed))
        return true;
    if (failed.class == VZ_EXISTS)
        return fail_changed(err);
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

/* By the store's own condition: that version (of size 0: none) and no other. */
static bool change_by_store(vz_store *store, vz_request *request, const vz_version *version, vz_error *err)
{
    const vz_bytes *value = request->op == VZ_REQUEST_PUT ? &request->value : NULL;
    vz_version now = {0};
    if (!vz_store_change(store, request->key, value, version, &now, err))
        return false;
    if (request->tells)
        request->version = now;
    return true;
}

/* Under the value's lock, where it has one. */
static bool change_version(vz_store *store, vz_request *request, vz_error *err)
{
    if (store->class->change)
        return change_by_store(store, request, &request->version, err);
    vz_version_held *held = vz_version_held_use(store, request->key, VZ_HOLD_TO_REPLACE, err);
    if (!held)
        return false;
    const bool same = vz_version_equal(&held->version, &request->version);
    const bool ok = same ? change(store, request, err) : fail_changed(err);
    vz_version_held_leave(store, held);
    vz_store_forget_held(store, request->key); /* unlocks it */
    return ok;
}

static bool do_any(vz_store *store, vz_request *request, vz_buffer *scratch, vz_error *err)
{
    if (request->op == VZ_REQUEST_GET)
        return get(store, request, scratch, err);
    if (request->op == VZ_REQUEST_LIST)
        return vz_store_list(store, request->key, &request->entries, &request->entry_count, err);
    if (request->when == VZ_WHEN_VERSION)
        return change_version(store, request, err);
    if (request->when == VZ_WHEN_ABSENT && request->op == VZ_REQUEST_PUT)
        return request->tells && store->class->change ? change_by_store(store, request, &(vz_version){0}, err)
                                                      : put_new(store, request, err);
    return change(store, request, err);
}

bool vz_request_once(vz_store *store, vz_request *request, vz_buffer *scratch, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (vz_request_is_repeated(store, request))
        return true;
    const bool ok = do_any(store, request, scratch, &failed);
    request->failed = failed.class;
    if (ok)
        return true;
    vz_error_where(&failed, store->path, request->key);
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}
