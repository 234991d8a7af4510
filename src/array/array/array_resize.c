/* array_resize.c - what a changed shape means for the chunks. Chunks outside are deleted. The part
 * of an edge chunk that left the extent becomes fill, so that growing again shows fill. */
#include "array/array/array.h"
#include "array/chunks/array_state.h"
#include "array/selection/selection.h"
#include <stdlib.h>

enum {
    PAD_BATCH = 1024,
    TRY_MAX = 1 << 24,     /* more are not tried one by one */
    LIST_FROM = 1 << 16,   /* so many chunks that might be there: one listing is cheaper than trying
                            * each */
    LIST_FROM_REMOTE = 16, /* where each try is a round trip */
};

/* A box of chunk coordinates. */
typedef struct chunk_box {
    uint64_t low[VZ_MAX_RANK], high[VZ_MAX_RANK];
} chunk_box;

typedef struct resize {
    vz_array *array;
    unsigned rank;
    uint64_t old_dims[VZ_MAX_RANK], dims[VZ_MAX_RANK];
    bool trimmed[VZ_MAX_RANK]; /* the last chunks along d lost a part that they had before */
    uint64_t *batch;           /* chunks to be padded */
    size_t count;
    uint64_t *erased; /* chunks that go */
    size_t erased_count;
} resize;

typedef bool (*chunk_action)(resize *r, const uint64_t *chunk, vz_error *err);

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Chunks that lay in the old grid and not in the new one, as disjoint boxes. Box d has those that
 * are outside along d, and inside along all dimensions before it. */
static chunk_box outside_box(const resize *r, unsigned d)
{
    chunk_box box = {{0}, {0}};
    for (unsigned e = 0; e < r->rank; e++)
        box.high[e] = e < d ? least(r->old_dims[e], r->dims[e]) : r->old_dims[e];
    box.low[d] = least(r->old_dims[d], r->dims[d]);
    return box;
}

/* Chunks of both grids that are trimmed along d and along no dimension before it. */
static chunk_box edge_box(const resize *r, unsigned d)
{
    chunk_box box = {{0}, {0}};
    for (unsigned e = 0; e < r->rank; e++) {
        box.high[e] = least(r->old_dims[e], r->dims[e]);
        if (e < d && r->trimmed[e])
            box.high[e]--;
    }
    box.low[d] = r->trimmed[d] ? box.high[d] - 1 : box.high[d];
    return box;
}

static uint64_t box_count(const resize *r, const chunk_box *box)
{
    uint64_t sides[VZ_MAX_RANK];
    for (unsigned d = 0; d < r->rank; d++)
        sides[d] = box->high[d] > box->low[d] ? box->high[d] - box->low[d] : 0;
    return vz_grid_count(r->rank, sides);
}

static bool box_holds(const resize *r, const chunk_box *box, const uint64_t *chunk)
{
    for (unsigned d = 0; d < r->rank; d++)
        if (chunk[d] < box->low[d] || chunk[d] >= box->high[d])
            return false;
    return true;
}

static bool each_in_box(resize *r, const chunk_box *box, chunk_action action, vz_error *err)
{
    uint64_t at[VZ_MAX_RANK];
    if (box_count(r, box) == 0)
        return true;
    memcpy(at, box->low, sizeof at);
    do
        if (!action(r, at, err))
            return false;
    while (vz_grid_next(r->rank, box->low, box->high, at));
    return true;
}

static bool each_listed(resize *r, const vz_chunk_list *list, const chunk_box *box, chunk_action action, vz_error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        const uint64_t *chunk = &list->chunks[i * r->rank];
        if (box_holds(r, box, chunk) && !action(r, chunk, err))
            return false;
    }
    return true;
}

/* ---- padding ---- */

/* Everything of a decoded chunk beyond the array's extent becomes `element`. */
static bool pad_chunk(const vz_array *array, const uint64_t *chunk, uint8_t *decoded, const vz_mover *mover,
                      const uint8_t *element, vz_error *err)
{
    const vz_meta *meta = array->meta;
    const vz_box_strides layout = vz_layout_of(meta, NULL, meta->dtype->size);
    for (unsigned d = 0; d < meta->rank; d++) {
        const uint64_t extent = vz_grid_extent(meta, d, chunk[d]);
        vz_box box = {.memory_offset = extent * layout.steps[d]};
        for (unsigned e = 0; e < meta->rank; e++) {
            const uint64_t inside = vz_grid_extent(meta, e, chunk[e]), all = meta->chunks[e];
            vz_box_add(&box, e < d ? inside : e == d ? all - extent : all, 0, layout.steps[e]);
        }
        if (extent < meta->chunks[d] && !vz_fill_box(mover, element, decoded, &box, err))
            return false;
    }
    return true;
}

/* The fill item's bytes are copied, as the entry outlives this metadata's fill. */
static bool pad_entry(const vz_array *array, vz_cached *entry, vz_error *err)
{
    const vz_mover bytes = vz_mover_bytes(array->meta->dtype->size),
                   items = vz_mover_items(&entry->arena, &entry->live);
    return pad_chunk(array, entry->chunk, entry->data, array->objects ? &items : &bytes, array->meta->fill, err);
}

typedef struct pad_work {
    vz_array *array;
    vz_fetch fetches[PAD_BATCH];
    bool erase[PAD_BATCH];
} pad_work;

static bool take_pad(void *context, vz_fetch *fetch, size_t index, unsigned worker, vz_error *err)
{
    pad_work *work = context;
    vz_array *array = work->array;
    const vz_mover mover = vz_mover_bytes(array->meta->dtype->size);
    vz_arena arena = {0};
    if (!fetch->found)
        return true;
    uint8_t *decoded = vz_chunk_scratch(array, worker, err);
    const bool ok = decoded && vz_chunk_decode(array, fetch->chunk, fetch->bytes, decoded, &arena, worker, err) &&
                    pad_chunk(array, fetch->chunk, decoded, &mover, array->meta->fill, err) &&
                    vz_chunk_store(array, fetch->chunk, decoded, NULL, &work->erase[index], worker, err);
    vz_arena_clear(&arena);
    return ok;
}

/* Chunks that are all fill are deleted then. */
static bool erase_padded(const pad_work *work, size_t count, vz_error *err)
{
    const uint64_t *chunks[PAD_BATCH];
    size_t number = 0;
    for (size_t i = 0; i < count; i++)
        if (work->erase[i])
            chunks[number++] = work->fetches[i].chunk;
    return number == 0 || vz_chunks_erase(work->array, chunks, number, err);
}

static bool pad_batch(resize *r, vz_error *err)
{
    pad_work *work = calloc(1, sizeof *work);
    if (!work)
        return vz_fail_memory(err);
    work->array = r->array;
    for (size_t i = 0; i < r->count; i++)
        work->fetches[i] =
            (vz_fetch){.chunk = &r->batch[i * r->rank], .needed = true, .most = vz_chunk_stored_max(r->array)};
    const bool ok =
        vz_fetch_one(r->array, work->fetches, r->count, take_pad, work, err) && erase_padded(work, r->count, err);
    free(work);
    r->count = 0;
    return vz_shards_write(r->array, false, ok ? err : NULL) && ok;
}

/* A cached chunk is changed in place; others are collected. */
static bool pad_action(resize *r, const uint64_t *chunk, vz_error *err)
{
    vz_cached *entry = vz_cache_find(&r->array->cache, chunk);
    if (entry) {
        const bool ok = pad_entry(r->array, entry, err);
        vz_change_whole(&entry->change);
        vz_cache_recount(&r->array->cache, entry, true);
        return ok;
    }
    memcpy(&r->batch[r->count++ * r->rank], chunk, r->rank * sizeof *chunk);
    return r->count < PAD_BATCH || pad_batch(r, err);
}

static bool erase_batch(resize *r, vz_error *err)
{
    const uint64_t *chunks[PAD_BATCH];
    for (size_t i = 0; i < r->erased_count; i++)
        chunks[i] = &r->erased[i * r->rank];
    const bool ok = r->erased_count == 0 || vz_chunks_erase(r->array, chunks, r->erased_count, err);
    r->erased_count = 0;
    return ok;
}

static bool erase_action(resize *r, const uint64_t *chunk, vz_error *err)
{
    memcpy(&r->erased[r->erased_count++ * r->rank], chunk, r->rank * sizeof *chunk);
    return r->erased_count < PAD_BATCH || erase_batch(r, err);
}

/* ---- all together ---- */

static void drop_cached(vz_array *array)
{
    for (vz_cached *entry = array->cache.oldest, *next; entry; entry = next) {
        next = entry->newer;
        if (!vz_grid_inside(array->meta, entry->chunk))
            vz_cache_remove(&array->cache, entry);
    }
}

bool vz_array_drop_outside(vz_array *array)
{
    const uint64_t before = vz_array_dirty_bytes(array);
    drop_cached(array);
    vz_shards_drop_outside(array);
    return vz_array_dirty_bytes(array) < before;
}

static bool by_trying(resize *r, vz_error *err)
{
    for (unsigned d = 0; d < r->rank; d++) {
        const chunk_box outside = outside_box(r, d), edge = edge_box(r, d);
        if (!each_in_box(r, &outside, erase_action, err) || !each_in_box(r, &edge, pad_action, err))
            return false;
    }
    return erase_batch(r, err) && pad_batch(r, err);
}

/* The cache is flushed first, so that the listing knows every chunk. */
static bool by_listing(resize *r, vz_error *err)
{
    vz_chunk_list list;
    if (!vz_array_flush(r->array, err) || !vz_chunk_list_load(r->array, &list, err))
        return false;
    bool ok = true;
    for (unsigned d = 0; d < r->rank && ok; d++) {
        const chunk_box outside = outside_box(r, d), edge = edge_box(r, d);
        ok = each_listed(r, &list, &outside, erase_action, err) && each_listed(r, &list, &edge, pad_action, err);
    }
    ok = ok && erase_batch(r, err) && pad_batch(r, err);
    vz_chunk_list_clear(&list);
    return ok;
}

static uint64_t candidates(const resize *r)
{
    uint64_t count = 0;
    for (unsigned d = 0; d < r->rank; d++) {
        const chunk_box outside = outside_box(r, d), edge = edge_box(r, d);
        if (!vz_add(count, box_count(r, &outside), &count) || !vz_add(count, box_count(r, &edge), &count))
            return UINT64_MAX;
    }
    return count;
}

/* Elements of an array of this shape that lie in its first chunk. */
static uint64_t reached_by(const vz_meta *meta, const uint64_t *shape)
{
    uint64_t count = 1;
    for (unsigned d = 0; d < meta->rank; d++)
        count *= shape[d] < meta->chunks[d] ? shape[d] : meta->chunks[d];
    return count;
}

/* Did it lose anything? */
static bool is_cut(const vz_meta *meta, const uint64_t *old_shape)
{
    for (unsigned d = 0; d < meta->rank; d++)
        if (meta->shape[d] < old_shape[d])
            return true;
    return false;
}

bool vz_array_resized(vz_array *array, const uint64_t *old_shape, vz_error *err)
{
    const vz_meta *meta = array->meta;
    resize r;
    const uint64_t before = reached_by(meta, old_shape);
    array->reached = before > array->reached ? before : array->reached;
    vz_shards_reshaped(array);
    if (!is_cut(meta, old_shape))
        return true;
    r = (resize){.array = array, .rank = meta->rank};
    vz_grid_dims(meta, old_shape, r.old_dims);
    vz_grid_dims(meta, meta->shape, r.dims);
    for (unsigned d = 0; d < meta->rank; d++)
        r.trimmed[d] = meta->shape[d] < old_shape[d] && meta->shape[d] % meta->chunks[d] != 0;
    drop_cached(array);
    const uint64_t count = candidates(&r);
    if (count == 0)
        return true;
    const unsigned can = array->store->capabilities;
    if (!(can & VZ_STORE_LIST) && count > TRY_MAX)
        return vz_fail(err, VZ_UNSUPPORTED, "shrinking an array by that many chunks in a store that cannot list");
    r.batch = malloc(2 * PAD_BATCH * (meta->rank + 1) * sizeof *r.batch);
    if (!r.batch)
        return vz_fail_memory(err);
    r.erased = r.batch + PAD_BATCH * (meta->rank + 1);
    vz_shards_begin(array);
    const bool listing = (can & VZ_STORE_LIST) && count > (can & VZ_STORE_CHEAP ? LIST_FROM : LIST_FROM_REMOTE);
    const bool ok = listing ? by_listing(&r, err) : by_trying(&r, err);
    vz_shards_end(array);
    free(r.batch);
    return ok;
}
