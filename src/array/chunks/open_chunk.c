/* open_chunk.c - chunks of which nothing is read before their value is open. Its size and its head
 * then tell the kind of chunk, and no more is read than is wanted. */
#include "array/chunks/array_state_internal.h"
#include "base/os/thread.h"

bool vz_chunk_may_open(const vz_array *array)
{
    return array->source == &vz_chunks_plain && !array->meta->edges && !array->objects &&
           (array->store->capabilities & VZ_STORE_CHEAP) &&
           (array->raw || vz_chain_reads_range(&array->chain) || vz_chain_plain_head(&array->chain) > 0);
}

/* Of the version that was met. */
static vz_request request_of(const vz_fetch *fetch)
{
    return (vz_request){.key = fetch->key,
                        .most = fetch->most,
                        .when = VZ_WHEN_VERSION,
                        .version = fetch->version,
                        .hold = VZ_HOLD_TO_READ};
}

static bool found(const vz_request *request, vz_error *err)
{
    return request->found || vz_fail(err, VZ_CHANGED, "it was deleted meanwhile");
}

bool vz_chunk_opened_read(const vz_array *array, const vz_fetch *fetch, const vz_range *ranges, size_t count,
                          vz_buffer *into, vz_error *err)
{
    vz_request request = request_of(fetch);
    request.ranges = ranges;
    request.range_count = count;
    request.into = into;
    return vz_request_do(array->store, &request, NULL, err) && found(&request, err);
}

bool vz_chunk_opened_is_plain(vz_array *array, const vz_fetch *fetch, bool *plain, size_t *unit, vz_error *err)
{
    uint8_t bytes[VZ_PLAIN_HEAD_MAX];
    const size_t head = vz_chain_plain_head(&array->chain);
    const vz_range range = {VZ_RANGE_AT, 0, head};
    vz_buffer into = vz_buffer_borrow(bytes, sizeof bytes);
    *plain = fetch->size == head + array->meta->chunk_size;
    if (array->raw)
        return *plain || vz_fail(err, VZ_CORRUPT, "the chunk has %llu bytes, must have %zu",
                                 (unsigned long long)fetch->size, array->meta->chunk_size);
    const bool looks = head > 0 && fetch->size >= head && (*plain || unit);
    if (looks && !vz_chunk_opened_read(array, fetch, &range, 1, &into, err))
        return false;
    *plain = *plain && looks && vz_chain_is_plain(&array->chain, bytes);
    if (unit)
        *unit = looks && !*plain ? vz_chain_head_unit(&array->chain, bytes) : 0;
    array->form = *plain ? VZ_FORM_PLAIN : VZ_FORM_ENCODED;
    return true;
}

void vz_chunk_note_form(vz_array *array, vz_bytes stored)
{
    const size_t head = vz_chain_plain_head(&array->chain);
    if (head > 0 && !array->meta->edges && stored.size == head + array->meta->chunk_size &&
        vz_chain_is_plain(&array->chain, stored.data))
        array->form = VZ_FORM_PLAIN;
}

/* ---- a range of one that is encoded ---- */

typedef struct opened_chunk {
    const vz_array *array;
    const vz_fetch *fetch;
} opened_chunk;

static bool read_stored(void *context, uint64_t offset, size_t size, vz_buffer *out, vz_error *err)
{
    const opened_chunk *chunk = context;
    const vz_range range = {VZ_RANGE_AT, offset, size};
    return vz_chunk_opened_read(chunk->array, chunk->fetch, &range, 1, out, err);
}

bool vz_chunk_opened_decode_range(const vz_array *array, const vz_fetch *fetch, uint64_t low, uint64_t high,
                                  uint8_t *into, unsigned worker, vz_error *err)
{
    opened_chunk chunk = {array, fetch};
    const vz_stored stored = {read_stored, &chunk};
    return vz_chain_read_range(&array->chain, &stored, low, high - low, vz_pool_scratch(worker, VZ_SCRATCH_STORED),
                               into, err);
}

/* ---- all of it ---- */

bool vz_chunk_opened_read_all(const vz_array *array, vz_fetch *fetch, bool now, unsigned worker, vz_error *err)
{
    vz_request request = request_of(fetch);
    if (now)
        request.when = VZ_WHEN_ANY;
    if (!vz_request_do(array->store, &request, vz_pool_scratch(worker, VZ_SCRATCH_STORED), err) ||
        !found(&request, err))
        return false;
    fetch->is_opened = false;
    fetch->ranges = NULL;
    fetch->bytes = request.bytes;
    fetch->version = request.version;
    return true;
}
