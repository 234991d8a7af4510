/* hyperslab.c - regions and the chunk grid, one dimension at a time. */
#include "array/selection/selection_internal.h"

static bool check_dimension(const vz_meta *meta, const vz_region *region, unsigned d, vz_error *err)
{
    const uint64_t count = region->count[d], block = region->block[d], stride = region->stride[d];
    uint64_t last, size;
    if (!vz_mul(count, block, &size))
        return vz_fail(err, VZ_INVALID, "selection of dimension %u is too large", d);
    if (size == 0)
        return true;
    if (count > 1 && stride < block)
        return vz_fail(err, VZ_INVALID, "selected blocks of dimension %u overlap", d);
    if (!vz_mul(count - 1, count > 1 ? stride : 0, &last) || !vz_add(last, region->start[d], &last) ||
        !vz_add(last, block - 1, &last) || last >= meta->shape[d])
        return vz_fail(err, VZ_INVALID, "selection lies outside dimension %u, which has %llu elements", d,
                       (unsigned long long)meta->shape[d]);
    return true;
}

/* One by one, as there is room for many more than arrays have. */
static void take_dimension(vz_region *to, const vz_region *from, unsigned d)
{
    to->start[d] = from->start[d];
    to->stride[d] = from->stride[d];
    to->count[d] = from->count[d];
    to->block[d] = from->block[d];
    to->memory_stride[d] = from->memory_stride[d];
}

/* Blocks that touch are one block. */
static void join_blocks(vz_region *region, unsigned d)
{
    if (region->count[d] > 1 && region->stride[d] == region->block[d]) {
        region->block[d] *= region->count[d];
        region->count[d] = 1;
    }
}

bool vz_region_start(vz_region_walk *walk, const vz_meta *meta, const vz_region *region, vz_error *err)
{
    if (region->rank != meta->rank)
        return vz_fail(err, VZ_INVALID, "selection has %u dimensions, the array %u", region->rank, meta->rank);
    walk->meta = meta;
    walk->started = walk->ended = walk->starts_shard = false;
    walk->region.rank = region->rank;
    walk->region.memory_offset = region->memory_offset;
    for (unsigned d = 0; d < meta->rank; d++) {
        if (!check_dimension(meta, region, d, err))
            return false;
        take_dimension(&walk->region, region, d);
        join_blocks(&walk->region, d);
        walk->ended = walk->ended || region->count[d] == 0 || region->block[d] == 0;
    }
    return true;
}

/* How many indexes along d lie before coordinate `end`. */
static uint64_t indexes_before(const vz_region *region, unsigned d, uint64_t end)
{
    const uint64_t count = region->count[d], block = region->block[d];
    if (end <= region->start[d])
        return 0;
    const uint64_t distance = end - region->start[d];
    if (count == 1)
        return distance < block ? distance : block;
    const uint64_t whole = distance / region->stride[d], rest = distance % region->stride[d];
    if (whole >= count)
        return count * block;
    return whole * block + (rest < block ? rest : block);
}

/* The share of the chunk that index `first` falls into. */
static void enter_chunk(vz_region_walk *walk, unsigned d, uint64_t first)
{
    const vz_meta *meta = walk->meta;
    const uint64_t chunk = vz_grid_chunk_at(meta, d, vz_region_coordinate(&walk->region, d, first));
    const uint64_t end = vz_grid_chunk_start(meta, d, chunk) + vz_grid_extent(meta, d, chunk);
    walk->chunk[d] = chunk;
    walk->spans[d] = (vz_span){first, indexes_before(&walk->region, d, end) - first};
}

/* The share of the shard that index `first` falls into, and of the first touched chunk in it. */
static void enter_shard(vz_region_walk *walk, unsigned d, uint64_t first)
{
    const uint64_t shard = vz_grid_shard_at(walk->meta, d, vz_region_coordinate(&walk->region, d, first));
    const uint64_t end = vz_grid_shard_start(walk->meta, d, shard + 1);
    walk->shard[d] = (vz_span){first, indexes_before(&walk->region, d, end) - first};
    enter_chunk(walk, d, first);
}

static void begin(vz_region_walk *walk)
{
    for (unsigned d = 0; d < walk->meta->rank; d++) {
        if (walk->meta->shard_levels > 0) {
            enter_shard(walk, d, 0);
            continue;
        }
        walk->shard[d] = (vz_span){0, walk->region.count[d] * walk->region.block[d]};
        enter_chunk(walk, d, 0);
    }
}

static bool next_in_shard(vz_region_walk *walk)
{
    for (unsigned d = walk->meta->rank; d-- > 0;) {
        const uint64_t next = walk->spans[d].first + walk->spans[d].count;
        if (next < walk->shard[d].first + walk->shard[d].count) {
            enter_chunk(walk, d, next);
            return true;
        }
        enter_chunk(walk, d, walk->shard[d].first);
    }
    return false;
}

static bool next_shard(vz_region_walk *walk)
{
    for (unsigned d = walk->meta->rank; d-- > 0;) {
        const uint64_t next = walk->shard[d].first + walk->shard[d].count;
        if (next < walk->region.count[d] * walk->region.block[d]) {
            enter_shard(walk, d, next);
            return true;
        }
        enter_shard(walk, d, 0);
    }
    return false;
}

bool vz_region_next(vz_region_walk *walk)
{
    if (walk->ended)
        return false;
    if (!walk->started) {
        walk->started = walk->starts_shard = true;
        begin(walk);
        return true;
    }
    walk->starts_shard = false;
    if (next_in_shard(walk))
        return true;
    walk->starts_shard = walk->meta->shard_levels > 0 && next_shard(walk);
    walk->ended = !walk->starts_shard;
    return !walk->ended;
}

uint64_t vz_region_in_shard(const vz_region_walk *walk)
{
    uint64_t count = 1;
    for (unsigned d = 0; d < walk->meta->rank; d++) {
        const vz_span *span = &walk->shard[d];
        const uint64_t first = vz_region_coordinate(&walk->region, d, span->first) / walk->meta->chunks[d];
        const uint64_t last =
            vz_region_coordinate(&walk->region, d, span->first + span->count - 1) / walk->meta->chunks[d];
        if (!vz_mul(count, last - first + 1, &count))
            return UINT64_MAX;
    }
    return count;
}
