/* chunk_grid.c - arithmetic on chunk coordinates that cannot overflow: products only of what fits
 * the shape. */
#include "array/selection/selection_internal.h"

/* ---- chunks of different shapes ---- */

/* The last run that begins at `value` or before, which is `start` or `first` of it. */
static const vz_meta_run *find_run(const vz_meta_edges *edges, uint64_t value, bool by_start)
{
    size_t low = 0, high = edges->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if ((by_start ? edges->runs[middle].start : edges->runs[middle].first) <= value)
            low = middle;
        else
            high = middle;
    }
    return &edges->runs[low];
}

static uint64_t uneven_at(const vz_meta_edges *edges, uint64_t at)
{
    const vz_meta_run *run = find_run(edges, at, true);
    return run->first + (at - run->start) / run->edge;
}

/* UINT64_MAX: beyond every array. */
static uint64_t uneven_start(const vz_meta_edges *edges, uint64_t chunk)
{
    const vz_meta_run *run = find_run(edges, chunk, false);
    uint64_t start;
    return vz_mul(chunk - run->first, run->edge, &start) && vz_add(start, run->start, &start) ? start : UINT64_MAX;
}

/* ---- all grids ---- */

uint64_t vz_grid_at(const vz_meta *meta, unsigned d, uint64_t at)
{
    return meta->edges ? uneven_at(&meta->edges[d], at) : at / meta->chunks[d];
}

uint64_t vz_grid_start(const vz_meta *meta, unsigned d, uint64_t chunk)
{
    return meta->edges ? uneven_start(&meta->edges[d], chunk) : chunk * meta->chunks[d];
}

uint64_t vz_grid_edge(const vz_meta *meta, unsigned d, uint64_t chunk)
{
    return meta->edges ? find_run(&meta->edges[d], chunk, false)->edge : meta->chunks[d];
}

/* ---- shards ---- */

uint64_t vz_grid_shard_at(const vz_meta *meta, unsigned d, uint64_t at)
{
    return meta->shard_edges ? uneven_at(&meta->shard_edges[d], at) : at / meta->shards[0].shape[d];
}

uint64_t vz_grid_shard_start(const vz_meta *meta, unsigned d, uint64_t shard)
{
    uint64_t start;
    if (meta->shard_edges)
        return uneven_start(&meta->shard_edges[d], shard);
    return vz_mul(shard, meta->shards[0].shape[d], &start) ? start : UINT64_MAX;
}

uint64_t vz_grid_shard_edge(const vz_meta *meta, unsigned d, uint64_t shard)
{
    return meta->shard_edges ? find_run(&meta->shard_edges[d], shard, false)->edge : meta->shards[0].shape[d];
}

void vz_grid_stored(const vz_meta *meta, uint64_t *dims)
{
    if (!meta->shard_levels) {
        vz_grid_dims(meta, meta->shape, dims);
        return;
    }
    for (unsigned d = 0; d < meta->rank; d++)
        dims[d] = meta->shape[d] ? vz_grid_shard_at(meta, d, meta->shape[d] - 1) + 1 : 0;
}

/* ---- counts ---- */

void vz_grid_dims(const vz_meta *meta, const uint64_t *shape, uint64_t *dims)
{
    for (unsigned d = 0; d < meta->rank; d++)
        dims[d] = shape[d] ? vz_grid_at(meta, d, shape[d] - 1) + 1 : 0;
}

uint64_t vz_grid_count(unsigned rank, const uint64_t *dims)
{
    uint64_t count = 1;
    bool fits = true;
    for (unsigned d = 0; d < rank; d++) {
        if (dims[d] == 0)
            return 0;
        fits = fits && vz_mul(count, dims[d], &count);
    }
    return fits ? count : UINT64_MAX;
}

uint64_t vz_grid_extent(const vz_meta *meta, unsigned d, uint64_t chunk)
{
    uint64_t start, edge = meta->chunks[d];
    if (meta->edges) {
        start = uneven_start(&meta->edges[d], chunk);
        edge = vz_grid_edge(meta, d, chunk);
    } else if (!vz_mul(chunk, edge, &start)) {
        return 0;
    }
    if (start >= meta->shape[d])
        return 0;
    const uint64_t left = meta->shape[d] - start;
    return left < edge ? left : edge;
}

bool vz_grid_inside(const vz_meta *meta, const uint64_t *chunk)
{
    for (unsigned d = 0; d < meta->rank; d++)
        if (vz_grid_extent(meta, d, chunk[d]) == 0)
            return false;
    return true;
}

bool vz_grid_is_full(const vz_meta *meta, const uint64_t *chunk)
{
    for (unsigned d = 0; d < meta->rank; d++)
        if (vz_grid_extent(meta, d, chunk[d]) != meta->chunks[d])
            return false;
    return true;
}

uint64_t vz_grid_valid(const vz_meta *meta, const uint64_t *chunk)
{
    uint64_t count = 1;
    for (unsigned d = 0; d < meta->rank; d++)
        count *= vz_grid_extent(meta, d, chunk[d]);
    return count;
}

void vz_grid_steps(const vz_meta *meta, uint64_t *steps)
{
    uint64_t step = 1;
    for (unsigned i = meta->rank; i-- > 0;) {
        const unsigned d = meta->axes[i];
        steps[d] = step;
        step *= meta->chunks[d];
    }
}

bool vz_grid_next(unsigned rank, const uint64_t *low, const uint64_t *high, uint64_t *at)
{
    for (unsigned d = rank; d-- > 0;) {
        if (++at[d] < high[d])
            return true;
        at[d] = low[d];
    }
    return false;
}
