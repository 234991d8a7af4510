/* shard_put.c - one shard goes to the store, over what is there or where nothing can be. */
#include "array/shard_io.h"

static bool put_shard(vz_array *array, const vz_request *met, const vz_buffer *bytes, bool any, vz_error *err)
{
    vz_request request = {.op = any ? VZ_REQUEST_PUT : VZ_REQUEST_DELETE,
                          .key = met->key,
                          .value = {bytes->data, bytes->size},
                          .when = met->found ? VZ_WHEN_VERSION : VZ_WHEN_ABSENT,
                          .version = met->version};
    return (!any && !met->found) || vz_request_do(array->store, &request, NULL, err);
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
    const bool ok = (vz_shard_is_complete(array, pending) || vz_array_may_store_part(array, err)) &&
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
