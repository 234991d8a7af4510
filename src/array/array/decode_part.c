/* decode_part.c - decodes only the needed part of a chunk. A codec that can decode parts gets a
 * list of them. Of a codec that decodes in blocks, blocks outside the selection are skipped. */
#include "array/chunks/array_state.h"
#include "array/chunks/transfer_work.h"
#include "array/selection/selection.h"
#include "base/os/thread.h"

enum {
    UNITS_MAX = 64,    /* of a chunk, at most; where it has more blocks, several are one unit */
    LINES_MAX = 4096,  /* of a box that are looked at one by one */
    PARTS_MAX = 1024,  /* of a chunk that are decoded one by one */
    NEAR = 64,         /* bytes between two parts that are not worth leaving out */
    WORTH_FRACTION = 4 /* a range costs one more copy: worth it where a quarter of the chunk is left
                        * out */
};

typedef struct wanted {
    uint64_t element, unit; /* bytes */
    uint64_t bits;          /* units in which something wanted lies */
    vz_codec_part *parts;   /* of PARTS_MAX */
    size_t count;
    bool no_parts; /* too many, or not in order */
} wanted;

static void add_part(wanted *w, uint64_t low, uint64_t high)
{
    vz_codec_part *last = w->count ? &w->parts[w->count - 1] : NULL;
    w->no_parts = w->no_parts || (last && low < last->offset);
    if (last && low <= last->offset + last->size + NEAR)
        last->size = high > last->offset + last->size ? high - last->offset : last->size;
    else if (w->count < PARTS_MAX)
        w->parts[w->count++] = (vz_codec_part){low, high - low};
    else
        w->no_parts = true;
}

static void want(wanted *w, uint64_t low, uint64_t high)
{
    for (uint64_t i = low / w->unit; i <= (high - 1) / w->unit; i++)
        w->bits |= (uint64_t)1 << i;
    add_part(w, low, high);
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
static bool find_wanted(const vz_work *work, const vz_work_job *job, vz_bytes stored, wanted *w)
{
    const vz_array *array = work->array;
    const uint64_t size = array->meta->chunk_size;
    if (array->objects || array->meta->edges || (job->piece.covers && vz_grid_is_full(array->meta, job->piece.chunk)))
        return false;
    w->unit = vz_chain_range_unit(&array->chain, stored);
    if (w->unit == 0 || (w->unit >= size && !vz_chain_has_parts(&array->chain)))
        return false;
    const uint64_t blocks = (size - 1) / w->unit + 1;
    w->unit *= (blocks - 1) / UNITS_MAX + 1;
    return vz_piece_walk(&work->layout, &job->piece, want_box, w, NULL);
}

static bool is_worth(uint64_t part, uint64_t of)
{
    return part <= of - (of + WORTH_FRACTION - 1) / WORTH_FRACTION;
}

static bool decode_parts(const vz_work *work, const wanted *w, vz_bytes stored, uint8_t *into, unsigned worker)
{
    const vz_chain *chain = &work->array->chain;
    uint64_t bytes = 0;
    for (size_t i = 0; i < w->count; i++)
        bytes += w->parts[i].size;
    return vz_chain_has_parts(chain) && !w->no_parts && is_worth(bytes, work->array->meta->chunk_size) &&
           vz_chain_decode_parts(chain, stored, w->parts, w->count, into, worker);
}

static bool decode_units(const vz_work *work, const wanted *w, vz_bytes stored, uint8_t *into, unsigned worker,
                         vz_error *err)
{
    const uint64_t size = work->array->meta->chunk_size;
    for (uint64_t low = 0, high; low < size; low = high) {
        const bool is_wanted = w->bits >> (low / w->unit) & 1;
        for (high = low; high < size && (w->bits >> (high / w->unit) & 1) == is_wanted;)
            high += w->unit;
        high = high < size ? high : size;
        if (is_wanted && !vz_chain_decode_range(&work->array->chain, stored, low, high - low, into + low, worker, err))
            return false;
    }
    return true;
}

bool vz_chunk_decode_piece(const vz_work *work, const vz_work_job *job, vz_bytes stored, uint8_t *into, vz_arena *arena,
                           unsigned worker, vz_error *err)
{
    vz_codec_part parts[PARTS_MAX];
    wanted w = {.element = work->layout.chunk_element, .parts = parts};
    if (find_wanted(work, job, stored, &w)) {
        const uint64_t units = (work->array->meta->chunk_size - 1) / w.unit + 1;
        if (decode_parts(work, &w, stored, into, worker))
            return true;
        if (is_worth((uint64_t)__builtin_popcountll(w.bits), units))
            return decode_units(work, &w, stored, into, worker, err);
    }
    return vz_chunk_decode(work->array, job->piece.chunk, stored, into, arena, worker, err);
}

bool vz_chunk_decode_rows(const vz_work *work, vz_work_job *job, vz_bytes stored, unsigned worker)
{
    vz_codec_part parts[PARTS_MAX];
    const vz_chain *chain = &work->array->chain;
    if (work->array->objects || work->array->meta->edges || work->transfer->texts || !vz_chain_has_parts(chain))
        return false;
    const size_t count = vz_rows_parts(work, job, parts, PARTS_MAX);
    return count > 0 && vz_chain_decode_parts(chain, stored, parts, count, NULL, worker);
}
