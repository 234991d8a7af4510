/* chunk_selection.c - from spans and cuts to boxes. */
#include "array/selection/selection_internal.h"

vz_box_strides vz_layout_of(const vz_meta *meta, const vz_region *region, size_t memory_element)
{
    vz_box_strides layout = {
        .meta = meta, .region = region, .chunk_element = meta->dtype->size, .memory_element = memory_element};
    vz_grid_steps(meta, layout.steps);
    for (unsigned d = 0; d < meta->rank; d++)
        layout.steps[d] *= layout.chunk_element;
    layout.line_step = meta->rank ? layout.steps[meta->rank - 1] : layout.chunk_element;
    return layout;
}

typedef struct walk {
    const vz_box_strides *layout;
    const vz_selection_in_chunk *piece;
    vz_box_visit visit;
    void *context;
} walk;

void vz_box_add(vz_box *box, uint64_t count, uint64_t chunk_step, uint64_t memory_step)
{
    if (count == 1)
        return;
    vz_loop *outer = box->loop_count ? &box->loops[box->loop_count - 1] : NULL;
    if (outer && (uint64_t)outer->chunk_step == chunk_step * count &&
        (uint64_t)outer->memory_step == memory_step * count)
        *outer = (vz_loop){outer->count * count, (int64_t)chunk_step, (int64_t)memory_step};
    else
        box->loops[box->loop_count++] = (vz_loop){count, (int64_t)chunk_step, (int64_t)memory_step};
}

static bool walk_dimension(const walk *w, unsigned depth, vz_box *box, vz_error *err);

static void enter_part(const walk *w, unsigned d, vz_box *box, uint64_t first, uint64_t count)
{
    const vz_box_strides *layout = w->layout;
    const vz_region *region = layout->region;
    const uint64_t block = region->block[d], step = layout->steps[d];
    const uint64_t memory_step = region->memory_stride[d] * layout->memory_element;
    const uint64_t origin = vz_grid_chunk_start(layout->meta, d, w->piece->chunk[d]);
    box->chunk_offset += (vz_region_coordinate(region, d, first) - origin) * step;
    box->memory_offset += first * memory_step;
    if (region->count[d] == 1 || count < block) {
        vz_box_add(box, count, step, memory_step);
    } else {
        vz_box_add(box, count / block, region->stride[d] * step, block * memory_step);
        vz_box_add(box, block, step, memory_step);
    }
}

/* Goes on with `count` indexes from `first` on, which are either within one block or whole blocks.
 * The box is as before afterwards. */
static bool walk_part(const walk *w, unsigned depth, vz_box *box, uint64_t first, uint64_t count, vz_error *err)
{
    if (count == 0)
        return true;
    const uint64_t chunk_offset = box->chunk_offset, memory_offset = box->memory_offset;
    const unsigned loop_count = box->loop_count;
    const vz_loop last = loop_count ? box->loops[loop_count - 1] : (vz_loop){0};
    enter_part(w, w->layout->meta->axes[depth], box, first, count);
    const bool ok = walk_dimension(w, depth + 1, box, err);
    box->chunk_offset = chunk_offset;
    box->memory_offset = memory_offset;
    box->loop_count = loop_count;
    if (loop_count)
        box->loops[loop_count - 1] = last;
    return ok;
}

/* Along one dimension the span is a block's rest, whole blocks, and a block's beginning. */
static bool walk_dimension(const walk *w, unsigned depth, vz_box *box, vz_error *err)
{
    if (depth == w->layout->meta->rank)
        return w->visit(w->context, box, err);
    const unsigned d = w->layout->meta->axes[depth];
    const vz_span span = w->piece->spans[d];
    const uint64_t block = w->layout->region->block[d];
    if (w->layout->region->count[d] == 1)
        return walk_part(w, depth, box, span.first, span.count, err);
    uint64_t head = span.first % block ? block - span.first % block : 0;
    head = head < span.count ? head : span.count;
    const uint64_t whole = (span.count - head) / block * block, tail = span.count - head - whole;
    return walk_part(w, depth, box, span.first, head, err) && walk_part(w, depth, box, span.first + head, whole, err) &&
           walk_part(w, depth, box, span.first + head + whole, tail, err);
}

static void cut_box(const vz_box_strides *layout, const vz_cut *cut, vz_box *box)
{
    box->chunk_offset = cut->offset * layout->chunk_element;
    box->memory_offset = cut->memory * layout->memory_element;
    box->loop_count = 0;
    vz_box_add(box, cut->length, layout->line_step, layout->memory_element);
}

bool vz_piece_walk(const vz_box_strides *layout, const vz_selection_in_chunk *piece, vz_box_visit visit, void *context,
                   vz_error *err)
{
    vz_box box;
    box.chunk_offset = box.memory_offset = 0;
    box.loop_count = 0;
    if (piece->spans) {
        const walk w = {layout, piece, visit, context};
        box.memory_offset = layout->region->memory_offset * layout->memory_element;
        return walk_dimension(&w, 0, &box, err);
    }
    for (size_t i = 0; i < piece->cut_count; i++) {
        cut_box(layout, &piece->cuts[i], &box);
        if (!visit(context, &box, err))
            return false;
    }
    return true;
}

static void cuts_extent(const vz_box_strides *layout, const vz_selection_in_chunk *piece, uint64_t *low, uint64_t *high)
{
    *low = UINT64_MAX, *high = 0;
    for (size_t i = 0; i < piece->cut_count; i++) {
        const vz_cut *cut = &piece->cuts[i];
        const uint64_t first = cut->offset * layout->chunk_element;
        const uint64_t last = first + (cut->length - 1) * layout->line_step + layout->chunk_element;
        *low = first < *low ? first : *low;
        *high = last > *high ? last : *high;
    }
}

void vz_piece_extent(const vz_box_strides *layout, const vz_selection_in_chunk *piece, uint64_t *low, uint64_t *high)
{
    if (!piece->spans) {
        cuts_extent(layout, piece, low, high);
        return;
    }
    *low = 0, *high = layout->chunk_element;
    for (unsigned d = 0; d < layout->meta->rank; d++) {
        const vz_span span = piece->spans[d];
        const uint64_t origin = vz_grid_chunk_start(layout->meta, d, piece->chunk[d]);
        *low += (vz_region_coordinate(layout->region, d, span.first) - origin) * layout->steps[d];
        *high += (vz_region_coordinate(layout->region, d, span.first + span.count - 1) - origin) * layout->steps[d];
    }
}

/* The cheap part of the question, asked before any box is made. */
static bool may_be_whole(const vz_box_strides *layout, const vz_selection_in_chunk *piece)
{
    return piece->covers && layout->chunk_element == layout->memory_element &&
           (piece->spans || piece->cut_count == 1) && vz_grid_is_full(layout->meta, piece->chunk);
}

static bool add_box(void *context, const vz_box *box, vz_error *err)
{
    (void)err;
    vz_box *taken = context;
    taken->memory_offset = box->memory_offset;
    taken->loop_count = box->loop_count;
    if (box->loop_count)
        taken->loops[0] = box->loops[0];
    return true;
}

bool vz_piece_is_whole(const vz_box_strides *layout, const vz_selection_in_chunk *piece, uint64_t *memory)
{
    vz_box box;
    if (!may_be_whole(layout, piece) || !vz_piece_walk(layout, piece, add_box, &box, NULL))
        return false;
    const int64_t size = (int64_t)layout->chunk_element;
    *memory = box.memory_offset;
    if (box.loop_count == 0)
        return layout->meta->chunk_count == 1;
    return box.loop_count == 1 && box.loops[0].count == layout->meta->chunk_count && box.loops[0].chunk_step == size &&
           box.loops[0].memory_step == size;
}
