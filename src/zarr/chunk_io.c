/* chunk_io.c - one chunk from the store to memory: found, fetched, decoded. Runs in workers. */
#include "util/pool.h"
#include "zarr/array_io.h"
#include <stdio.h>
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
    at->part.held = NULL;
    at->key[0] = '\0';
    if (!array->shards)
        return vz_chunk_key_of(array, chunk, at->key, err);
    vz_shard_of(array->meta, chunk, shard);
    if (!vz_chunk_key_of(array, shard, at->key, err) || !vz_shard_locate(array, chunk, &at->part, worker, err))
        return false;
    at->missing = !at->part.found;
    return true;
}

/* Reads what is at a place; `how` tells what, and takes it. Starts anew when it is called again. */
typedef bool (*place_reader)(vz_array *array, const place *at, void *how, unsigned worker, vz_error *err);

/* A shard may be changed while it is read, if its store cannot hold a version: then it is read once more. */
static bool read_in_shard(vz_array *array, const uint64_t *chunk, place_reader reader, void *how, unsigned worker,
                          vz_error *err)
{
    for (int attempt = 1;; attempt++) {
        place at;
        vz_error failed = VZ_ERROR_NONE;
        const bool ok = locate(array, chunk, &at, worker, &failed) && reader(array, &at, how, worker, &failed);
        const bool changed = vz_shard_leave(array, &at.part, !ok);
        if (ok)
            return true;
        if (changed && attempt < VZ_SHARD_ATTEMPTS)
            continue;
        if (err && err->class == VZ_OK)
            *err = failed;
        if (changed && err)
            snprintf(err->text, sizeof err->text, "%.400s (read %d times: its file has just been changed)", failed.text,
                     VZ_SHARD_ATTEMPTS);
        return at.key[0] && chunk_failed(err, at.key);
    }
}

static bool read_at(vz_array *array, const uint64_t *chunk, place_reader reader, void *how, unsigned worker,
                    vz_error *err)
{
    place at;
    if (array->shards)
        return read_in_shard(array, chunk, reader, how, worker, err);
    return locate(array, chunk, &at, worker, err) &&
           (reader(array, &at, how, worker, err) || chunk_failed(err, at.key));
}

/* A range of the chunk's value, or of the shard. */
static bool get_range(vz_array *array, const place *at, vz_range range, vz_buffer *out, bool *found, vz_error *err)
{
    if (!array->shards)
        return vz_chunk_get(array, at->key, range, out, found, err);
    *found = true;
    return vz_shard_read(array, &at->part, &range, 1, out, err);
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
    const bool ok = get_range(array, at, range, scratch, found, err);
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
    if (!get_range(array, at, range, &out, found, err))
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

typedef struct load {
    void *into;
    vz_arena *arena;
    bool *found;
} load;

static bool load_place(vz_array *array, const place *at, void *how, unsigned worker, vz_error *err)
{
    const load *l = how;
    return array->raw ? load_raw(array, at, l->into, l->found, err)
                      : load_coded(array, at, l->into, l->arena, l->found, worker, err);
}

bool vz_chunk_load(vz_array *array, const uint64_t *chunk, void *into, vz_arena *arena, bool *found, unsigned worker,
                   vz_error *err)
{
    load l = {into, arena, found};
    return read_at(array, chunk, load_place, &l, worker, err);
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
        return get_range(array, at, range, &out, found, err);
    memcpy(into, at->part.bytes.data + low, size);
    return true;
}

typedef struct load_range {
    uint64_t low, high;
    void *into;
    bool *found;
} load_range;

static bool load_range_place(vz_array *array, const place *at, void *how, unsigned worker, vz_error *err)
{
    const load_range *l = how;
    vz_bytes stored;
    if (array->raw)
        return load_raw_range(array, at, l->low, l->high - l->low, l->into, l->found, err);
    if (!get_stored(array, at, &stored, l->found, worker, err))
        return false;
    return !*l->found || vz_chain_decode_range(&array->chain, stored, l->low, l->high - l->low, l->into, worker, err);
}

bool vz_chunk_load_range(vz_array *array, const uint64_t *chunk, uint64_t low, uint64_t high, void *into, bool *found,
                         unsigned worker, vz_error *err)
{
    load_range l = {low, high, into, found};
    return read_at(array, chunk, load_range_place, &l, worker, err);
}

typedef struct load_ranges {
    const vz_range *ranges;
    vz_buffer *into;
    size_t count;
    bool *found;
} load_ranges;

/* Ranges of a chunk in a shard, one by one where it waits, else as ranges of the shard. */
static bool load_shard_ranges(vz_array *array, const place *at, const load_ranges *l, vz_error *err)
{
    vz_range *moved = malloc(l->count * sizeof *moved);
    bool ok = moved ? true : vz_fail_memory(err);
    for (size_t i = 0; ok && i < l->count; i++) {
        const vz_range *range = &l->ranges[i];
        l->into[i].size = 0;
        ok = range_of(array, at, range->offset, range->size, &moved[i], err);
        if (ok && at->part.at_hand)
            ok = vz_buffer_append(&l->into[i], at->part.bytes.data + range->offset, range->size, err);
    }
    if (ok && !at->part.at_hand)
        ok = vz_shard_read(array, &at->part, moved, l->count, l->into, err);
    free(moved);
    return ok;
}

static bool load_ranges_place(vz_array *array, const place *at, void *how, unsigned worker, vz_error *err)
{
    const load_ranges *l = how;
    (void)worker;
    *l->found = !at->missing;
    if (at->missing)
        return true;
    if (array->shards)
        return load_shard_ranges(array, at, l, err);
    if (is_parallel(array))
        return vz_store_get_ranges(array->store, at->key, l->ranges, l->count, l->into, l->found, err);
    pthread_mutex_lock(&array->store_lock);
    const bool ok = vz_store_get_ranges(array->store, at->key, l->ranges, l->count, l->into, l->found, err);
    pthread_mutex_unlock(&array->store_lock);
    return ok;
}

bool vz_chunk_load_ranges(vz_array *array, const uint64_t *chunk, const vz_range *ranges, vz_buffer *into, size_t count,
                          bool *found, unsigned worker, vz_error *err)
{
    load_ranges l = {ranges, into, count, found};
    return read_at(array, chunk, load_ranges_place, &l, worker, err);
}

/* ---- the stored form ---- */

typedef struct load_stored {
    vz_buffer *out;
    size_t start; /* of what is appended to it */
    bool *found;
} load_stored;

static bool load_stored_place(vz_array *array, const place *at, void *how, unsigned worker, vz_error *err)
{
    const load_stored *l = how;
    vz_range range = VZ_WHOLE;
    (void)worker;
    l->out->size = l->start;
    *l->found = !at->missing;
    if (at->missing)
        return true;
    if (array->shards && at->part.at_hand)
        return vz_buffer_append(l->out, at->part.bytes.data, at->part.bytes.size, err);
    return (!array->shards || range_of(array, at, 0, at->part.size, &range, err)) &&
           get_range(array, at, range, l->out, l->found, err);
}

bool vz_chunk_get_stored(vz_array *array, const uint64_t *chunk, vz_buffer *out, bool *found, vz_error *err)
{
    load_stored l = {out, out->size, found};
    *found = false;
    return read_at(array, chunk, load_stored_place, &l, 0, err);
}

typedef struct stored_size {
    uint64_t size;
    bool found;
} stored_size;

static bool size_of_place(vz_array *array, const place *at, void *how, unsigned worker, vz_error *err)
{
    stored_size *stored = how;
    vz_stamp stamp = {0};
    (void)worker;
    if (array->shards) {
        *stored = (stored_size){.found = !at->missing, .size = at->missing ? 0 : at->part.size};
        return true;
    }
    if (!vz_store_stat(array->store, at->key, &stamp, err))
        return false;
    *stored = (stored_size){.found = stamp.exists, .size = stamp.exists ? stamp.size : 0};
    return true;
}

bool vz_chunk_stored_size(vz_array *array, const uint64_t *chunk, uint64_t *size, bool *found, vz_error *err)
{
    stored_size stored = {0};
    const bool ok = read_at(array, chunk, size_of_place, &stored, 0, err);
    *found = stored.found;
    *size = stored.size;
    return ok;
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
