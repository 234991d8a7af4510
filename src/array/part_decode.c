/* part_decode.c - decoding a chunk as far as a piece of it is wanted: codecs that decode in blocks leave out those in
 * which nothing of it lies. */
#include "array/array_io.h"
#include "array/grid.h"
#include "util/pool.h"

enum {
    UNITS_MAX = 64,    /* of a chunk that are told apart; blocks are taken together where there are more */
    LINES_MAX = 4096,  /* of a box that are looked at one by one */
    WORTH_FRACTION = 4 /* a range costs one more copy: worth it where a quarter of the chunk is left out */
};

typedef struct wanted {
    uint64_t element, unit; /* bytes */
    uint64_t bits;          /* units in which something wanted lies */
} wanted;

static void want(wanted *w, uint64_t low, uint64_t high)
{
    for (uint64_t i = low / w->unit; i <= (high - 1) / w->unit; i++)
        w->bits |= (uint64_t)1 << i;
}

/* Line by line of the outermost loop. */
static bool want_box(void *context, const vz_box *box, vz_error *err)
{
    wanted *w = context;
    (void)err;
    uint64_t size = w->element, lines = box->loop_count ? box->loops[0].count : 1;
    uint64_t step = box->loop_count ? (uint64_t)box->loops[0].chunk_step : 0;
    for (unsigned i = 1; i < box->loop_count; i++)
        size += (box->loops[i].count - 1) * (uint64_t)box->loops[i].chunk_step;
    if (lines > LINES_MAX || step <= w->unit / LINES_MAX) {
        size += (lines - 1) * step;
        lines = 1;
    }
    for (uint64_t i = 0; i < lines; i++)
        want(w, box->chunk_offset + i * step, box->chunk_offset + i * step + size);
    return true;
}

/* False: all of the chunk is to be decoded. */
static bool find_wanted(const vz_work *work, const vz_job *job, vz_bytes stored, wanted *w)
{
    const vz_array *array = work->array;
    const uint64_t size = array->meta->chunk_size;
    if (array->objects || (job->piece.covers && vz_grid_is_full(array->meta, job->piece.chunk)))
        return false;
    w->unit = vz_chain_range_unit(&array->chain, stored);
    if (w->unit == 0 || w->unit >= size)
        return false;
    const uint64_t blocks = (size - 1) / w->unit + 1;
    w->unit *= (blocks - 1) / UNITS_MAX + 1;
    const uint64_t units = (size - 1) / w->unit + 1;
    if (!vz_piece_walk(&work->layout, &job->piece, want_box, w, NULL))
        return false;
    return (uint64_t)__builtin_popcountll(w->bits) <= units - (units + WORTH_FRACTION - 1) / WORTH_FRACTION;
}

bool vz_chunk_decode_piece(const vz_work *work, const vz_job *job, vz_bytes stored, uint8_t *into, vz_arena *arena,
                           unsigned worker, vz_error *err)
{
    wanted w = {.element = work->layout.chunk_element};
    const uint64_t size = work->array->meta->chunk_size;
    if (!find_wanted(work, job, stored, &w))
        return vz_chunk_decode(work->array, stored, into, arena, worker, err);
    for (uint64_t low = 0, high; low < size; low = high) {
        const bool is_wanted = w.bits >> (low / w.unit) & 1;
        for (high = low; high < size && (w.bits >> (high / w.unit) & 1) == is_wanted;)
            high += w.unit;
        high = high < size ? high : size;
        if (is_wanted && !vz_chain_decode_range(&work->array->chain, stored, low, high - low, into + low, worker, err))
            return false;
    }
    return true;
}
