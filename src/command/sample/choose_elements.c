/* choose_elements.c - of which elements of a large array statistics are made. */
#include "command/sample/sample_internal.h"
#include <string.h>

#define PICKS 16 /* places of which a sample is made, at least */

/* The box that the part spans. */
static void span_of(const vz_sample_part *part, uint64_t *start, uint64_t *count)
{
    for (unsigned i = 0; i < part->rank; i++) {
        start[i] = part->start[i];
        count[i] = part->count[i] ? (part->count[i] - 1) * part->step[i] + 1 : 0;
    }
}

static uint64_t elements_of(unsigned rank, const uint64_t *count)
{
    uint64_t elements = 1;
    for (unsigned i = 0; i < rank; i++)
        elements = count[i] == 0 ? 0 : vz_sample_product(elements, count[i]);
    return elements;
}

/* The elements that a stored chunk and the box have in common. False: there are none. */
static bool common_box(const vz_sample_chunk_list *list, uint64_t number, const uint64_t *start, const uint64_t *count,
                       uint64_t *at, uint64_t *size)
{
    for (unsigned i = list->rank; i-- > 0; number /= list->grid[i]) {
        const uint64_t chunk = number % list->grid[i], from = vz_sample_chunk_start(list, i, chunk),
                       end = vz_sample_chunk_start(list, i, chunk + 1), box_end = start[i] + count[i];
        at[i] = from > start[i] ? from : start[i];
        const uint64_t to = end < box_end ? end : box_end;
        if (to <= at[i])
            return false;
        size[i] = to - at[i];
    }
    return true;
}

/* Cuts a box to so many elements. */
static void cut_box(unsigned rank, uint64_t *count, uint64_t most)
{
    for (unsigned i = 0; i < rank && elements_of(rank, count) > most; i++) {
        const uint64_t rest = elements_of(rank, count) / count[i];
        count[i] = rest < most ? most / rest : 1;
    }
}

static bool walk_chunks(vz_sample_walk *walk, const uint64_t *start, const uint64_t *count, uint64_t picks,
                        uint64_t stored, uint64_t cap, vz_error *err)
{
    const vz_sample_chunk_list *list = vz_sample_chunk_list_of(walk->array);
    uint64_t at[VZ_SAMPLE_RANK_MAX], size[VZ_SAMPLE_RANK_MAX], met = 0, taken = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < list->count && taken < picks; i++) {
        if (!common_box(list, list->items[i].number, start, count, at, size))
            continue;
        if ((uint64_t)((unsigned __int128)taken * stored / picks) != met++)
            continue; /* they lie evenly */
        taken++;
        cut_box(list->rank, size, cap);
        ok = vz_sample_walk_box(walk, at, size, err);
    }
    return ok;
}

/* Of an array whose stored chunks are not known, or of one piece: boxes that lie evenly. */
static bool walk_evenly(vz_sample_walk *walk, unsigned rank, const uint64_t *start, const uint64_t *count,
                        uint64_t most, vz_error *err)
{
    uint64_t unit[VZ_SAMPLE_RANK_MAX], at[VZ_SAMPLE_RANK_MAX], size[VZ_SAMPLE_RANK_MAX], units = 1;
    bool ok = true;
    memcpy(unit, count, rank * sizeof *unit);
    cut_box(rank, unit, most / PICKS ? most / PICKS : 1);
    for (unsigned i = 0; i < rank; i++)
        units = vz_sample_product(units, (count[i] - 1) / unit[i] + 1);
    for (unsigned pick = 0; ok && pick < PICKS; pick++) {
        uint64_t number = (uint64_t)((unsigned __int128)pick * units / PICKS);
        for (unsigned i = rank; i-- > 0;) {
            const uint64_t along = (count[i] - 1) / unit[i] + 1, offset = number % along * unit[i];
            at[i] = start[i] + offset;
            size[i] = unit[i] < count[i] - offset ? unit[i] : count[i] - offset;
            number /= along;
        }
        ok = vz_sample_walk_box(walk, at, size, err);
    }
    return ok;
}

bool vz_sample_walk_chosen(vz_sample_walk *walk, const vz_sample_part *part, vz_sample_statistics *s, vz_error *err)
{
    const vz_sample_chunk_list *list = vz_sample_chunk_list_of(walk->array);
    uint64_t start[VZ_SAMPLE_RANK_MAX], count[VZ_SAMPLE_RANK_MAX], at[VZ_SAMPLE_RANK_MAX], size[VZ_SAMPLE_RANK_MAX];
    uint64_t stored = 0, elements = 0;
    span_of(part, start, count);
    for (size_t i = 0; i < list->count; i++)
        if (common_box(list, list->items[i].number, start, count, at, size)) {
            stored++;
            elements += elements_of(list->rank, size);
        }
    s->knows_absent = list->is_complete;
    s->absent_chunks = list->is_complete ? vz_sample_chunks_touched(list, start, count) - stored : 0;
    const uint64_t all = elements_of(list->rank, count), fits = VZ_SAMPLE_BYTES_MAX / walk->size,
                   most = fits < VZ_SAMPLE_ELEMENTS_MAX ? fits : VZ_SAMPLE_ELEMENTS_MAX;
    if (all <= most)
        return vz_sample_walk_box(walk, start, count, err);
    if (list->is_one || !list->is_known) {
        s->is_sampled = !list->is_known || stored > 0;
        return walk_evenly(walk, list->rank, start, count, most, err);
    }
    s->is_sampled = elements > most || !list->is_complete;
    const uint64_t chunk_bytes = vz_sample_chunk_bytes(walk->array), each = elements / (stored ? stored : 1) + 1;
    const uint64_t affordable = VZ_SAMPLE_BYTES_MAX / (chunk_bytes ? chunk_bytes : 1);
    uint64_t picks = elements <= most ? stored : most / each > PICKS ? most / each : PICKS;
    picks = picks > affordable && s->is_sampled ? affordable : picks;
    picks = picks > stored ? stored : picks ? picks : 1;
    return walk_chunks(walk, start, count, picks, stored, picks ? most / picks + 1 : most, err);
}
