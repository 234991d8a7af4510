/* box_io.c - a box of elements to or from a chunk that is in memory: copied, without a plan. */
#include "array/array/array.h"
#include "array/chunks/array_state.h"
#include "array/selection/selection.h"

/* Where a box lies in its chunk: lines of neighbours, and the dimensions around them. */
typedef struct place {
    uint64_t chunk[VZ_MAX_RANK], steps[VZ_MAX_RANK];
    uint64_t first, line; /* elements */
    unsigned around;      /* dimensions that are walked from line to line */
    bool covers;          /* all of the chunk that lies inside the array */
} place;

/* False: it does not lie inside one chunk, or not inside the array. */
static bool find_place(const vz_meta *meta, const vz_array_box *box, place *p)
{
    uint64_t step = 1;
    bool joined = true, covers = true;
    p->first = 0;
    p->line = 1;
    p->around = meta->rank;
    for (unsigned d = meta->rank; d-- > 0;) {
        const uint64_t side = meta->chunks[d], start = box->start[d], count = box->count[d];
        if (start >= meta->shape[d] || count > meta->shape[d] - start)
            return false;
        const uint64_t at = start / side, inside = start - at * side;
        if (count == 0 || count > side - inside)
            return false;
        p->chunk[d] = at;
        p->steps[d] = step;
        p->first += inside * step;
        if (joined) {
            p->line *= count;
            p->around = d;
        }
        joined = joined && count == side;
        covers = covers && inside == 0 && (count == side || count == meta->shape[d] - start);
        step *= side;
    }
    p->covers = covers;
    return true;
}

/* The chunk, if it is in memory and nothing but a copy is to be done. */
static vz_cached *find_entry(vz_array *array, const vz_array_box *box, place *p)
{
    if (!vz_array_has_cached(array) || array->meta->edges || !vz_meta_is_order(array->meta, false) ||
        !find_place(array->meta, box, p))
        return NULL;
    vz_cached *entry = vz_cache_find(&array->cache, p->chunk);
    return entry && entry->ready && !entry->pins ? entry : NULL;
}

typedef struct walk {
    uint64_t at[VZ_MAX_RANK];
    uint64_t first; /* of the current line, in elements of the chunk */
} walk;

/* false: that was the last line. */
static bool next_line(const vz_array_box *box, const place *p, walk *w)
{
    for (unsigned d = p->around; d-- > 0;) {
        w->first += p->steps[d];
        if (++w->at[d] < box->count[d])
            return true;
        w->first -= box->count[d] * p->steps[d];
        w->at[d] = 0;
    }
    return false;
}

/* As many elements as a line has. */
static void copy_line(const vz_number_conversion *conversion, void *to, size_t to_size, const void *from,
                      size_t from_size, uint64_t count)
{
    if (conversion)
        conversion->run(conversion, from, (ptrdiff_t)from_size, to, (ptrdiff_t)to_size, count);
    else
        memcpy(to, from, count * from_size);
}

bool vz_array_has_cached(const vz_array *array)
{
    return array->cache.count > 0 && !array->objects;
}

bool vz_array_read_box(vz_array *array, const vz_array_box *box)
{
    place p;
    const vz_cached *entry = find_entry(array, box, &p);
    if (!entry)
        return false;
    const size_t size = array->meta->dtype->size, memory_size = box->element_size;
    uint8_t *memory = box->buffer;
    walk w = {.first = p.first};
    do {
        copy_line(box->conversion, memory, memory_size, entry->data + w.first * size, size, p.line);
        memory += p.line * memory_size;
    } while (next_line(box, &p, &w));
    array->reads++;
    array->counts.cache_hits++;
    array->counts.staged_chunks++;
    return true;
}

/* A chunk that the box covers goes another way, unless some of it waits to be written. */
static vz_cached *find_to_write(vz_array *array, const vz_array_box *box, place *p)
{
    vz_cached *entry = array->sharing ? NULL : find_entry(array, box, p);
    return entry && (entry->dirty || !p->covers) ? entry : NULL;
}

bool vz_array_write_box(vz_array *array, const vz_array_box *box, bool *moved, vz_error *err)
{
    place p;
    vz_cached *entry = find_to_write(array, box, &p);
    *moved = entry != NULL;
    if (!entry)
        return true;
    if (!entry->dirty && !vz_chain_prepare(&array->chain, err))
        return false;
    const size_t size = array->meta->dtype->size, memory_size = box->element_size;
    const uint8_t *memory = box->buffer;
    walk w = {.first = p.first};
    if (p.covers)
        vz_change_whole(&entry->change);
    do {
        if (!vz_change_run(&entry->change, w.first, p.line, array->meta->chunk_count, err))
            return false; /* the first line: nothing is changed yet */
        copy_line(box->conversion, entry->data + w.first * size, size, memory, memory_size, p.line);
        memory += p.line * memory_size;
    } while (next_line(box, &p, &w));
    array->counts.cache_hits++;
    array->counts.staged_chunks++;
    if (!entry->dirty)
        vz_cache_recount(&array->cache, entry, true);
    return vz_cached_make_room(array, 0, err);
}
