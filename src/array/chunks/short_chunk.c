/* short_chunk.c - the last chunk along the first axis, where that may end with the array
 * (VZ_STORE_CUTS). */
#include "array/chunks/array_state.h"
#include "array/chunks/array_state_internal.h"

size_t vz_chunk_last_size(const vz_array *array)
{
    const vz_meta *meta = array->meta;
    if (!(array->store->capabilities & VZ_STORE_CUTS) || !array->raw || array->shards || meta->rank == 0)
        return 0;
    return meta->chunk_size / meta->chunks[0] * (size_t)(meta->shape[0] % meta->chunks[0]);
}

bool vz_chunk_complete(const vz_array *array, vz_fetch *fetch, vz_error *err)
{
    const size_t last = vz_chunk_last_size(array), all = array->meta->chunk_size;
    if (!last || !fetch->found || fetch->ranges)
        return true;
    const size_t size = fetch->into ? fetch->into->size : fetch->bytes.size;
    if (size != last)
        return true;
    if (fetch->chunk[0] != array->meta->shape[0] / array->meta->chunks[0])
        return vz_fail(err, VZ_CORRUPT, "the chunk has %zu bytes, must have %zu", size, all);
    if (fetch->into && fetch->into->capacity >= all) {
        memset(fetch->into->data + size, 0, all - size);
        fetch->into->size = all;
    }
    return true;
}
