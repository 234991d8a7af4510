/* fill_chunks.c - many chunks that are all fill, put where none is. */
#include "array/chunks/array_state_internal.h"
#include "array/chunks/array_state.h"
#include <stdlib.h>

bool vz_chunks_put_fill_together(const vz_array *array)
{
    return !(array->store->capabilities & VZ_STORE_CHEAP) && !array->shards && !array->rounds && !array->meta->edges;
}

static bool make_requests(const vz_array *array, const uint64_t *chunks, size_t count, const vz_buffer *fill,
                          vz_request *requests, vz_arena *keys, vz_error *err)
{
    const bool is_new = array->is_new && *array->is_new;
    char key[VZ_CHUNK_KEY_MAX];
    for (size_t i = 0; i < count; i++) {
        if (!vz_chunk_key_of(array, &chunks[i * array->meta->rank], key, err))
            return false;
        requests[i] = (vz_request){.op = VZ_REQUEST_PUT,
                                   .key = vz_arena_copy(keys, key, strlen(key) + 1, err),
                                   .value = {fill->data, fill->size},
                                   .when = is_new ? VZ_WHEN_ANY : VZ_WHEN_ABSENT};
        if (!requests[i].key)
            return false;
    }
    return true;
}

/* Those that fail are put one by one: where another process put a chunk meanwhile, it stays. */
static bool put(vz_array *array, const uint64_t *chunks, vz_request *requests, size_t count, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (vz_requests_do(array->store, requests, count, &failed))
        return true;
    for (size_t i = 0; i < count; i++)
        if (requests[i].failed != VZ_OK && !vz_chunk_store_fill(array, &chunks[i * array->meta->rank], 0, err))
            return false;
    return true;
}

bool vz_chunks_put_fill(vz_array *array, const uint64_t *chunks, size_t count, vz_buffer *fill, vz_error *err)
{
    vz_request *requests = calloc(count + 1, sizeof *requests);
    vz_arena keys = {0};
    bool ok = requests || vz_fail_memory(err);
    if (ok && count > 0 && fill->size == 0)
        ok = vz_chunk_encode_fill(array, chunks, fill, err);
    ok = ok && make_requests(array, chunks, count, fill, requests, &keys, err) &&
         put(array, chunks, requests, count, err);
    free(requests);
    vz_arena_clear(&keys);
    return ok;
}
