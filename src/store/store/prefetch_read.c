/* prefetch_read.c - reads values and listings into the prefetch table. */
#include "store/store/request_internal.h"
#include <stdlib.h>

#define PREFETCH_VALUE_MAX ((uint64_t)1 << 20) /* bytes of a value that is kept */

static bool read_all(vz_store *store, vz_request *requests, vz_buffer *bytes, size_t count, bool *read, vz_error *err)
{
    vz_buffer unused = {0};
    vz_batch *batch = vz_batch_open(store, requests, count, err);
    bool ok = batch != NULL;
    for (vz_request *request; ok && (request = vz_batch_next(batch, &unused));)
        ok = request->failed != VZ_OK || vz_prefetch_keep_answer(store->prefetched, request, &bytes[request->tag], err);
    if (batch && !ok)
        vz_batch_stop(batch);
    *read = batch && vz_batch_close(batch, err); /* of which the caller tells, or not */
    vz_buffer_clear(&unused);
    return ok;
}

bool vz_store_prefetch(vz_store *store, const char *const *keys, size_t count, vz_error *err)
{
    return vz_store_prefetch_up_to(store, keys, count, PREFETCH_VALUE_MAX, err);
}

/* Known values are not asked for again. *read=false: some could not be read, and err may have the
 * cause. False: no memory. */
static bool read_keys(vz_store *store, const char *const *keys, size_t count, size_t most, bool *read, vz_error *err)
{
    vz_request *requests = calloc(count + 1, sizeof *requests);
    vz_buffer *bytes = calloc(count + 1, sizeof *bytes);
    bool ok = (requests && bytes && vz_prefetch_table_of(store)) || vz_fail_memory(err), found;
    size_t asked = 0;
    vz_bytes known;
    *read = true;
    for (size_t i = 0; ok && i < count; i++) {
        if (vz_store_has_prefetched(store, keys[i], &found, &known))
            continue;
        bytes[asked].limit = most;
        requests[asked] = (vz_request){.key = keys[i], .into = &bytes[asked], .tag = asked};
        asked++;
    }
    ok = ok && (asked == 0 || read_all(store, requests, bytes, asked, read, err));
    for (size_t i = 0; bytes && i < asked; i++)
        vz_buffer_clear(&bytes[i]);
    free(requests);
    free(bytes);
    return ok;
}

bool vz_store_prefetch_up_to(vz_store *store, const char *const *keys, size_t count, size_t most, vz_error *err)
{
    bool read;
    return read_keys(store, keys, count, most, &read, NULL) || vz_fail_memory(err);
}

bool vz_store_read_first(vz_store *store, const char *const *keys, size_t count, size_t most, vz_error *err)
{
    bool read;
    return read_keys(store, keys, count, most, &read, err) && read;
}

/* A version is reported by a request, which costs a local store a call more. */
static bool get(vz_store *store, vz_request *request, vz_error *err)
{
    return store->capabilities & VZ_STORE_CHEAP
               ? vz_store_get(store, request->key, VZ_WHOLE, request->into, &request->found, err)
               : vz_request_do(store, request, NULL, err);
}

static bool keep_read(vz_store *store, const vz_request *answered, vz_buffer *room, vz_bytes *bytes, bool *found,
                      vz_error *err)
{
    if (!vz_prefetch_table_of(store))
        return vz_fail_memory(err);
    if (!vz_prefetch_keep_answer(store->prefetched, answered, room, err))
        return false;
    *found = answered->found;
    if (!vz_store_has_prefetched(store, answered->key, found, bytes))
        *bytes = (vz_bytes){room->data, room->size};
    return true;
}

bool vz_store_keep_read(vz_store *store, const char *key, vz_buffer *room, vz_bytes *bytes, bool found, vz_error *err)
{
    const vz_request answered = {.key = key, .found = found};
    return keep_read(store, &answered, room, bytes, &found, err);
}

bool vz_store_peek(vz_store *store, const char *key, vz_buffer *room, vz_bytes *bytes, bool *found, vz_error *err)
{
    vz_request request = {.key = key, .into = room};
    return vz_store_has_prefetched(store, key, found, bytes) ||
           (get(store, &request, err) && keep_read(store, &request, room, bytes, found, err));
}
