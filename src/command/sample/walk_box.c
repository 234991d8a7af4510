/* walk_box.c - the elements of a box of an array, read in pieces that cover whole chunks where they
 * can. A piece that fails is cut into smaller ones, so that what is damaged is one chunk. */
#include "base/os/process.h"
#include "command/sample/sample_internal.h"
#include <stdlib.h>
#include <string.h>

#define ATTEMPTS_MAX 256 /* reads that fail, before the rest of a piece counts as unreadable */

static bool walk_piece(vz_sample_walk *walk, const uint64_t *start, const uint64_t *count, vz_error *err);
static bool walk_halves(vz_sample_walk *walk, const uint64_t *start, const uint64_t *count, vz_error *err);

/* ---- chunks of a box ---- */

static uint64_t chunks_along(const vz_sample_chunk_list *list, unsigned i, const uint64_t *start, const uint64_t *count)
{
    return vz_sample_chunk_at(list, i, start[i] + count[i] - 1) - vz_sample_chunk_at(list, i, start[i]) + 1;
}

uint64_t vz_sample_chunks_touched(const vz_sample_chunk_list *list, const uint64_t *start, const uint64_t *count)
{
    uint64_t touched = 1;
    for (unsigned i = 0; i < list->rank; i++)
        touched = vz_sample_product(touched, chunks_along(list, i, start, count));
    return touched;
}

uint64_t vz_sample_chunks_stored(const vz_sample_chunk_list *list, const uint64_t *start, const uint64_t *count,
                                 uint64_t most)
{
    uint64_t at[VZ_SAMPLE_RANK_MAX], stored = 0;
    const uint64_t touched = vz_sample_chunks_touched(list, start, count);
    for (unsigned i = 0; i < list->rank; i++)
        at[i] = vz_sample_chunk_at(list, i, start[i]);
    if (!list->is_complete || (!list->is_one && list->count == list->possible))
        return touched < most ? touched : most;
    for (uint64_t n = 0; n < touched && stored < most; n++) {
        uint64_t number = 0;
        for (unsigned i = 0; i < list->rank; i++)
            number = number * list->grid[i] + at[i];
        stored += vz_sample_chunk_find(list, number) != NULL;
        for (unsigned i = list->rank; i-- > 0;) {
            if (++at[i] <= vz_sample_chunk_at(list, i, start[i] + count[i] - 1))
                break;
            at[i] = vz_sample_chunk_at(list, i, start[i]);
        }
    }
    return stored;
}

static bool is_stored_at(const vz_sample_chunk_list *list, const uint64_t *at)
{
    uint64_t number = 0;
    if (!list->is_complete)
        return true;
    for (unsigned i = 0; i < list->rank; i++)
        number = number * list->grid[i] + vz_sample_chunk_at(list, i, at[i]);
    return vz_sample_chunk_find(list, number) != NULL;
}

/* ---- runs ---- */

/* The runs of a piece whose elements, if there are any, lie in memory. */
static bool visit_runs(vz_sample_walk *walk, const uint64_t *start, const uint64_t *count, const char *elements,
                       vz_sample_pixel state, vz_error *err)
{
    const vz_sample_chunk_list *list = vz_sample_chunk_list_of(walk->array);
    const unsigned rank = list->rank, last = rank ? rank - 1 : 0;
    uint64_t at[VZ_SAMPLE_RANK_MAX] = {0};
    memcpy(at, start, rank * sizeof *at);
    for (;;) {
        const uint64_t end = rank ? start[last] + count[last] : 1;
        while (at[last] < end) {
            const uint64_t chunk = rank ? vz_sample_chunk_at(list, last, at[last]) : 0;
            const uint64_t limit = rank ? vz_sample_chunk_start(list, last, chunk + 1) : 1;
            const uint64_t length = (limit < end ? limit : end) - at[last];
            const bool is_stored = state != VZ_PIXEL_VALUE || is_stored_at(list, at);
            const vz_sample_run run = {.at = at,
                                       .count = length,
                                       .elements = elements && is_stored ? elements : NULL,
                                       .state = is_stored ? state : VZ_PIXEL_ABSENT};
            if (!walk->visit(walk->context, &run, err))
                return false;
            elements = elements ? elements + length * walk->size : NULL;
            at[last] += length;
        }
        unsigned i = last;
        at[last] = rank ? start[last] : 0;
        while (i-- > 0) {
            if (++at[i] < start[i] + count[i])
                break;
            at[i] = start[i];
        }
        if (i == UINT32_MAX)
            return true;
    }
}

/* ---- reading ---- */

static bool reserve(vz_sample_walk *walk, uint64_t bytes, vz_error *err)
{
    if (bytes <= walk->room_size)
        return true;
    free(walk->room);
    walk->room = malloc(bytes);
    walk->room_size = walk->room ? bytes : 0;
    return walk->room || vz_fail_memory(err);
}

static void note_unreadable(vz_sample_walk *walk, const uint64_t *start, uint64_t chunks, const vz_error *failed)
{
    const vz_sample_chunk_list *list = vz_sample_chunk_list_of(walk->array);
    char at[256] = "";
    size_t length = 0;
    for (unsigned i = 0; i < list->rank && length < sizeof at - 24; i++)
        length += (size_t)snprintf(at + length, sizeof at - length, "%s%llu", i ? ", " : "",
                                   (unsigned long long)vz_sample_chunk_at(list, i, start[i]));
    if (walk->unreadable == 0)
        snprintf(walk->why, sizeof walk->why, "chunk (%s): %.*s", at, (int)(sizeof walk->why - sizeof at - 16),
                 failed->text);
    walk->unreadable += chunks;
}

static bool read_piece(vz_sample_walk *walk, const uint64_t *start, const uint64_t *count, uint64_t elements,
                       vz_error *err)
{
    vz_sample_part part = {.rank = vz_sample_chunk_list_of(walk->array)->rank};
    hid_t space = H5I_INVALID_HID, memory = H5I_INVALID_HID;
    for (unsigned i = 0; i < part.rank; i++) {
        part.start[i] = start[i];
        part.count[i] = count[i];
        part.step[i] = 1;
    }
    vz_error failed = VZ_ERROR_NONE;
    bool ok = reserve(walk, elements * walk->size, err) && vz_sample_select(walk->array, &part, &space, &memory, err);
    const bool was_read =
        ok && (H5Dread(walk->array->id, walk->type, memory, space, vz_sample_dxpl(walk->array), walk->room) >= 0 ||
               vz_convert_h5_fail(&failed, "cannot be read"));
    const uint64_t touched = vz_sample_chunks_touched(vz_sample_chunk_list_of(walk->array), start, count);
    if (was_read) {
        ok = visit_runs(walk, start, count, walk->room, VZ_PIXEL_VALUE, err);
        if (vz_sample_is_variable(walk->type))
            H5Treclaim(walk->type, memory, walk->array->dxpl, walk->room);
    } else if (ok && touched > 1 && ++walk->attempts < ATTEMPTS_MAX) {
        ok = walk_halves(walk, start, count, err);
    } else if (ok) {
        note_unreadable(walk, start, touched, &failed);
        ok = visit_runs(walk, start, count, NULL, VZ_PIXEL_UNREADABLE, err);
    }
    vz_convert_id_close(memory);
    vz_convert_id_close(space);
    return ok;
}

static bool walk_piece(vz_sample_walk *walk, const uint64_t *start, const uint64_t *count, vz_error *err)
{
    const vz_sample_chunk_list *list = vz_sample_chunk_list_of(walk->array);
    uint64_t elements = 1;
    for (unsigned i = 0; i < list->rank; i++)
        elements = vz_sample_product(elements, count[i]);
    const uint64_t bytes = vz_sample_product(elements, walk->size);
    if (vz_sample_chunks_stored(list, start, count, 1) == 0)
        return visit_runs(walk, start, count, NULL, VZ_PIXEL_ABSENT, err);
    if (vz_os_now_ns() > walk->until) {
        walk->has_skipped = true;
        return visit_runs(walk, start, count, NULL, VZ_PIXEL_SKIPPED, err);
    }
    if (bytes > VZ_SAMPLE_BOX_MAX && elements > 1 && (list->is_one || vz_sample_chunks_touched(list, start, count) > 1))
        return walk_halves(walk, start, count, err);
    return read_piece(walk, start, count, elements, err);
}

/* ---- a piece in two ---- */

/* Between chunks, if it touches several. */
static bool walk_halves(vz_sample_walk *walk, const uint64_t *start, const uint64_t *count, vz_error *err)
{
    const vz_sample_chunk_list *list = vz_sample_chunk_list_of(walk->array);
    uint64_t at[VZ_SAMPLE_RANK_MAX], size[VZ_SAMPLE_RANK_MAX];
    unsigned i = 0;
    memcpy(at, start, list->rank * sizeof *at);
    memcpy(size, count, list->rank * sizeof *size);
    while (i < list->rank && chunks_along(list, i, start, count) == 1)
        i++;
    uint64_t first;
    if (i < list->rank) {
        const uint64_t middle = vz_sample_chunk_at(list, i, start[i]) + chunks_along(list, i, start, count) / 2;
        first = vz_sample_chunk_start(list, i, middle) - start[i];
    } else {
        for (i = 0; i + 1 < list->rank && count[i] == 1; i++)
            ;
        first = count[i] / 2;
    }
    size[i] = first;
    if (!walk_piece(walk, at, size, err))
        return false;
    at[i] += first;
    size[i] = count[i] - first;
    return walk_piece(walk, at, size, err);
}

bool vz_sample_walk_box(vz_sample_walk *walk, const uint64_t *start, const uint64_t *count, vz_error *err)
{
    for (unsigned i = 0; i < walk->array->facts.rank; i++)
        if (count[i] == 0)
            return true;
    return walk->array->facts.is_null || walk_piece(walk, start, count, err);
}

void vz_sample_walk_end(vz_sample_walk *walk)
{
    free(walk->room);
    walk->room = NULL;
    walk->room_size = 0;
}
