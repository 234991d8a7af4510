/* chunk_grid.c - arithmetic on chunk coordinates that cannot overflow: products only of what fits
 * the shape. */
#include "array/selection/selection_internal.h"

void vz_grid_dims(const vz_meta *meta, const uint64_t *shape, uint64_t *dims)
{
    for (unsigned d = 0; d < meta->rank; d++)
        dims[d] = shape[d] / meta->chunks[d] + (shape[d] % meta->chunks[d] != 0);
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
    uint64_t start;
    if (!vz_mul(chunk, meta->chunks[d], &start) || start >= meta->shape[d])
        return 0;
    const uint64_t left = meta->shape[d] - start;
    return left < meta->chunks[d] ? left : meta->chunks[d];
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
