/* ways.c - the ways to store a dataset that are tried. */
#include "command/advise/advise_internal.h"

#define MIB          ((uint64_t)1 << 20)
#define SMALL        (128 * (MIB >> 10))
#define LARGE        (8 * MIB)
#define SHARD        (16 * MIB)
#define SHARD_CHUNKS 8 /* chunks that the sample must have for shards to be worth a trial */

static uint64_t size_of(const vz_trial_source *source, const uint64_t *chunk)
{
    uint64_t size = source->element_size;
    for (unsigned i = 0; i < source->rank; i++)
        if (!vz_mul(size, chunk[i], &size))
            return UINT64_MAX;
    return size;
}

/* Halves dimensions, the longest first, until a chunk has that size; `kept` stays as it is as long
 * as another one can be halved. */
static void shrink(const vz_trial_source *source, uint64_t *chunk, uint64_t size, unsigned kept)
{
    while (size_of(source, chunk) > size) {
        unsigned longest = source->rank;
        for (unsigned i = 0; i < source->rank; i++)
            if (i != kept && chunk[i] > 1 && (longest == source->rank || chunk[i] > chunk[longest]))
                longest = i;
        if (longest == source->rank && (kept >= source->rank || chunk[kept] == 1))
            return;
        longest = longest == source->rank ? kept : longest;
        chunk[longest] = (chunk[longest] + 1) / 2;
    }
}

static bool is_new(const vz_trial_source *source, const vz_advise_ways *ways, const uint64_t *chunk)
{
    for (unsigned i = 0; i < ways->count; i++)
        if (memcmp(ways->list[i].trial.chunk, chunk, source->rank * sizeof *chunk) == 0)
            return false;
    return true;
}

static void add(vz_advise_ways *ways, const char *what, const char *compress, uint64_t shards, const uint64_t *chunk)
{
    if (ways->count == VZ_ADVISE_WAYS_MAX)
        return;
    vz_advise_way *way = &ways->list[ways->count++];
    *way = (vz_advise_way){.what = what, .compress = compress, .shards = shards};
    way->trial.keeps_filters = strcmp(compress, "auto") == 0;
    memcpy(way->trial.chunk, chunk, sizeof way->trial.chunk);
    const int used = snprintf(way->trial.options, sizeof way->trial.options,
                              "container=directory;dialect=plain;compress=%s;format=%d", compress, shards ? 3 : 2);
    if (shards)
        snprintf(way->trial.options + used, sizeof way->trial.options - (size_t)used, ";shards=%llu",
                 (unsigned long long)shards);
}

static void add_shape(const vz_trial_source *source, vz_advise_ways *ways, const char *what, uint64_t size,
                      unsigned kept)
{
    uint64_t chunk[VZ_CONVERT_RANK_MAX] = {0};
    memcpy(chunk, source->extent, source->rank * sizeof *chunk);
    shrink(source, chunk, size, kept);
    if (is_new(source, ways, chunk))
        add(ways, what, "blosc", 0, chunk);
}

/* Of one dimension all others are the same. A row keeps all dimensions but the first. */
void vz_advise_add_shapes(const vz_trial_source *source, vz_advise_ways *ways)
{
    const unsigned last = source->rank - 1;
    uint64_t chunk[VZ_CONVERT_RANK_MAX] = {0};
    for (unsigned i = 0; i < source->rank; i++)
        chunk[i] = source->chunk[i] < source->extent[i] ? source->chunk[i] : source->extent[i];
    add(ways, "as it is", "auto", 0, chunk); /* as h5zarr convert stores it without options */
    add_shape(source, ways, "1 MiB", MIB, source->rank);
    if (source->rank > 1) {
        add_shape(source, ways, "whole rows", MIB, last);
        add_shape(source, ways, "whole columns", MIB, 0);
    }
    add_shape(source, ways, "128 KiB", SMALL, source->rank);
    add_shape(source, ways, "8 MiB", LARGE, source->rank);
}

void vz_advise_add_codecs(vz_advise_ways *ways)
{
    static const char *const words[] = {"blosc", "zstd", "zlib", "none"};
    const vz_advise_way chosen = ways->list[ways->chosen];
    for (size_t i = strcmp(chosen.compress, "blosc") == 0; i < sizeof words / sizeof *words; i++)
        add(ways, chosen.what, words[i], 0, chosen.trial.chunk);
}

void vz_advise_add_shards(const vz_trial_source *source, vz_advise_ways *ways)
{
    const vz_advise_way chosen = ways->list[ways->chosen];
    const uint64_t chunk = size_of(source, chosen.trial.chunk), sample = size_of(source, source->extent);
    if (chunk > 0 && chunk < MIB && sample / chunk >= SHARD_CHUNKS)
        add(ways, chosen.what, chosen.compress, SHARD, chosen.trial.chunk);
}
