/* witness.c - is a chunk of the source what Zarr stores? Its bytes, decoded by the array's
 * codecs, are compared with elements that went through HDF5 and the connector. */
#include "array/array/array.h"
#include "base/os/file.h"
#include "codec/chain/chain.h"
#include "command/view/view_internal.h"
#include <stdlib.h>

bool vz_view_read_source(const vz_view *view, uint64_t offset, size_t size, vz_buffer *bytes, vz_error *err)
{
    if (offset > view->request->source->size || size > view->request->source->size - offset)
        return vz_fail(err, VZ_CORRUPT, "the file ends before byte %llu", (unsigned long long)(offset + size));
    if (!vz_buffer_reserve(bytes, size, err) ||
        !vz_byte_source_read(view->request->source->bytes, offset, bytes->data, size, err))
        return false;
    bytes->size = size;
    return true;
}

static bool open_chain(const vz_meta *meta, vz_chain *chain, vz_error *err)
{
    const vz_chain_chunk chunk = {
        .big_endian = meta->dtype->big_endian, .element_size = meta->dtype->size, .element_count = meta->chunk_count};
    return vz_chain_open(chain, &meta->codecs, &chunk, err);
}

typedef struct comparison {
    const vz_meta *meta;
    uint64_t extent[VZ_MAX_RANK];
    const uint8_t *a, *b;
} comparison;

/* Elements of the box; `at` counts elements of the chunk. */
static bool is_equal(const comparison *c, unsigned dimension, uint64_t at)
{
    const size_t size = c->meta->dtype->size;
    if (dimension == c->meta->rank)
        return memcmp(c->a + at * size, c->b + at * size, size) == 0;
    at *= c->meta->chunks[dimension];
    bool is = true;
    if (dimension + 1 == c->meta->rank)
        return memcmp(c->a + at * size, c->b + at * size, c->extent[dimension] * size) == 0;
    for (uint64_t i = 0; is && i < c->extent[dimension]; i++)
        is = is_equal(c, dimension + 1, at + i);
    return is;
}

/* Of an array type's axes all elements count. Without a box nothing was copied. */
static bool is_box_equal(const vz_meta *meta, const vz_convert_place *witness, const vz_buffer *decoded)
{
    comparison c = {.meta = meta, .a = decoded[0].data, .b = decoded[1].data};
    for (unsigned i = 0; i < meta->rank; i++)
        c.extent[i] = i < witness->rank ? witness->extent[i] : meta->shape[i];
    return is_equal(&c, 0, 0);
}

/* A chunk that does not decode is no chunk of Zarr. */
static bool decode(const vz_chain *chain, const vz_meta *meta, const vz_buffer *stored, vz_buffer *decoded, bool *can,
                   vz_error *err)
{
    if (!vz_buffer_reserve(decoded, meta->chunk_size, err))
        return false;
    *can = vz_chain_decode(chain, (vz_bytes){stored->data, stored->size}, decoded->data, meta->chunk_size, 0, NULL);
    return true;
}

/* The copy has the codecs of the store. */
static bool decode_copy(const vz_view_array *array, const vz_chain *chain, const vz_buffer *stored, vz_buffer *decoded,
                        bool *can, vz_error *err)
{
    vz_chain own;
    if (!array->own_meta)
        return decode(chain, array->meta, stored, decoded, can, err);
    if (!open_chain(array->node->meta, &own, err))
        return false;
    const bool ok = decode(&own, array->node->meta, stored, decoded, can, err);
    vz_chain_clear(&own);
    return ok;
}

static bool compare(vz_view *view, const vz_view_array *array, const vz_convert_place *witness, const uint64_t *chunk,
                    const vz_chain *chain, bool *same, vz_error *err)
{
    const vz_meta *meta = array->meta;
    char *key = NULL;
    vz_buffer stored[2] = {0}, decoded[2] = {0};
    bool found = true, can = false;
    uint64_t size = witness->size;
    if (witness->is_contiguous && size > meta->chunk_size)
        size = meta->chunk_size;
    bool ok = vz_view_read_source(view, witness->address, (size_t)size, &stored[0], err);
    if (ok && witness->is_contiguous) { /* elements beyond the array's end are not compared */
        ok = vz_buffer_reserve(&stored[0], meta->chunk_size, err);
        stored[0].size = meta->chunk_size;
    }
    ok = ok && decode(chain, meta, &stored[0], &decoded[0], &can, err);
    *same = ok && can;
    if (ok && can && (witness->rank == 0 || witness->extent[0] > 0)) {
        ok = (key = vz_view_chunk_key(array, chunk, err)) &&
             vz_store_get(vz_hierarchy_store(view->request->root->hierarchy), key, VZ_WHOLE, &stored[1], &found, err) &&
             (!found || decode_copy(array, chain, &stored[1], &decoded[1], &can, err));
        *same = ok && found && can && is_box_equal(meta, witness, decoded);
    }
    free(key);
    for (unsigned i = 0; i < 2; i++) {
        vz_buffer_clear(&stored[i]);
        vz_buffer_clear(&decoded[i]);
    }
    return ok;
}

bool vz_view_compare_witness(vz_view *view, const vz_view_array *array, const vz_convert_place *witness,
                             const uint64_t *chunk, bool *same, vz_error *err)
{
    vz_chain chain;
    *same = false;
    if (!open_chain(array->meta, &chain, NULL))
        return true;
    const bool ok = compare(view, array, witness, chunk, &chain, same, err);
    vz_chain_clear(&chain);
    return ok;
}
