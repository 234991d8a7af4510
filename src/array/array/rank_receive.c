/* rank_receive.c - what ranks sent of chunks that this one owns: put together and stored. */
#include "array/selection/selection.h"
#include "array/array/ranks_internal.h"
#include "array/chunks/shard_state.h"
#include <stdlib.h>

/* ---- which is next ---- */

/* A parcel where it lies, and what tells its turn. */
typedef struct arrived {
    const vz_meta *meta;
    const uint8_t *at;
    size_t number; /* in the order in which ranks sent them */
} arrived;

static uint64_t coordinate(const arrived *one, unsigned d)
{
    uint64_t chunk;
    memcpy(&chunk, one->at + sizeof(vz_parcel) + d * sizeof chunk, sizeof chunk);
    return chunk;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_places(const arrived *a, const arrived *b)
{
    const vz_meta *meta = a->meta;
    int order = 0;
    for (unsigned d = 0; order == 0 && meta->shard_levels > 0 && d < meta->rank; d++)
        order = compare_numbers(vz_grid_shard_at(meta, d, coordinate(a, d) * meta->chunks[d]),
                                vz_grid_shard_at(meta, d, coordinate(b, d) * meta->chunks[d]));
    for (unsigned d = 0; order == 0 && d < meta->rank; d++)
        order = compare_numbers(coordinate(a, d), coordinate(b, d));
    return order;
}

/* All of a shard together, and in it of a chunk; what is stored before what changes it. */
static int compare(const void *left, const void *right)
{
    const arrived *a = left, *b = right;
    vz_parcel first, second;
    int order = compare_places(a, b);
    if (order != 0)
        return order;
    memcpy(&first, a->at, sizeof first);
    memcpy(&second, b->at, sizeof second);
    order = compare_numbers(first.kind == VZ_PARCEL_ELEMENTS, second.kind == VZ_PARCEL_ELEMENTS);
    return order ? order : compare_numbers(a->number, b->number);
}

/* Looks at all of them, so that those behind can be trusted. list NULL: counts. */
static bool walk(const vz_array *array, arrived *list, size_t *count, vz_error *err)
{
    const vz_array_sharing *sharing = array->sharing;
    vz_parcel parcel;
    uint64_t chunk[VZ_MAX_RANK] = {0};
    *count = 0;
    for (int i = 0; i < sharing->comm->size; i++) {
        const vz_buffer *from = &sharing->from[i];
        for (size_t at = 0, before; at < from->size; at += before + (size_t)parcel.size, (*count)++) {
            if (!vz_parcel_read(array->meta, from->data + at, from->size - at, &parcel, chunk, &before, err))
                return false;
            if (list)
                list[*count] = (arrived){array->meta, from->data + at, *count};
        }
    }
    return true;
}

/* ---- putting together ---- */

/* Elements outside of the array are no rank's, and are written as they are: fill. */
static void mark_outside(const vz_meta *meta, const uint64_t *chunk, uint64_t *bits)
{
    const vz_box_strides layout = vz_layout_of(meta, NULL, meta->dtype->size);
    uint64_t low[VZ_MAX_RANK] = {0}, at[VZ_MAX_RANK] = {0}, high[VZ_MAX_RANK], inner[VZ_MAX_RANK];
    if (vz_grid_is_full(meta, chunk))
        return;
    for (unsigned d = 0; d < meta->rank; d++) {
        high[d] = meta->chunks[d];
        inner[d] = vz_grid_extent(meta, d, chunk[d]);
    }
    do {
        uint64_t place = 0;
        bool inside = true;
        for (unsigned d = 0; d < meta->rank; d++) {
            inside = inside && at[d] < inner[d];
            place += at[d] * (layout.steps[d] / meta->dtype->size);
        }
        if (!inside)
            bits[place / 64] |= (uint64_t)1 << place % 64;
    } while (vz_grid_next(meta->rank, low, high, at));
}

void vz_owners_complete(const vz_array *array, vz_cached *entry)
{
    vz_chunk_change *change = &entry->change;
    if (!entry->dirty || change->kind != VZ_CHANGE_PART)
        return;
    mark_outside(array->meta, entry->chunk, change->written);
    if (vz_array_count_bits(change->written, array->meta->chunk_count) == array->meta->chunk_count)
        vz_change_whole(change);
}

/* An entry of which nothing is known but what is put into it. */
static vz_cached *entry_for(vz_array *array, const uint64_t *chunk, vz_error *err)
{
    vz_cached *entry = vz_cache_find(&array->cache, chunk);
    if (entry)
        return entry;
    if (!vz_cached_make_room(array, vz_cache_cost(&array->cache), err) ||
        !(entry = vz_cache_add(&array->cache, chunk, err)))
        return NULL;
    entry->pins = 0;
    if (vz_cached_fill(array, entry, err))
        return entry;
    vz_cache_remove(&array->cache, entry);
    return NULL;
}

static void put_elements(const vz_array *array, vz_cached *entry, const uint64_t *bits, const uint8_t *elements)
{
    const size_t element = array->meta->dtype->size;
    for (vz_array_bit_run run = {0}; vz_array_next_run(bits, array->meta->chunk_count, &run);) {
        memcpy(entry->data + run.first * element, elements, run.count * element);
        elements += run.count * element;
    }
}

static bool take_elements(vz_array *array, const uint64_t *chunk, uint64_t *bits, const uint8_t *elements,
                          vz_error *err)
{
    const vz_chunk_change more = {.kind = bits ? VZ_CHANGE_PART : VZ_CHANGE_WHOLE, .written = bits};
    vz_cached *entry = entry_for(array, chunk, err);
    if (!entry || !vz_change_add(&entry->change, &more, array->meta->chunk_count, err))
        return false;
    if (bits)
        put_elements(array, entry, bits, elements);
    else
        memcpy(entry->data, elements, array->meta->chunk_size);
    vz_cache_recount(&array->cache, entry, true);
    return true;
}

static bool take_stored(vz_array *array, const uint64_t *chunk, uint64_t *bits, const vz_parcel *parcel,
                        const uint8_t *bytes, vz_error *err)
{
    vz_chunk_change change = {.kind = VZ_CHANGE_PART, .written = bits};
    const vz_bytes value = {bytes, (size_t)parcel->size};
    return array->source->store(array, chunk, parcel->kind == VZ_PARCEL_STORED ? &value : NULL, bits ? &change : NULL,
                                0, err);
}

static bool makes_sense(const vz_array *array, const vz_parcel *parcel, const uint64_t *bits)
{
    const uint64_t all = array->meta->chunk_count;
    if (parcel->kind != VZ_PARCEL_ELEMENTS)
        return array->shards != NULL;
    return parcel->size == (bits ? vz_array_count_bits(bits, all) : all) * array->meta->dtype->size;
}

static bool take_parcel(vz_array *array, const arrived *one, uint64_t *bits, vz_error *err)
{
    vz_parcel parcel;
    uint64_t chunk[VZ_MAX_RANK] = {0};
    size_t before;
    if (!vz_parcel_read(array->meta, one->at, SIZE_MAX, &parcel, chunk, &before, err))
        return false;
    uint64_t *const given = parcel.form == VZ_PARCEL_ALL ? NULL : bits;
    if ((given && !vz_parcel_bits(array->meta, &parcel, one->at, given)) || !makes_sense(array, &parcel, given))
        return vz_fail(err, VZ_CORRUPT, "what another rank sent makes no sense");
    return parcel.kind == VZ_PARCEL_ELEMENTS ? take_elements(array, chunk, given, one->at + before, err)
                                             : take_stored(array, chunk, given, &parcel, one->at + before, err);
}

/* Before there is room made for another chunk, this one is as whole as it gets. */
static void complete_chunk_of(vz_array *array, const arrived *one)
{
    uint64_t chunk[VZ_MAX_RANK] = {0};
    for (unsigned d = 0; d < array->meta->rank; d++)
        chunk[d] = coordinate(one, d);
    vz_cached *entry = vz_cache_find(&array->cache, chunk);
    if (entry)
        vz_owners_complete(array, entry);
}

bool vz_owners_take(vz_array *array, vz_error *err)
{
    size_t count;
    if (!walk(array, NULL, &count, err))
        return false;
    if (count == 0)
        return true;
    arrived *list = malloc(count * sizeof *list);
    uint64_t *bits = malloc(vz_parcel_bits_size(array->meta) + 1);
    bool ok = ((list && bits) || vz_fail_memory(err)) && walk(array, list, &count, err);
    if (ok)
        qsort(list, count, sizeof *list, compare);
    for (size_t i = 0; ok && i < count; i++) {
        ok = take_parcel(array, &list[i], bits, err);
        if (i + 1 == count || compare_places(&list[i], &list[i + 1]) != 0)
            complete_chunk_of(array, &list[i]);
    }
    free(list);
    free(bits);
    return ok;
}
