/* encode_chunk.c - one chunk from memory to the store: encoded and put, or deleted where it is all
 * fill. Runs in workers. */
#include "array/chunks/shard_state_internal.h"
#include "base/os/thread.h"
#include "array/chunks/array_state_internal.h"
#include <stdlib.h>

static bool items_are_fill(const vz_array *array, const vz_item *items)
{
    const vz_item *fill = (const vz_item *)array->meta->fill;
    for (uint64_t i = 0; i < array->meta->chunk_count; i++)
        if (items[i].size != fill->size || (fill->size && memcmp(items[i].data, fill->data, fill->size) != 0))
            return false;
    return true;
}

/* Every element equals the fill value's very bytes (so that -0.0 and other NaNs are kept). */
static bool bytes_are_fill(const vz_array *array, const uint8_t *bytes, size_t size)
{
    const size_t element = array->meta->dtype->size;
    return memcmp(bytes, array->meta->fill, element) == 0 && memcmp(bytes, bytes + element, size - element) == 0;
}

static bool is_fill(const vz_array *array, const void *decoded)
{
    return array->objects ? items_are_fill(array, decoded) : bytes_are_fill(array, decoded, array->meta->chunk_size);
}

static bool fill_is_left_out(const vz_array *array)
{
    return array->skip_fill && array->meta->fill_defined;
}

/* head_alone: as of vz_chain_encode_or_head, or NULL. */
static bool encode(vz_array *array, const uint64_t *chunk, const void *decoded, vz_buffer *out, bool *head_alone,
                   unsigned worker, vz_error *err)
{
    const vz_meta *meta = array->meta;
    if (meta->edges)
        return vz_chunk_encode_uneven(array, chunk, decoded, out, worker, err);
    if (array->objects)
        return vz_chain_encode_items(&array->chain, decoded, meta->chunk_count, out, worker, err);
    return vz_chain_encode_or_head(&array->chain, decoded, meta->chunk_size, out, head_alone, worker, err);
}

static bool fail_at(const vz_array *array, const uint64_t *chunk, vz_error *err)
{
    char key[VZ_CHUNK_KEY_MAX];
    if (vz_chunk_key_of(array, chunk, key, NULL))
        vz_error_where(err, NULL, key);
    return false;
}

static bool takes_parts(const vz_array *array)
{
    return array->source->store_parts && array->store->class->put_parts;
}

/* Stores a chunk in its codec's plain form: the head, then the chunk's bytes from where they
 * lie. */
static bool store_encoded(vz_array *array, const uint64_t *chunk, vz_bytes decoded, vz_chunk_change *change,
                          unsigned worker, vz_error *err)
{
    vz_buffer *scratch = vz_pool_scratch(worker, VZ_SCRATCH_STORED);
    bool head_alone = false;
    scratch->size = 0;
    if (!encode(array, chunk, decoded.data, scratch, !change && takes_parts(array) ? &head_alone : NULL, worker, err))
        return fail_at(array, chunk, err);
    const vz_bytes value[] = {{scratch->data, scratch->size}, decoded};
    return head_alone ? array->source->store_parts(array, chunk, (vz_parts){value, 2}, err)
                      : array->source->store(array, chunk, value, change, worker, err);
}

/* Where only a part is ours, the rest may be another's by now, and decides whether all of it is
 * fill. */
static bool store(vz_array *array, const uint64_t *chunk, const void *decoded, vz_chunk_change *change, bool *erase,
                  unsigned worker, vz_error *err)
{
    const bool goes = !(change && change->fills) && fill_is_left_out(array) && is_fill(array, decoded);
    if (change && (change->kind != VZ_CHANGE_PART || (array->is_new && *array->is_new)))
        change = NULL;
    *erase = goes && !change && !vz_shards_awaits(array, chunk);
    if (change && !change->fills && !vz_chunks_may_store_part(array, err))
        return fail_at(array, chunk, err);
    if (goes)
        return *erase || array->source->store(array, chunk, NULL, change, worker, err);
    const vz_bytes plain = {decoded, array->meta->chunk_size};
    return array->raw ? array->source->store(array, chunk, &plain, change, worker, err)
                      : store_encoded(array, chunk, plain, change, worker, err);
}

bool vz_chunk_store(vz_array *array, const uint64_t *chunk, const void *decoded, vz_chunk_change *change, bool *erase,
                    unsigned worker, vz_error *err)
{
    if (!array->rounds)
        return store(array, chunk, decoded, change, erase, worker, err);
    void *rounded = malloc(array->meta->chunk_size);
    if (!rounded)
        return vz_fail_memory(err);
    memcpy(rounded, decoded, array->meta->chunk_size);
    vz_round_chunk(&array->rounding, rounded, array->meta->chunk_count);
    const bool ok = store(array, chunk, rounded, change, erase, worker, err);
    free(rounded);
    return ok;
}

/* Nothing of the chunk is ours: it is stored where none is. */
bool vz_chunk_store_fill(vz_array *array, const uint64_t *chunk, unsigned worker, vz_error *err)
{
    uint8_t *decoded = vz_chunk_scratch(array, worker, err);
    vz_chunk_change change = {0};
    bool erase, ok = decoded != NULL;
    if (ok && !(array->is_new && *array->is_new)) {
        vz_change_begin(&change, false, &(vz_version){0});
        ok = vz_change_run(&change, 0, 0, array->meta->chunk_count, err);
    }
    if (ok) {
        change.fills = true;
        vz_chunk_fill(array, decoded);
        ok = vz_chunk_store(array, chunk, decoded, &change, &erase, worker, err);
    }
    vz_change_clear(&change);
    return ok;
}

bool vz_chunk_encode_fill(vz_array *array, const uint64_t *chunk, vz_buffer *out, vz_error *err)
{
    uint8_t *decoded = vz_chunk_scratch(array, 0, err);
    if (!decoded)
        return false;
    vz_chunk_fill(array, decoded);
    out->size = 0;
    if (array->raw)
        return vz_buffer_append(out, decoded, array->meta->chunk_size, err);
    return encode(array, chunk, decoded, out, NULL, 0, err) || fail_at(array, chunk, err);
}

bool vz_chunk_takes_parts(const vz_array *array)
{
    return array->raw && !array->rounds && takes_parts(array);
}

bool vz_chunk_store_parts(vz_array *array, const uint64_t *chunk, vz_parts parts, bool *erase, vz_error *err)
{
    *erase = fill_is_left_out(array);
    for (size_t i = 0; *erase && i < parts.count; i++)
        *erase = bytes_are_fill(array, parts.list[i].data, parts.list[i].size);
    return *erase || array->source->store_parts(array, chunk, parts, err);
}

/* ---- erasing ---- */

/* Of a chunk in a shard it is noted that it goes; what has a key is deleted, and what is missing
 * anyway is left. */
static bool erase_located(vz_array *array, const uint64_t *const *chunks, const vz_chunk_place *places, size_t count,
                          vz_request *requests, vz_error *err)
{
    size_t request_count = 0;
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        if (places[i].kind == VZ_PLACE_VALUE)
            requests[request_count++] = (vz_request){.op = VZ_REQUEST_DELETE, .key = places[i].key};
        else if (places[i].kind != VZ_PLACE_MISSING)
            ok = array->source->store(array, chunks[i], NULL, NULL, 0, ok ? err : NULL) && ok;
    }
    return (request_count == 0 || vz_requests_do(array->store, requests, request_count, ok ? err : NULL)) && ok;
}

bool vz_chunks_erase(vz_array *array, const uint64_t *const *chunks, size_t count, vz_error *err)
{
    vz_chunk_place *places = malloc((count + 1) * sizeof *places);
    vz_request *requests = malloc((count + 1) * sizeof *requests);
    bool ok = (places && requests) || vz_fail_memory(err);
    for (size_t first = 0, some; ok && first < count; first += some) {
        vz_arena arena = {0};
        some = count - first;
        ok = vz_lookup_now(array, chunks + first, &some, places, &arena, err) &&
             erase_located(array, chunks + first, places, some, requests, err);
        vz_arena_clear(&arena);
    }
    free(places);
    free(requests);
    return ok;
}
