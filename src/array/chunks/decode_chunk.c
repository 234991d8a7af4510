/* decode_chunk.c - one chunk from its stored bytes to memory. Runs in workers. */
#include "array/chunks/array_state_internal.h"
#include "base/os/thread.h"
#include "array/chunks/array_state.h"
#include "array/selection/selection.h"
#include "base/util/memory_budget.h"

bool vz_chunk_key_of(const vz_array *array, const uint64_t *chunk, char *key, vz_error *err)
{
    return vz_meta_chunk_key(array->meta, array->prefix, chunk, key, VZ_CHUNK_KEY_MAX, err);
}

/* No codec makes much more of a chunk than it was. */
uint64_t vz_chunk_stored_max(const vz_array *array)
{
    enum { STORED_SLACK = 1 << 20 };
    const uint64_t chunk = vz_chunk_may_be_large(array, NULL) ? array->meta->chunk_size : array->chunk_max;
    return array->objects ? 0 : 2 * chunk + STORED_SLACK;
}

static bool check_size(const vz_array *array, size_t size, vz_error *err)
{
    const size_t expected = array->meta->chunk_size;
    return size == expected || vz_fail(err, VZ_CORRUPT, "the chunk has %zu bytes, must have %zu", size, expected);
}

bool vz_chunk_check_raw(const vz_array *array, const vz_fetch *fetch, vz_error *err)
{
    const size_t size = fetch->into ? fetch->into->size : fetch->bytes.size;
    return size == array->meta->chunk_size || (size > 0 && size == vz_chunk_last_size(array)) ||
           check_size(array, size, err);
}

bool vz_chunk_decode(vz_array *array, const uint64_t *chunk, vz_bytes stored, void *into, vz_arena *arena,
                     unsigned worker, vz_error *err)
{
    const vz_meta *meta = array->meta;
    if (meta->edges)
        return vz_chunk_decode_uneven(array, chunk, stored, into, arena, worker, err);
    if (array->objects)
        return vz_chain_decode_items(&array->chain, stored, into, meta->chunk_count, arena, worker, err);
    if (!array->raw)
        return vz_chain_decode(&array->chain, stored, into, meta->chunk_size, worker, err);
    if (stored.size == meta->chunk_size) {
        memcpy(into, stored.data, stored.size);
        return true;
    }
    /* vz_chunk_complete looked which chunk it is. */
    if (stored.size == 0 || stored.size != vz_chunk_last_size(array))
        return check_size(array, stored.size, err);
    memcpy(into, stored.data, stored.size);
    memset((uint8_t *)into + stored.size, 0, meta->chunk_size - stored.size);
    return true;
}

/* ---- the stored form ---- */

static bool take_nothing(void *context, vz_fetch *fetch, size_t index, unsigned worker, vz_error *err)
{
    (void)context, (void)fetch, (void)index, (void)worker, (void)err;
    return true;
}

bool vz_chunk_get_stored(vz_array *array, const uint64_t *chunk, vz_buffer *out, bool *found, vz_error *err)
{
    vz_fetch fetch = {.chunk = chunk, .needed = true, .into = out};
    const bool ok = vz_fetch_one(array, &fetch, 1, take_nothing, NULL, err);
    *found = ok && fetch.found;
    return ok;
}

/* ---- memory ---- */

/* Elements that a chunk of the largest shape can have inside the array. */
static uint64_t reached(const vz_meta *meta)
{
    uint64_t count = 1;
    for (unsigned d = 0; d < meta->rank; d++)
        count *= meta->shape[d] < meta->chunks[d] ? meta->shape[d] : meta->chunks[d];
    return count;
}

bool vz_chunk_may_be_large(const vz_array *array, vz_error *err)
{
    static const uint64_t first[VZ_MAX_RANK];
    const vz_meta *meta = array->meta;
    if (meta->chunk_size <= array->chunk_max)
        return true;
    const uint64_t valid = meta->edges ? reached(meta) : vz_grid_valid(meta, first),
                   most = valid > array->reached ? valid : array->reached;
    return meta->chunk_count / VZ_CHUNK_RATIO <= most ||
           vz_fail(err, VZ_LIMIT,
                   "its chunks take %zu bytes of memory each, and the array has %llu of their %llu elements (option "
                   "chunk_max is %llu)",
                   meta->chunk_size, (unsigned long long)valid, (unsigned long long)meta->chunk_count,
                   (unsigned long long)array->chunk_max);
}

uint8_t *vz_chunk_scratch(const vz_array *array, unsigned worker, vz_error *err)
{
    if (!vz_chunk_may_be_large(array, err))
        return NULL;
    vz_buffer *scratch = vz_pool_scratch(worker, VZ_SCRATCH_CHUNK);
    scratch->size = 0;
    return vz_buffer_reserve(scratch, array->meta->chunk_size, err) ? scratch->data : NULL;
}
