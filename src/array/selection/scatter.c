/* scatter.c - lines of elements, and the loops around them. */
#include "array/selection/selection.h"

void vz_fill_elements(uint8_t *dst, const uint8_t *element, size_t size, uint64_t count)
{
    if (count == 0)
        return;
    bool uniform = true;
    for (size_t i = 1; i < size && uniform; i++)
        uniform = element[i] == element[0];
    const size_t total = size * count;
    if (uniform) {
        memset(dst, element[0], total);
        return;
    }
    enum { PATTERN = 4096 }; /* doubling stops where a copy no longer fits the cache */
    memcpy(dst, element, size);
    for (size_t done = size; done < total;) {
        size_t part = done < PATTERN || done == size ? done : PATTERN / size * size;
        part = part ? part : size;
        part = part < total - done ? part : total - done;
        memcpy(dst + done, dst, part);
        done += part;
    }
}

#define LINE_OF(SIZE)                                                                                                  \
    case SIZE:                                                                                                         \
        for (size_t i = 0; i < count; i++, dst += dst_step, src += src_step)                                           \
            memcpy(dst, src, SIZE);                                                                                    \
        return true

static bool bytes_line(const vz_mover *mover, uint8_t *dst, ptrdiff_t dst_step, const uint8_t *src, ptrdiff_t src_step,
                       size_t count, vz_error *err)
{
    (void)err;
    const ptrdiff_t size = (ptrdiff_t)mover->size;
    if (dst_step == size && src_step == size) {
        memcpy(dst, src, count * mover->size);
        return true;
    }
    if (dst_step == size && src_step == 0) {
        vz_fill_elements(dst, src, mover->size, count);
        return true;
    }
    switch (mover->size) {
        LINE_OF(1);
        LINE_OF(2);
        LINE_OF(4);
        LINE_OF(8);
        LINE_OF(16);
    default:
        for (size_t i = 0; i < count; i++, dst += dst_step, src += src_step)
            memcpy(dst, src, mover->size);
        return true;
    }
}

static bool convert_line(const vz_mover *mover, uint8_t *dst, ptrdiff_t dst_step, const uint8_t *src,
                         ptrdiff_t src_step, size_t count, vz_error *err)
{
    (void)err;
    mover->conversion->run(mover->conversion, src, src_step, dst, dst_step, count);
    return true;
}

static bool items_line(const vz_mover *mover, uint8_t *dst, ptrdiff_t dst_step, const uint8_t *src, ptrdiff_t src_step,
                       size_t count, vz_error *err)
{
    for (size_t i = 0; i < count; i++, dst += dst_step, src += src_step) {
        vz_item item, old = {0};
        memcpy(&item, src, sizeof item);
        if (mover->live)
            memcpy(&old, dst, sizeof old);
        if (item.data && !(item.data = vz_arena_copy(mover->arena, item.data, item.size, err)))
            return false;
        if (mover->live)
            *mover->live += item.size - old.size;
        memcpy(dst, &item, sizeof item);
    }
    return true;
}

vz_mover vz_mover_bytes(size_t size)
{
    return (vz_mover){.line = bytes_line, .size = size};
}

vz_mover vz_mover_convert(const vz_number_conversion *conversion)
{
    return (vz_mover){.line = convert_line, .conversion = conversion};
}

vz_mover vz_mover_items(vz_arena *arena, uint64_t *live)
{
    return (vz_mover){.line = items_line, .size = sizeof(vz_item), .arena = arena, .live = live};
}

typedef struct step_loop {
    uint64_t count;
    ptrdiff_t dst_step, src_step;
} step_loop;

typedef struct nest {
    unsigned count;
    step_loop loops[2 * VZ_MAX_RANK];
} nest;

static unsigned smallest(const nest *n, bool of_dst)
{
    unsigned best = n->count - 1;
    for (unsigned i = n->count; i-- > 0;) {
        const ptrdiff_t step = of_dst ? n->loops[i].dst_step : n->loops[i].src_step;
        const ptrdiff_t least = of_dst ? n->loops[best].dst_step : n->loops[best].src_step;
        if (step < least)
            best = i;
    }
    return best;
}

/* Moves loop i to the innermost place; the others keep their order. */
static void make_innermost(nest *n, unsigned i)
{
    const step_loop loop = n->loops[i];
    memmove(&n->loops[i], &n->loops[i + 1], (n->count - 1 - i) * sizeof loop);
    n->loops[n->count - 1] = loop;
}

/* The two innermost loops. Where they walk the two sides in different orders, tiles keep both in
 * the cache. */
static bool move_plane(const vz_mover *mover, uint8_t *dst, const uint8_t *src, const step_loop *outer,
                       const step_loop *inner, bool tiled, vz_error *err)
{
    enum { TILE = 64 };
    const uint64_t width = tiled ? TILE : inner->count, height = tiled ? TILE : outer->count;
    for (uint64_t y = 0; y < outer->count; y += height)
        for (uint64_t x = 0; x < inner->count; x += width) {
            const uint64_t columns = inner->count - x < width ? inner->count - x : width;
            const uint64_t rows = outer->count - y < height ? outer->count - y : height;
            uint8_t *to = dst + (ptrdiff_t)y * outer->dst_step + (ptrdiff_t)x * inner->dst_step;
            const uint8_t *from = src + (ptrdiff_t)y * outer->src_step + (ptrdiff_t)x * inner->src_step;
            for (uint64_t row = 0; row < rows; row++, to += outer->dst_step, from += outer->src_step)
                if (!mover->line(mover, to, inner->dst_step, from, inner->src_step, columns, err))
                    return false;
        }
    return true;
}

/* Steps the loops around the plane; false after the last round. */
static bool next_plane(const nest *n, unsigned around, uint64_t *at, uint8_t **dst, const uint8_t **src)
{
    for (unsigned i = around; i-- > 0;) {
        const step_loop *loop = &n->loops[i];
        *dst += loop->dst_step;
        *src += loop->src_step;
        if (++at[i] < loop->count)
            return true;
        *dst -= (ptrdiff_t)loop->count * loop->dst_step;
        *src -= (ptrdiff_t)loop->count * loop->src_step;
        at[i] = 0;
    }
    return false;
}

static bool move_nest(const vz_mover *mover, uint8_t *dst, const uint8_t *src, nest *n, vz_error *err)
{
    if (n->count == 0)
        return mover->line(mover, dst, (ptrdiff_t)mover->size, src, (ptrdiff_t)mover->size, 1, err);
    const unsigned by_src = smallest(n, false), by_dst = smallest(n, true);
    const bool tiled = by_src != by_dst;
    make_innermost(n, by_src);
    if (tiled)
        make_innermost(n, by_dst > by_src ? by_dst - 1 : by_dst);
    const step_loop *inner = &n->loops[n->count - 1];
    if (n->count == 1)
        return mover->line(mover, dst, inner->dst_step, src, inner->src_step, inner->count, err);
    uint64_t at[2 * VZ_MAX_RANK] = {0};
    do {
        if (!move_plane(mover, dst, src, inner - 1, inner, tiled, err))
            return false;
    } while (next_plane(n, n->count - 2, at, &dst, &src));
    return true;
}

bool vz_gather_box(const vz_mover *mover, uint8_t *chunk, const uint8_t *memory, const vz_box *box, vz_error *err)
{
    nest n = {.count = box->loop_count};
    for (unsigned i = 0; i < box->loop_count; i++)
        n.loops[i] = (step_loop){box->loops[i].count, box->loops[i].chunk_step, box->loops[i].memory_step};
    return move_nest(mover, chunk + box->chunk_offset, memory + box->memory_offset, &n, err);
}

bool vz_scatter_box(const vz_mover *mover, const uint8_t *chunk, uint64_t chunk_origin, uint8_t *memory,
                    const vz_box *box, vz_error *err)
{
    nest n = {.count = box->loop_count};
    for (unsigned i = 0; i < box->loop_count; i++)
        n.loops[i] = (step_loop){box->loops[i].count, box->loops[i].memory_step, box->loops[i].chunk_step};
    return move_nest(mover, memory + box->memory_offset, chunk + (box->chunk_offset - chunk_origin), &n, err);
}

bool vz_fill_box(const vz_mover *mover, const uint8_t *element, uint8_t *memory, const vz_box *box, vz_error *err)
{
    nest n = {.count = box->loop_count};
    for (unsigned i = 0; i < box->loop_count; i++)
        n.loops[i] = (step_loop){box->loops[i].count, box->loops[i].memory_step, 0};
    return move_nest(mover, memory + box->memory_offset, element, &n, err);
}
