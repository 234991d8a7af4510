/* chunk_cost.c - how much work chunks are, to tell whether other threads are worth waking for
 * it. */
#include "array/chunks/array_state.h"

/* Time that a chunk takes, however small it is, in bytes that are decoded meanwhile. The first
 * number is for a chunk in an open file, the second for one whose file must be opened. */
enum { CHUNK_BYTES_IN_ONE = 128, CHUNK_BYTES = 2048 };

/* Requests that are no cheap ones wait side by side, how small ever their answers are. */
uint64_t vz_chunks_bytes(const vz_array *array, size_t count)
{
    const uint64_t most = (uint64_t)1 << 40;
    const unsigned can = array->store->capabilities;
    uint64_t each = can & VZ_STORE_IN_ONE ? CHUNK_BYTES_IN_ONE : CHUNK_BYTES, all;
    if (count == 0)
        return 0;
    if (each < array->meta->chunk_size)
        each = array->meta->chunk_size;
    return can & VZ_STORE_CHEAP && vz_mul(each, count, &all) && all < most ? all : most;
}
