/* copy_chunks.c - copies stored elements from array to array. References go as text, so they
 * need no target and nothing of them is lost. */
#include "hdf5/datasets/datasets_internal.h"
#include "hdf5/dialects/dialects.h"

#include "hdf5/datasets/view_internal.h"
#include "hierarchy/writeback/writeback.h"
#include "hdf5/references/references.h"

#include <stdlib.h>

#define BATCH ((uint64_t)1 << 16) /* elements that are in memory at a time */

/* A part of the dataspace. */
typedef struct box {
    unsigned rank;
    uint64_t start[VZ_MAX_RANK], count[VZ_MAX_RANK];
} box;

typedef struct copier {
    vz_node *from, *to;
    hid_t shown;
    vz_type_tree *layout; /* of `shown` */
} copier;

static uint64_t elements_in(const box *b)
{
    uint64_t count = 1; /* no overflow: it is part of a chunk */
    for (unsigned d = 0; d < b->rank; d++)
        count *= b->count[d];
    return count;
}

/* The box in the array, with the axes that belong to the type whole; packed in memory. */
static vz_region region_of(const vz_meta *meta, const box *b)
{
    vz_region region = {.rank = meta->rank};
    uint64_t row = 1;
    for (unsigned d = meta->rank; d-- > 0;) {
        region.start[d] = d < b->rank ? b->start[d] : 0;
        region.block[d] = d < b->rank ? b->count[d] : meta->shape[d];
        region.stride[d] = region.count[d] = 1;
        region.memory_stride[d] = row;
        row *= region.block[d];
    }
    return region;
}

/* Raw elements of an array, to or from `elements`. */
static bool transfer(vz_node *node, const box *b, void *elements, vz_arena *arena, bool reading, vz_error *err)
{
    const vz_region region = region_of(node->meta, b);
    const vz_transfer t = {
        .region = &region, .buffer = elements, .element_size = node->meta->dtype->size, .arena = arena};
    vz_array *io = vz_dataset_io(node, err);
    return io && (reading ? vz_array_read(io, &t, err) : vz_array_write(io, &t, err));
}

static void *allocate(vz_arena *arena, uint64_t count, uint64_t per, size_t size, vz_error *err)
{
    uint64_t bytes;
    if (!vz_mul(count, per, &bytes) || !vz_mul(bytes, size, &bytes) || bytes > SIZE_MAX) {
        vz_fail(err, VZ_LIMIT, "more elements than memory can hold");
        return NULL;
    }
    void *memory = vz_arena_alloc(arena, (size_t)bytes, err);
    if (memory)
        memset(memory, 0, (size_t)bytes);
    return memory;
}

static bool write_box(const copier *c, const box *b, const void *shown, vz_arena *arena, vz_error *err)
{
    const uint64_t count = elements_in(b);
    bool grown = false;
    if (vz_type_can_grow(c->to->meta->dtype) && !vz_dataset_grow(c->to, c->layout, shown, (size_t)count, &grown, err))
        return false;
    const vz_dataset_view *view = vz_dataset_view_of(c->to, err);
    void *elements = view ? allocate(arena, count, view->per, c->to->meta->dtype->size, err) : NULL;
    return elements && vz_type_pack(vz_dataset_stored(view), c->shown, shown, (size_t)count, elements, arena, err) &&
           transfer(c->to, b, elements, arena, false, err);
}

static bool copy_batch(const copier *c, const box *b, vz_error *err)
{
    vz_arena arena = {0};
    const uint64_t count = elements_in(b);
    const vz_dataset_view *view = vz_dataset_view_of(c->from, err);
    void *elements = view ? allocate(&arena, count, view->per, c->from->meta->dtype->size, err) : NULL;
    void *shown = elements ? allocate(&arena, count, 1, c->layout->size, err) : NULL;
    const vz_reference_context references = {c->from->hierarchy, NULL, vz_writer_of(c->from->hierarchy)->bare_paths,
                                             &arena};
    bool changed = false;
    bool ok = shown && transfer(c->from, b, elements, &arena, true, err) &&
              vz_type_unpack(vz_dataset_stored(view), c->shown, elements, (size_t)count, shown, &arena, err) &&
              (!c->layout->has_references ||
               vz_references_complete(&references, c->layout, shown, (size_t)count, &changed, err));
    if (ok && (changed || c->from != c->to))
        ok = write_box(c, b, shown, &arena, err);
    vz_arena_clear(&arena);
    return ok;
}

/* Halves a box until it is small enough. */
static bool copy_box(const copier *c, const box *b, vz_error *err)
{
    unsigned longest = 0;
    for (unsigned d = 1; d < b->rank; d++)
        if (b->count[d] > b->count[longest])
            longest = d;
    if (elements_in(b) <= BATCH)
        return copy_batch(c, b, err);
    box half = *b;
    half.count[longest] /= 2;
    if (!copy_box(c, &half, err))
        return false;
    half.start[longest] += half.count[longest];
    half.count[longest] = b->count[longest] - half.count[longest];
    return copy_box(c, &half, err);
}

/* The part of a chunk that lies in the dataspace; false: there is none, or another chunk stands
 * for it. */
static bool box_of(const vz_meta *meta, unsigned rank, const uint64_t *chunk, box *b)
{
    *b = (box){.rank = rank};
    for (unsigned d = rank; d < meta->rank; d++)
        if (chunk[d] != 0)
            return false;
    for (unsigned d = 0; d < rank; d++) {
        b->count[d] = vz_grid_extent(meta, d, chunk[d]);
        if (b->count[d] == 0)
            return false;
        b->start[d] = vz_grid_start(meta, d, chunk[d]);
    }
    return true;
}

static bool copy_chunks(vz_node *from, vz_node *to, bool *any, vz_error *err)
{
    vz_dataset_chunk_entry *chunks = NULL;
    const vz_dataset_view *view = vz_dataset_view_of(from, err);
    copier c = {.from = from, .to = to, .shown = view ? H5Tcopy(view->shown) : H5I_INVALID_HID};
    if (c.shown < 0)
        return view && vz_fail(err, VZ_HDF5, "cannot copy a datatype");
    const unsigned rank = view->rank;
    c.layout = vz_type_tree_new(c.shown, err);
    bool ok = c.layout && (view->null || vz_dataset_stored_chunks_list(from, &chunks, err));
    *any = chunks != NULL;
    for (const vz_dataset_chunk_entry *stored = chunks; ok && stored; stored = stored->next) {
        box b;
        ok = !box_of(from->meta, rank, stored->chunk, &b) || copy_box(&c, &b, err);
    }
    vz_dataset_stored_chunks_free(chunks);
    vz_type_tree_free(c.layout);
    H5Tclose(c.shown);
    return ok;
}

bool vz_dataset_copy_elements(vz_node *from, vz_node *to, bool *any, vz_error *err)
{
    if (!copy_chunks(from, to, any, err))
        return false;
    vz_array *io = *any ? vz_dataset_io(to, err) : NULL;
    return !*any || (io && vz_array_flush(io, err));
}

bool vz_dataset_refresh_references(vz_node *node, vz_error *err)
{
    bool any;
    return copy_chunks(node, node, &any, err) && vz_flush_after_write(node, err);
}
