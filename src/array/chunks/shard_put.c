/* shard_put.c - one shard goes to the store, over what is there or where nothing can be. */
#include "array/chunks/array_state_internal.h"
#include "array/chunks/shard_state_internal.h"

bool vz_shard_look_at_version(vz_array *array, const char *key, vz_request *met, vz_error *err)
{
    static const vz_range nothing = VZ_WHOLE;
    *met = (vz_request){.key = key, .ranges = &nothing, .hold = VZ_HOLD_TO_REPLACE};
    return vz_request_do(array->store, met, NULL, err);
}

/* On the condition that what was met is still there. */
static bool change_met(vz_array *array, const vz_request *met, vz_request change, vz_error *err)
{
    change.key = met->key;
    change.when = met->found ? VZ_WHEN_VERSION : VZ_WHEN_ABSENT;
    change.version = met->version;
    return vz_request_do(array->store, &change, NULL, err);
}

static bool put_shard(vz_array *array, const vz_request *met, const vz_buffer *bytes, bool any, vz_error *err)
{
    if (!any)
        return !met->found || change_met(array, met, (vz_request){.op = VZ_REQUEST_DELETE}, err);
    return change_met(array, met, (vz_request){.op = VZ_REQUEST_PUT, .value = {bytes->data, bytes->size}}, err);
}

bool vz_shard_is_complete(const vz_array *array, const vz_pending *pending)
{
    bool whole = pending->inside >= vz_pending_inside(array->meta, pending->shard);
    for (uint64_t i = 0; whole && i < pending->count; i++)
        whole = !pending->chunks[i].change;
    return whole;
}

bool vz_shard_put_over(vz_array *array, vz_pending *pending, const vz_request *met, unsigned worker, vz_error *err)
{
    vz_buffer bytes = {0};
    bool any = false;
    const bool ok = (vz_shard_is_complete(array, pending) || vz_chunks_may_store_part(array, err)) &&
                    vz_shard_assemble(array, pending, met, &bytes, &any, worker, err) &&
                    put_shard(array, met, &bytes, any, err);
    vz_buffer_clear(&bytes);
    return ok;
}

bool vz_shard_is_private(const vz_array *array)
{
    return array->is_new && *array->is_new;
}

bool vz_shard_put_private(vz_array *array, vz_pending *pending, const char *key, unsigned worker, vz_error *err)
{
    const vz_request nothing = {.key = key};
    vz_buffer bytes = {0};
    bool any = false;
    const bool ok = vz_shard_assemble(array, pending, &nothing, &bytes, &any, worker, err) &&
                    (any ? vz_store_put(array->store, key, (vz_bytes){bytes.data, bytes.size}, err)
                         : vz_store_del(array->store, key, err));
    vz_buffer_clear(&bytes);
    return ok;
}

#define PUT_ATTEMPTS 100 /* each that fails is another process that was faster */

static bool put_pieces_over(vz_array *array, const char *key, vz_pieces *pieces, vz_error *err)
{
    vz_request met;
    const bool ok = vz_shard_look_at_version(array, key, &met, err) &&
                    change_met(array, &met, (vz_request){.op = VZ_REQUEST_PUT, .pieces = pieces}, err);
    vz_store_forget_held(array->store, key); /* others may replace it from here on */
    return ok;
}

bool vz_shard_put_pieces(vz_array *array, const char *key, vz_pieces *pieces, vz_error *err)
{
    if (vz_shard_is_private(array))
        return vz_pieces_put(array->store, key, pieces, false, err);
    for (unsigned attempt = 1;; attempt++) {
        vz_error failed = VZ_ERROR_NONE;
        if (put_pieces_over(array, key, pieces, &failed))
            return true;
        if (failed.class == VZ_CHANGED && attempt < PUT_ATTEMPTS)
            continue;
        *err = failed;
        return false;
    }
}
