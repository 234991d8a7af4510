/* partial_write.c - which elements of a chunk were written, and putting them over what another
 * process wrote. */
#include "array/chunks/chunks_internal.h"
#include "array/chunks/array_state.h"
#include "array/chunks/array_state_internal.h"
#include "array/selection/selection.h"
#include <stdlib.h>

static size_t words_for(uint64_t count)
{
    return (size_t)((count + 63) / 64);
}

void vz_change_clear(vz_chunk_change *change)
{
    free(change->written);
    *change = (vz_chunk_change){0};
}

void vz_change_begin(vz_chunk_change *change, bool found, const vz_version *version)
{
    vz_change_clear(change);
    change->base = !found ? VZ_BASE_MISSING : version->size > 0 ? VZ_BASE_VERSION : VZ_BASE_UNKNOWN;
    change->version = *version;
}

void vz_change_whole(vz_chunk_change *change)
{
    vz_change_clear(change);
    change->kind = VZ_CHANGE_WHOLE;
}

static bool make_part(vz_chunk_change *change, uint64_t count, vz_error *err)
{
    if (!change->written && !(change->written = calloc(words_for(count), sizeof *change->written)))
        return vz_fail_memory(err);
    change->kind = VZ_CHANGE_PART;
    return true;
}

bool vz_change_add(vz_chunk_change *change, const vz_chunk_change *more, uint64_t count, vz_error *err)
{
    if (change->kind == VZ_CHANGE_WHOLE || more->kind == VZ_CHANGE_NONE)
        return true;
    if (more->kind == VZ_CHANGE_WHOLE) {
        vz_change_whole(change);
        return true;
    }
    if (!make_part(change, count, err))
        return false;
    for (size_t i = 0; i < words_for(count); i++)
        change->written[i] |= more->written[i];
    return true;
}

bool vz_change_is_of(const vz_chunk_change *change, bool found, const vz_version *version)
{
    if (change->base == VZ_BASE_MISSING)
        return !found;
    return change->base == VZ_BASE_VERSION && found && version->lasts && vz_version_equal(&change->version, version);
}

/* ---- which elements ---- */

static void set_bits(uint64_t *bits, uint64_t first, uint64_t count)
{
    for (; count > 0 && first % 64 != 0; first++, count--)
        bits[first / 64] |= (uint64_t)1 << first % 64;
    for (; count >= 64; first += 64, count -= 64)
        bits[first / 64] = UINT64_MAX;
    for (; count > 0; first++, count--)
        bits[first / 64] |= (uint64_t)1 << first % 64;
}

bool vz_change_run(vz_chunk_change *change, uint64_t first, uint64_t length, uint64_t count, vz_error *err)
{
    if (change->kind == VZ_CHANGE_WHOLE)
        return true;
    if (!make_part(change, count, err))
        return false;
    set_bits(change->written, first, length);
    return true;
}

/* Offsets and steps of the box are elements. */
static bool mark_box(void *context, const vz_box *box, vz_error *err)
{
    uint64_t *bits = context;
    const vz_loop line = box->loop_count ? box->loops[box->loop_count - 1] : (vz_loop){1, 1, 1};
    const unsigned outer = box->loop_count ? box->loop_count - 1 : 0;
    uint64_t low[2 * VZ_MAX_RANK] = {0}, high[2 * VZ_MAX_RANK], at[2 * VZ_MAX_RANK] = {0};
    (void)err;
    for (unsigned i = 0; i < outer; i++)
        high[i] = box->loops[i].count;
    do {
        uint64_t first = box->chunk_offset;
        for (unsigned i = 0; i < outer; i++)
            first += at[i] * (uint64_t)box->loops[i].chunk_step;
        if (line.chunk_step == 1)
            set_bits(bits, first, line.count);
        for (uint64_t i = 0; line.chunk_step != 1 && i < line.count; i++)
            set_bits(bits, first + i * (uint64_t)line.chunk_step, 1);
    } while (vz_grid_next(outer, low, high, at));
    return true;
}

bool vz_change_piece(vz_chunk_change *change, const vz_box_strides *layout, const vz_selection_in_chunk *piece,
                     vz_error *err)
{
    vz_box_strides elements = *layout;
    if (change->kind == VZ_CHANGE_WHOLE)
        return true;
    if (piece->covers) {
        vz_change_whole(change);
        return true;
    }
    elements.chunk_element = elements.memory_element = 1;
    for (unsigned d = 0; d < layout->meta->rank; d++)
        elements.steps[d] /= layout->chunk_element;
    elements.line_step /= layout->chunk_element;
    return make_part(change, layout->meta->chunk_count, err) &&
           vz_piece_walk(&elements, piece, mark_box, change->written, err);
}

/* ---- merging ---- */

static bool decode_or_fill(vz_array *array, const uint64_t *chunk, const vz_bytes *stored, void *into, vz_arena *arena,
                           unsigned worker, vz_error *err)
{
    if (stored)
        return vz_chunk_decode(array, chunk, *stored, into, arena, worker, err);
    vz_chunk_fill(array, into);
    return true;
}

static void copy_written(const vz_array *array, const uint64_t *written, const uint8_t *from, uint8_t *to)
{
    const size_t size = array->meta->dtype->size;
    for (uint64_t i = 0; i < array->meta->chunk_count; i++)
        if (written[i / 64] >> i % 64 & 1)
            memcpy(to + i * size, from + i * size, size);
}

static bool encode_merged(vz_array *array, const uint64_t *chunk, const uint8_t *decoded, vz_buffer *out,
                          unsigned worker, vz_error *err)
{
    const vz_meta *meta = array->meta;
    if (meta->edges)
        return vz_chunk_encode_uneven(array, chunk, decoded, out, worker, err);
    return array->objects
               ? vz_chain_encode_items(&array->chain, (const vz_item *)decoded, meta->chunk_count, out, worker, err)
               : vz_chain_encode(&array->chain, decoded, meta->chunk_size, out, worker, err);
}

bool vz_change_merge(vz_array *array, const uint64_t *chunk, const vz_chunk_change *change, const vz_bytes *ours,
                     const vz_bytes *theirs, vz_buffer *out, unsigned worker, vz_error *err)
{
    const vz_meta *meta = array->meta;
    vz_arena arena = {0};
    uint8_t *new = malloc(meta->chunk_size), *old = malloc(meta->chunk_size);
    bool ok = (new &&old) || vz_fail_memory(err);
    ok = ok && decode_or_fill(array, chunk, ours, new, &arena, worker, err) &&
         decode_or_fill(array, chunk, theirs, old, &arena, worker, err);
    if (ok) {
        copy_written(array, change->written, new, old);
        if (array->rounds) /* as HDF5 rounds all of a chunk that it writes */
            vz_round_chunk(&array->rounding, old, meta->chunk_count);
        ok = encode_merged(array, chunk, old, out, worker, err);
    }
    free(new);
    free(old);
    vz_arena_clear(&arena);
    return ok;
}
