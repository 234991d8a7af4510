/* uneven_chunks.c - chunks of a grid whose chunks have different shapes. In memory each lies in the
 * first places of the room that the largest one takes, as an edge chunk of a regular grid does. So
 * nothing else sees the difference. Stored, it has its own shape alone. Runs in workers. */
#include "array/chunks/array_state.h"
#include "array/chunks/array_state_internal.h"
#include "array/selection/selection.h"
#include <stdlib.h>

/* A stored chunk: its shape, a chain for it, and the way between its elements and their places in
 * the room. */
typedef struct uneven {
    uint64_t shape[VZ_MAX_RANK];
    size_t count; /* elements */
    bool fills_room;
    vz_chain chain;
    vz_codec codecs[VZ_CHAIN_MAX];
    vz_box box; /* "memory" are the elements as they are stored */
} uneven;

static void measure(const vz_meta *meta, const uint64_t *chunk, uneven *u)
{
    u->count = 1; /* at most meta->chunk_count, as each length is */
    u->fills_room = true;
    for (unsigned d = 0; d < meta->rank; d++) {
        u->shape[d] = vz_grid_edge(meta, d, chunk[d]);
        u->count *= (size_t)u->shape[d];
        u->fills_room = u->fills_room && u->shape[d] == meta->chunks[d];
    }
}

static void lay_out(const vz_meta *meta, uneven *u)
{
    const vz_box_strides layout = vz_layout_of(meta, NULL, meta->dtype->size);
    uint64_t step = u->count * meta->dtype->size;
    u->box.chunk_offset = u->box.memory_offset = 0;
    u->box.loop_count = 0;
    for (unsigned i = 0; i < meta->rank; i++) {
        const unsigned d = meta->axes[i];
        step /= u->shape[d];
        vz_box_add(&u->box, u->shape[d], layout.steps[d], step);
    }
}

/* A chunk beyond the array may be longer than the room: nobody may ask for it. */
static bool begin(const vz_array *array, const uint64_t *chunk, uneven *u, vz_error *err)
{
    const vz_meta *meta = array->meta;
    if (!vz_grid_inside(meta, chunk))
        return vz_fail(err, VZ_INVALID, "the array has no such chunk");
    measure(meta, chunk, u);
    lay_out(meta, u);
    uint64_t places[VZ_MAX_RANK];
    const vz_chain_chunk of = {.objects = array->objects,
                               .big_endian = meta->dtype->big_endian,
                               .element_size = meta->dtype->size,
                               .element_count = u->count,
                               .kind = vz_chunk_kind(meta),
                               .rank = meta->rank,
                               .shape = vz_chunk_places(meta, u->shape, places)};
    return vz_chain_for(&array->chain, &of, u->codecs, &u->chain, err);
}

/* As the array's own chain, for another number of elements. */
static bool decode(const vz_array *array, const uneven *u, vz_bytes stored, void *into, vz_arena *arena,
                   unsigned worker, vz_error *err)
{
    return array->objects ? vz_chain_decode_items(&u->chain, stored, into, u->count, arena, worker, err)
                          : vz_chain_decode(&u->chain, stored, into, u->chain.chunk_size, worker, err);
}

bool vz_chunk_decode_uneven(vz_array *array, const uint64_t *chunk, vz_bytes stored, void *into, vz_arena *arena,
                            unsigned worker, vz_error *err)
{
    uneven u;
    if (!begin(array, chunk, &u, err))
        return false;
    if (u.fills_room)
        return decode(array, &u, stored, into, arena, worker, err);
    void *elements = malloc(u.chain.chunk_size ? u.chain.chunk_size : 1);
    const vz_mover mover = vz_mover_bytes(array->meta->dtype->size);
    bool ok = elements ? decode(array, &u, stored, elements, arena, worker, err) : vz_fail_memory(err);
    if (ok) {
        vz_chunk_fill(array, into);
        ok = vz_gather_box(&mover, into, elements, &u.box, err);
    }
    free(elements);
    return ok;
}

bool vz_chunk_encode_uneven(vz_array *array, const uint64_t *chunk, const void *decoded, vz_buffer *out,
                            unsigned worker, vz_error *err)
{
    uneven u;
    if (!begin(array, chunk, &u, err))
        return false;
    void *elements = u.fills_room ? NULL : malloc(u.chain.chunk_size ? u.chain.chunk_size : 1);
    if (!u.fills_room && !elements)
        return vz_fail_memory(err);
    const vz_mover mover = vz_mover_bytes(array->meta->dtype->size);
    const void *from = u.fills_room ? decoded : elements;
    bool ok = u.fills_room || vz_scatter_box(&mover, decoded, 0, elements, &u.box, err);
    ok = ok && (array->objects ? vz_chain_encode_items(&u.chain, from, u.count, out, worker, err)
                               : vz_chain_encode(&u.chain, from, u.chain.chunk_size, out, worker, err));
    free(elements);
    return ok;
}
