/* rank_messages.c - what ranks send each other of a chunk, as bytes. */
#include "array/selection/selection.h"
#include "array/array/ranks_internal.h"

size_t vz_parcel_bits_size(const vz_meta *meta)
{
    return (size_t)((meta->chunk_count + 63) / 64) * sizeof(uint64_t);
}

/* ---- runs of bits ---- */

static uint64_t next_bit(const uint64_t *bits, uint64_t from, uint64_t end, bool set)
{
    while (from < end) {
        const uint64_t word = (set ? bits[from / 64] : ~bits[from / 64]) >> from % 64;
        if (word) {
            from += (uint64_t)__builtin_ctzll(word);
            return from < end ? from : end;
        }
        from += 64 - from % 64;
    }
    return end;
}

bool vz_array_next_run(const uint64_t *bits, uint64_t count, vz_array_bit_run *run)
{
    run->first = next_bit(bits, run->first + run->count, count, true);
    run->count = next_bit(bits, run->first, count, false) - run->first;
    return run->count > 0;
}

uint64_t vz_array_count_bits(const uint64_t *bits, uint64_t count)
{
    uint64_t set = 0;
    for (vz_array_bit_run run = {0}; vz_array_next_run(bits, count, &run);)
        set += run.count;
    return set;
}

/* ---- writing ---- */

static uint64_t count_runs(const vz_meta *meta, const uint64_t *bits, uint64_t most)
{
    uint64_t count = 0;
    for (vz_array_bit_run run = {0}; count <= most && vz_array_next_run(bits, meta->chunk_count, &run);)
        count++;
    return count;
}

/* A thin part of a large chunk has few runs, and of a chunk a bit for each element would be more
 * than it. */
static void choose_form(vz_parcel *parcel, const vz_meta *meta, const uint64_t *bits)
{
    const uint64_t most = vz_parcel_bits_size(meta) / sizeof(vz_parcel_run);
    parcel->form = bits ? VZ_PARCEL_BITS : VZ_PARCEL_ALL;
    parcel->runs = bits && meta->chunk_count <= UINT32_MAX ? count_runs(meta, bits, most) : most + 1;
    if (bits && parcel->runs <= most)
        parcel->form = VZ_PARCEL_RUNS;
    else
        parcel->runs = 0;
}

static bool append_runs(vz_buffer *to, const vz_meta *meta, const uint64_t *bits, vz_error *err)
{
    for (vz_array_bit_run run = {0}; vz_array_next_run(bits, meta->chunk_count, &run);) {
        const vz_parcel_run packed = {(uint32_t)run.first, (uint32_t)run.count};
        if (!vz_buffer_append(to, &packed, sizeof packed, err))
            return false;
    }
    return true;
}

bool vz_parcel_begin(vz_buffer *to, vz_parcel *parcel, const vz_meta *meta, const uint64_t *chunk, const uint64_t *bits,
                     vz_error *err)
{
    choose_form(parcel, meta, bits);
    if (!vz_buffer_append(to, parcel, sizeof *parcel, err) ||
        !vz_buffer_append(to, chunk, meta->rank * sizeof *chunk, err))
        return false;
    if (parcel->form == VZ_PARCEL_RUNS)
        return append_runs(to, meta, bits, err);
    return parcel->form == VZ_PARCEL_ALL || vz_buffer_append(to, bits, vz_parcel_bits_size(meta), err);
}

/* ---- reading ---- */

static bool fail_sense(vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "what another rank sent makes no sense");
}

bool vz_parcel_read(const vz_meta *meta, const uint8_t *at, size_t left, vz_parcel *parcel, uint64_t *chunk,
                    size_t *before, vz_error *err)
{
    const size_t place = meta->rank * sizeof *chunk;
    if (left < sizeof *parcel + place)
        return fail_sense(err);
    memcpy(parcel, at, sizeof *parcel);
    memcpy(chunk, at + sizeof *parcel, place);
    left -= sizeof *parcel + place;
    if (parcel->runs > left / sizeof(vz_parcel_run))
        return fail_sense(err);
    const size_t which = parcel->form == VZ_PARCEL_RUNS   ? (size_t)parcel->runs * sizeof(vz_parcel_run)
                         : parcel->form == VZ_PARCEL_BITS ? vz_parcel_bits_size(meta)
                                                          : 0;
    *before = sizeof *parcel + place + which;
    return (which <= left && parcel->size <= left - which && vz_grid_inside(meta, chunk)) || fail_sense(err);
}

static bool set_run(const vz_meta *meta, vz_parcel_run run, uint64_t *bits)
{
    if ((uint64_t)run.first + run.count > meta->chunk_count)
        return false;
    for (uint64_t i = run.first, end = i + run.count; i < end; i++)
        bits[i / 64] |= (uint64_t)1 << i % 64;
    return true;
}

bool vz_parcel_bits(const vz_meta *meta, const vz_parcel *parcel, const uint8_t *at, uint64_t *bits)
{
    const uint8_t *which = at + sizeof *parcel + meta->rank * sizeof(uint64_t);
    if (parcel->form == VZ_PARCEL_BITS) {
        memcpy(bits, which, vz_parcel_bits_size(meta));
        return true;
    }
    memset(bits, 0, vz_parcel_bits_size(meta));
    for (uint64_t i = 0; i < parcel->runs; i++) {
        vz_parcel_run run;
        memcpy(&run, which + i * sizeof run, sizeof run);
        if (!set_run(meta, run, bits))
            return false;
    }
    return true;
}
