/* unsharded_chunks.c - chunks that have keys of their own. */
#include "array/chunks/array_state_internal.h"
#include "array/chunks/array_state.h"

static bool plain_begin(vz_lookup *lookup)
{
    char key[VZ_CHUNK_KEY_MAX];
    for (size_t i = 0; i < lookup->count; i++) {
        vz_chunk_place *place = &lookup->places[i];
        if (!vz_chunk_key_of(lookup->array, lookup->chunks[i], key, &lookup->error))
            return false;
        *place = (vz_chunk_place){.kind = VZ_PLACE_VALUE,
                                  .key = vz_arena_copy(lookup->arena, key, strlen(key) + 1, &lookup->error)};
        if (!place->key)
            return false;
    }
    return true;
}

/* ---- storing ---- */

/* to store a part of a chunk: each that fails is another process that stored its own */
#define PART_ATTEMPTS 100

/* Puts the bytes (or deletes: NULL) in the place of the version that was met. */
static bool replace(vz_array *array, const vz_request *met, const vz_bytes *bytes, vz_chunk_change *change,
                    vz_error *err)
{
    vz_request request = {.op = bytes ? VZ_REQUEST_PUT : VZ_REQUEST_DELETE,
                          .key = met->key,
                          .value = bytes ? *bytes : (vz_bytes){0},
                          .when = met->found ? VZ_WHEN_VERSION : VZ_WHEN_ABSENT,
                          .version = met->version,
                          .tells = bytes && met->found};
    if (!bytes && !met->found)
        return true;
    if (!vz_request_do(array->store, &request, NULL, err))
        return false;
    if (request.tells)
        change->stored = request.version;
    return true;
}

/* The chunk is another one than our part was made for. */
static bool merge_and_replace(vz_array *array, const uint64_t *chunk, const vz_request *met, const vz_bytes *bytes,
                              vz_chunk_change *change, unsigned worker, vz_error *err)
{
    vz_buffer theirs = {0}, merged = {0};
    vz_request request = {.key = met->key,
                          .when = VZ_WHEN_VERSION,
                          .version = met->version,
                          .hold = VZ_HOLD_TO_REPLACE,
                          .most = vz_chunk_stored_max(array)};
    bool ok = !met->found || vz_request_do(array->store, &request, &theirs, err);
    ok = ok && vz_change_merge(array, chunk, change, bytes, met->found ? &request.bytes : NULL, &merged, worker, err) &&
         replace(array, met, &(vz_bytes){merged.data, merged.size}, change, err);
    change->merged = change->merged || ok;
    vz_buffer_clear(&theirs);
    vz_buffer_clear(&merged);
    return ok;
}

/* From the look to the change other processes wait, where the store can make them. */
static bool store_once(vz_array *array, const uint64_t *chunk, const char *key, const vz_bytes *bytes,
                       vz_chunk_change *change, unsigned worker, vz_error *err)
{
    const vz_range nothing = {0};
    vz_request met = {.key = key, .ranges = &nothing, .range_count = 0, .hold = VZ_HOLD_TO_REPLACE};
    if (!vz_request_do(array->store, &met, NULL, err))
        return false;
    if (change->fills && met.found) /* nothing of it is ours */
        return true;
    return vz_change_is_of(change, met.found, &met.version)
               ? replace(array, &met, bytes, change, err)
               : merge_and_replace(array, chunk, &met, bytes, change, worker, err);
}

/* Where a look is a round trip, and a condition holds: what the rest was taken from is still there,
 * most likely. That nothing is there is no place to put nothing in. */
static bool may_skip_look(const vz_array *array, const vz_bytes *bytes, const vz_chunk_change *change)
{
    const bool is_known = change->base == VZ_BASE_MISSING || (change->base == VZ_BASE_VERSION && change->version.lasts);
    return bytes && is_known && !(array->store->capabilities & VZ_STORE_CHEAP);
}

static bool store_unseen(vz_array *array, const char *key, const vz_bytes *bytes, vz_chunk_change *change,
                         vz_error *err)
{
    const vz_request met = {.key = key, .found = change->base == VZ_BASE_VERSION, .version = change->version};
    return replace(array, &met, bytes, change, err);
}

static bool store_part(vz_array *array, const uint64_t *chunk, const char *key, const vz_bytes *bytes,
                       vz_chunk_change *change, unsigned worker, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    bool ok = may_skip_look(array, bytes, change) && store_unseen(array, key, bytes, change, &failed);
    if (!ok && failed.class != VZ_OK && failed.class != VZ_CHANGED) {
        if (err && err->class == VZ_OK)
            *err = failed;
        return false;
    }
    for (unsigned attempt = 0; !ok && attempt < PART_ATTEMPTS; attempt++) {
        failed = VZ_ERROR_NONE;
        ok = store_once(array, chunk, key, bytes, change, worker, &failed);
        vz_store_forget_held(array->store, key);
        if (failed.class != VZ_CHANGED)
            break;
    }
    if (!ok && err && err->class == VZ_OK)
        *err = failed;
    return ok;
}

static bool plain_store(vz_array *array, const uint64_t *chunk, const vz_bytes *bytes, vz_chunk_change *change,
                        unsigned worker, vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX];
    if (!vz_chunk_key_of(array, chunk, key, err))
        return false;
    const bool ok = change  ? store_part(array, chunk, key, bytes, change, worker, err)
                    : bytes ? vz_store_put(array->store, key, *bytes, err)
                            : vz_store_del(array->store, key, err);
    if (!ok)
        vz_error_where(err, NULL, key);
    return ok;
}

static bool plain_store_parts(vz_array *array, const uint64_t *chunk, vz_parts parts, vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX];
    if (!vz_chunk_key_of(array, chunk, key, err))
        return false;
    const bool ok = vz_store_put_parts(array->store, key, parts, err);
    if (!ok)
        vz_error_where(err, NULL, key);
    return ok;
}

static bool plain_size(vz_array *array, const uint64_t *chunk, uint64_t *size, bool *found, vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX];
    vz_stamp stamp = {0};
    if (!vz_chunk_key_of(array, chunk, key, err) || !vz_store_stat(array->store, key, &stamp, err))
        return false;
    *found = stamp.exists;
    *size = stamp.exists ? stamp.size : 0;
    return true;
}

const vz_chunk_source vz_chunks_plain = {
    .begin = plain_begin, .store = plain_store, .store_parts = plain_store_parts, .size = plain_size};
