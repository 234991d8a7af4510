/* chunk_io.c - one chunk between the store and memory: fetch and decode, encode and put. Runs in workers. */
#include "util/pool.h"
#include "zarr/array_io.h"

bool vz_chunk_key_of(const vz_array *array, const uint64_t *chunk, char *key, vz_error *err)
{
    return vz_chunk_key(array->meta, array->prefix, chunk, key, VZ_CHUNK_KEY_MAX, err);
}

/* A chunk that is larger than anything its array could have stored is as wrong as a smaller one. */
static bool chunk_failed(vz_error *err, const char *key)
{
    if (err && err->class == VZ_LIMIT)
        err->class = VZ_CORRUPT;
    vz_error_where(err, NULL, key);
    return false;
}

static bool is_parallel(const vz_array *array)
{
    return array->store->capabilities & VZ_STORE_PARALLEL;
}

static bool get(vz_array *array, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err)
{
    if (is_parallel(array))
        return vz_store_get(array->store, key, range, out, found, err);
    pthread_mutex_lock(&array->store_lock);
    const bool ok = vz_store_get(array->store, key, range, out, found, err);
    pthread_mutex_unlock(&array->store_lock);
    return ok;
}

static bool put(vz_array *array, const char *key, vz_bytes value, vz_error *err)
{
    if (is_parallel(array))
        return vz_store_put(array->store, key, value, err);
    pthread_mutex_lock(&array->store_lock);
    const bool ok = vz_store_put(array->store, key, value, err);
    pthread_mutex_unlock(&array->store_lock);
    return ok;
}

/* The stored bytes, in the worker's scratch. No codec makes much more of a chunk than it was. */
static bool get_stored(vz_array *array, const char *key, vz_bytes *stored, bool *found, unsigned worker, vz_error *err)
{
    enum { STORED_SLACK = 1 << 20 };
    vz_buffer *scratch = vz_pool_scratch(worker, VZ_SCRATCH_STORED);
    scratch->size = 0;
    scratch->limit = array->objects ? 0 : 2 * array->meta->chunk_size + STORED_SLACK;
    const bool ok = get(array, key, VZ_WHOLE, scratch, found, err);
    scratch->limit = 0;
    *stored = (vz_bytes){scratch->data, scratch->size};
    return ok;
}

static bool load_raw(vz_array *array, const char *key, void *into, bool *found, vz_error *err)
{
    const size_t size = array->meta->chunk_size;
    vz_buffer out = vz_buffer_borrow(into, size);
    if (!get(array, key, VZ_WHOLE, &out, found, err))
        return false;
    if (*found && out.size != size)
        return vz_fail(err, VZ_CORRUPT, "the chunk has %zu bytes, must have %zu", out.size, size);
    return true;
}

static bool load_coded(vz_array *array, const char *key, void *into, vz_arena *arena, bool *found, unsigned worker,
                       vz_error *err)
{
    vz_bytes stored;
    if (!get_stored(array, key, &stored, found, worker, err))
        return false;
    if (!*found)
        return true;
    if (array->objects)
        return vz_chain_decode_items(&array->chain, stored, into, array->meta->chunk_count, arena, worker, err);
    return vz_chain_decode(&array->chain, stored, into, array->meta->chunk_size, worker, err);
}

bool vz_chunk_load(vz_array *array, const uint64_t *chunk, void *into, vz_arena *arena, bool *found, unsigned worker,
                   vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX];
    if (!vz_chunk_key_of(array, chunk, key, err))
        return false;
    const bool ok =
        array->raw ? load_raw(array, key, into, found, err) : load_coded(array, key, into, arena, found, worker, err);
    return ok ? true : chunk_failed(err, key);
}

bool vz_chunk_load_range(vz_array *array, const uint64_t *chunk, uint64_t low, uint64_t high, void *into, bool *found,
                         unsigned worker, vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX];
    if (!vz_chunk_key_of(array, chunk, key, err))
        return false;
    if (array->raw) {
        vz_buffer out = vz_buffer_borrow(into, high - low);
        const vz_range range = {VZ_RANGE_AT, low, high - low};
        return get(array, key, range, &out, found, err) || chunk_failed(err, key);
    }
    vz_bytes stored;
    if (!get_stored(array, key, &stored, found, worker, err))
        return chunk_failed(err, key);
    return !*found || vz_chain_decode_range(&array->chain, stored, low, high - low, into, worker, err) ||
           chunk_failed(err, key);
}

bool vz_chunk_load_ranges(vz_array *array, const uint64_t *chunk, const vz_range *ranges, vz_buffer *into, size_t count,
                          bool *found, vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX];
    if (!vz_chunk_key_of(array, chunk, key, err))
        return false;
    const bool alone = !is_parallel(array);
    if (alone)
        pthread_mutex_lock(&array->store_lock);
    const bool ok = vz_store_get_ranges(array->store, key, ranges, count, into, found, err);
    if (alone)
        pthread_mutex_unlock(&array->store_lock);
    return ok || chunk_failed(err, key);
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

bool vz_chunk_store(vz_array *array, const uint64_t *chunk, const void *decoded, bool *erase, unsigned worker,
                    vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX];
    if (!vz_chunk_key_of(array, chunk, key, err))
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
    if (put(array, key, value, err))
        return true;
    vz_error_where(err, NULL, key);
    return false;
}

bool vz_chunk_erase(vz_array *array, const uint64_t *chunk, vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX];
    if (!vz_chunk_key_of(array, chunk, key, err))
        return false;
    if (vz_store_del(array->store, key, err))
        return true;
    vz_error_where(err, NULL, key);
    return false;
}

void vz_chunk_fill(const vz_array *array, void *decoded)
{
    vz_fill_elements(decoded, array->meta->fill, array->meta->dtype->size, array->meta->chunk_count);
}

uint8_t *vz_chunk_scratch(const vz_array *array, unsigned worker, vz_error *err)
{
    vz_buffer *scratch = vz_pool_scratch(worker, VZ_SCRATCH_CHUNK);
    scratch->size = 0;
    return vz_buffer_reserve(scratch, array->meta->chunk_size, err) ? scratch->data : NULL;
}
