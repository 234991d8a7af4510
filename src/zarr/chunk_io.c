/* chunk_io.c - one chunk between the store and memory: fetch and decode, encode and put. Runs in workers. */
#include "util/pool.h"
#include "zarr/array_io.h"
#include <stdlib.h>

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

bool vz_chunk_get(vz_array *array, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err)
{
    if (is_parallel(array))
        return vz_store_get(array->store, key, range, out, found, err);
    pthread_mutex_lock(&array->store_lock);
    const bool ok = vz_store_get(array->store, key, range, out, found, err);
    pthread_mutex_unlock(&array->store_lock);
    return ok;
}

bool vz_chunk_put(vz_array *array, const char *key, vz_bytes value, vz_error *err)
{
    if (is_parallel(array))
        return vz_store_put(array->store, key, value, err);
    pthread_mutex_lock(&array->store_lock);
    const bool ok = vz_store_put(array->store, key, value, err);
    pthread_mutex_unlock(&array->store_lock);
    return ok;
}

/* ---- where a chunk is ---- */

typedef struct place {
    char key[VZ_CHUNK_KEY_MAX]; /* of the chunk, or of the shard it lies in */
    bool missing;               /* as its shard says */
    vz_shard_part part;         /* with shards */
} place;

static bool locate(vz_array *array, const uint64_t *chunk, place *at, unsigned worker, vz_error *err)
{
    uint64_t shard[VZ_MAX_RANK];
    at->missing = false;
    if (!array->shards)
        return vz_chunk_key_of(array, chunk, at->key, err);
    vz_shard_of(array->meta, chunk, shard);
    if (!vz_chunk_key_of(array, shard, at->key, err) || !vz_shard_locate(array, chunk, &at->part, worker, err))
        return false;
    at->missing = !at->part.found;
    return true;
}

/* The range of the value at the place's key that is [offset, offset+size) of the chunk's stored bytes. */
static bool range_of(const vz_array *array, const place *at, uint64_t offset, uint64_t size, vz_range *range,
                     vz_error *err)
{
    *range = (vz_range){VZ_RANGE_AT, offset, size};
    if (!array->shards)
        return true;
    if (offset > at->part.size || size > at->part.size - offset)
        return vz_fail(err, VZ_CORRUPT, "the chunk has %llu bytes, too few", (unsigned long long)at->part.size);
    range->offset += at->part.offset;
    return true;
}

/* No codec makes much more of a chunk than it was. */
static size_t stored_limit(const vz_array *array)
{
    enum { STORED_SLACK = 1 << 20 };
    return array->objects ? 0 : 2 * array->meta->chunk_size + STORED_SLACK;
}

/* All of a chunk's stored bytes, in the worker's scratch. */
static bool get_stored(vz_array *array, const place *at, vz_bytes *stored, bool *found, unsigned worker, vz_error *err)
{
    vz_range range = VZ_WHOLE;
    *found = !at->missing;
    if (at->missing)
        return true;
    if (array->shards && at->part.at_hand) {
        *stored = at->part.bytes;
        return true;
    }
    if (array->shards && !range_of(array, at, 0, at->part.size, &range, err))
        return false;
    vz_buffer *scratch = vz_pool_scratch(worker, VZ_SCRATCH_STORED);
    scratch->size = 0;
    scratch->limit = stored_limit(array);
    const bool ok = vz_chunk_get(array, at->key, range, scratch, found, err);
    scratch->limit = 0;
    *stored = (vz_bytes){scratch->data, scratch->size};
    return ok;
}

/* ---- loading ---- */

static bool wrong_size(size_t size, size_t expected, vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "the chunk has %zu bytes, must have %zu", size, expected);
}

static bool load_raw(vz_array *array, const place *at, void *into, bool *found, vz_error *err)
{
    const size_t size = array->meta->chunk_size;
    vz_buffer out = vz_buffer_borrow(into, size);
    vz_range range = VZ_WHOLE;
    *found = !at->missing;
    if (at->missing)
        return true;
    if (array->shards && at->part.size != size)
        return wrong_size((size_t)at->part.size, size, err);
    if (array->shards && at->part.at_hand) {
        memcpy(into, at->part.bytes.data, size);
        return true;
    }
    if (array->shards && !range_of(array, at, 0, size, &range, err))
        return false;
    if (!vz_chunk_get(array, at->key, range, &out, found, err))
        return false;
    return !*found || out.size == size || wrong_size(out.size, size, err);
}

static bool load_coded(vz_array *array, const place *at, void *into, vz_arena *arena, bool *found, unsigned worker,
                       vz_error *err)
{
    vz_bytes stored;
    if (!get_stored(array, at, &stored, found, worker, err))
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
    place at;
    if (!locate(array, chunk, &at, worker, err))
        return false;
    const bool ok =
        array->raw ? load_raw(array, &at, into, found, err) : load_coded(array, &at, into, arena, found, worker, err);
    return ok ? true : chunk_failed(err, at.key);
}

static bool load_raw_range(vz_array *array, const place *at, uint64_t low, uint64_t size, void *into, bool *found,
                           vz_error *err)
{
    vz_buffer out = vz_buffer_borrow(into, size);
    vz_range range;
    *found = !at->missing;
    if (at->missing)
        return true;
    if (!range_of(array, at, low, size, &range, err))
        return false;
    if (!array->shards || !at->part.at_hand)
        return vz_chunk_get(array, at->key, range, &out, found, err);
    memcpy(into, at->part.bytes.data + low, size);
    return true;
}

bool vz_chunk_load_range(vz_array *array, const uint64_t *chunk, uint64_t low, uint64_t high, void *into, bool *found,
                         unsigned worker, vz_error *err)
{
    place at;
    if (!locate(array, chunk, &at, worker, err))
        return false;
    if (array->raw)
        return load_raw_range(array, &at, low, high - low, into, found, err) || chunk_failed(err, at.key);
    vz_bytes stored;
    if (!get_stored(array, &at, &stored, found, worker, err))
        return chunk_failed(err, at.key);
    return !*found || vz_chain_decode_range(&array->chain, stored, low, high - low, into, worker, err) ||
           chunk_failed(err, at.key);
}

/* Ranges of a chunk in a shard, one by one where it waits, else as ranges of the shard. */
static bool load_shard_ranges(vz_array *array, const place *at, const vz_range *ranges, vz_buffer *into, size_t count,
                              bool *found, vz_error *err)
{
    vz_range *moved = malloc(count * sizeof *moved);
    bool ok = moved ? true : vz_fail_memory(err);
    *found = !at->missing;
    for (size_t i = 0; ok && i < count; i++) {
        ok = range_of(array, at, ranges[i].offset, ranges[i].size, &moved[i], err);
        if (ok && at->part.at_hand)
            ok = vz_buffer_append(&into[i], at->part.bytes.data + ranges[i].offset, ranges[i].size, err);
    }
    if (ok && !at->part.at_hand)
        ok = vz_store_get_ranges(array->store, at->key, moved, count, into, found, err);
    free(moved);
    return ok;
}

bool vz_chunk_load_ranges(vz_array *array, const uint64_t *chunk, const vz_range *ranges, vz_buffer *into, size_t count,
                          bool *found, unsigned worker, vz_error *err)
{
    place at;
    if (!locate(array, chunk, &at, worker, err))
        return false;
    *found = false;
    if (at.missing)
        return true;
    const bool alone = !is_parallel(array);
    if (alone)
        pthread_mutex_lock(&array->store_lock);
    const bool ok = array->shards ? load_shard_ranges(array, &at, ranges, into, count, found, err)
                                  : vz_store_get_ranges(array->store, at.key, ranges, count, into, found, err);
    if (alone)
        pthread_mutex_unlock(&array->store_lock);
    return ok || chunk_failed(err, at.key);
}

/* ---- storing ---- */

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

/* ---- the stored form ---- */

bool vz_chunk_get_stored(vz_array *array, const uint64_t *chunk, vz_buffer *out, bool *found, vz_error *err)
{
    place at;
    vz_range range = VZ_WHOLE;
    *found = false;
    if (!locate(array, chunk, &at, 0, err))
        return false;
    if (at.missing)
        return true;
    if (array->shards && at.part.at_hand) {
        *found = true;
        return vz_buffer_append(out, at.part.bytes.data, at.part.bytes.size, err);
    }
    return (!array->shards || range_of(array, &at, 0, at.part.size, &range, err)) &&
           vz_chunk_get(array, at.key, range, out, found, err);
}

bool vz_chunk_put_stored(vz_array *array, const uint64_t *chunk, vz_bytes bytes, vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX];
    if (array->shards)
        return vz_shard_store(array, chunk, &bytes, err);
    return vz_chunk_key_of(array, chunk, key, err) && vz_store_put(array->store, key, bytes, err);
}

bool vz_chunk_stored_size(vz_array *array, const uint64_t *chunk, uint64_t *size, bool *found, vz_error *err)
{
    place at;
    vz_stamp stamp = {0};
    *found = false;
    *size = 0;
    if (!locate(array, chunk, &at, 0, err))
        return false;
    if (array->shards) {
        *found = !at.missing;
        *size = at.missing ? 0 : at.part.size;
        return true;
    }
    if (!vz_store_stat(array->store, at.key, &stamp, err))
        return false;
    *found = stamp.exists;
    *size = stamp.exists ? stamp.size : 0;
    return true;
}

/* ---- fill ---- */

void vz_chunk_fill(const vz_array *array, void *decoded)
{
    if (array->zeros && !array->objects) {
        memset(decoded, 0, array->meta->chunk_size);
        return;
    }
    vz_fill_elements(decoded, array->meta->fill, array->meta->dtype->size, array->meta->chunk_count);
}

uint8_t *vz_chunk_scratch(const vz_array *array, unsigned worker, vz_error *err)
{
    vz_buffer *scratch = vz_pool_scratch(worker, VZ_SCRATCH_CHUNK);
    scratch->size = 0;
    return vz_buffer_reserve(scratch, array->meta->chunk_size, err) ? scratch->data : NULL;
}
