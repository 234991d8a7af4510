/* plan_memory.c - how much memory a plan over some arrays takes beside the caller's buffers. */
#include "array/chunks/shard_state_internal.h"
#include "array/chunks/array_state.h"
#include "array/chunks/transfer_work.h"
#include "base/os/thread.h"

/* Bytes for one chunk that is under way: its job, its fetch, its place and its key. */
static uint64_t noted(const vz_array *array)
{
    const uint64_t rank = array->meta->rank + 1;
    return sizeof(vz_work_job) + sizeof(vz_fetch) + sizeof(vz_request) + sizeof(vz_chunk_place) +
           rank * (sizeof(uint64_t) + sizeof(vz_span)) + strlen(array->prefix) + VZ_CHUNK_NOTE;
}

/* Chunks that are kept for the next call, or until they are written; one always has room. */
static uint64_t kept(const vz_array *array)
{
    const uint64_t one = vz_cache_cost(&array->cache), budget = array->cache.budget;
    return budget > one ? budget : one;
}

uint64_t vz_transfers_memory(const vz_array_transfer *list, size_t count, bool reading)
{
    uint64_t largest = 0, note = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        const vz_array *array = list[i].array;
        const uint64_t chunk = array->meta->chunk_size, bytes = noted(array);
        largest = chunk > largest ? chunk : largest;
        note = bytes > note ? bytes : note;
        sum += kept(array) + (array->shards ? vz_shards_memory(array, reading) : 0);
    }
    /* what the codecs of a chunk make of it can be somewhat larger than the chunk */
    return sum + vz_pool_width() * VZ_POOL_SCRATCH_SLOTS * (largest + largest / 8) + VZ_CHUNKS_AT_ONCE * note;
}
