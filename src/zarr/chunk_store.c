/* chunk_store.c - one chunk from memory to the store: encoded and put, or deleted where it is all fill. Runs in
 * workers.
 */
#include "util/pool.h"
#include "zarr/array_io.h"
#include <stdlib.h>

bool vz_chunk_put(vz_array *array, const char *key, vz_bytes value, vz_error *err)
{
    if (array->store->capabilities & VZ_STORE_PARALLEL)
        return vz_store_put(array->store, key, value, err);
    pthread_mutex_lock(&array->store_lock);
    const bool ok = vz_store_put(array->store, key, value, err);
    pthread_mutex_unlock(&array->store_lock);
    return ok;
}

static bool items_are_fill(const vz_array *array, const vz_item *items)
{
    const vz_item *fill = (const vz_item *)array->meta->fill;
    for (uint64_t i = 0; i < array->meta->chunk_count; i++)
        if (items[i].size != fill->size || (fill->size && memcmp(items[i].data, fill->data, fill->size) != 0))
            return false;
    return true;
}

/* Every element equals the fill value's very bytes (so that -0.0 and other NaNs are kept). */
static bool is_fill(const vz_array *array, const void *decoded)
{
    const size_t element = array->meta->dtype->size, size = array->meta->chunk_size;
    if (array->objects)
        return items_are_fill(array, decoded);
    return memcmp(decoded, array->meta->fill, element) == 0 &&
           memcmp(decoded, (const uint8_t *)decoded + element, size - element) == 0;
}

static bool encode(vz_array *array, const void *decoded, vz_buffer *out, unsigned worker, vz_error *err)
{
    const vz_array_meta *meta = array->meta;
    if (array->objects)
        return vz_chain_encode_items(&array->chain, decoded, meta->chunk_count, out, worker, err);
    return vz_chain_encode(&array->chain, decoded, meta->chunk_size, out, worker, err);
}

static bool store(vz_array *array, const uint64_t *chunk, const void *decoded, bool *erase, unsigned worker,
                  vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX] = "";
    if (!array->shards && !vz_chunk_key_of(array, chunk, key, err))
        return false;
    *erase = array->skip_fill && array->meta->fill_defined && is_fill(array, decoded);
    if (*erase)
        return true;
    vz_bytes value = {decoded, array->meta->chunk_size};
    if (!array->raw) {
        vz_buffer *scratch = vz_pool_scratch(worker, VZ_SCRATCH_STORED);
        scratch->size = 0;
        if (!encode(array, decoded, scratch, worker, err)) {
            vz_error_where(err, NULL, key);
            return false;
        }
        value = (vz_bytes){scratch->data, scratch->size};
    }
    if (array->shards)
        return vz_shard_store(array, chunk, &value, err);
    if (vz_chunk_put(array, key, value, err))
        return true;
    vz_error_where(err, NULL, key);
    return false;
}

bool vz_chunk_store(vz_array *array, const uint64_t *chunk, const void *decoded, bool *erase, unsigned worker,
                    vz_error *err)
{
    if (!array->rounds)
        return store(array, chunk, decoded, erase, worker, err);
    void *rounded = malloc(array->meta->chunk_size);
    if (!rounded)
        return vz_fail_memory(err);
    memcpy(rounded, decoded, array->meta->chunk_size);
    vz_round_chunk(&array->rounding, rounded, array->meta->chunk_count);
    const bool ok = store(array, chunk, rounded, erase, worker, err);
    free(rounded);
    return ok;
}

/* A shard that does not have the chunk anyway is not written for it. */
static bool erase_in_shard(vz_array *array, const uint64_t *chunk, vz_error *err)
{
    uint64_t size;
    bool found;
    return vz_chunk_stored_size(array, chunk, &size, &found, err) &&
           (!found || vz_shard_store(array, chunk, NULL, err));
}

bool vz_chunk_erase(vz_array *array, const uint64_t *chunk, vz_error *err)
{
    if (array->shards)
        return erase_in_shard(array, chunk, err);
    char key[VZ_CHUNK_KEY_MAX];
    if (!vz_chunk_key_of(array, chunk, key, err))
        return false;
    if (vz_store_del(array->store, key, err))
        return true;
    vz_error_where(err, NULL, key);
    return false;
}

bool vz_chunk_put_stored(vz_array *array, const uint64_t *chunk, vz_bytes bytes, vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX];
    if (array->shards)
        return vz_shard_store(array, chunk, &bytes, err);
    return vz_chunk_key_of(array, chunk, key, err) && vz_store_put(array->store, key, bytes, err);
}
