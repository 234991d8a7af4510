/* selection_internal.h - coordinates of the chunk grid and of hyperslabs, for this module. */
#ifndef VZ_SELECTION_SELECTION_INTERNAL_H
#define VZ_SELECTION_SELECTION_INTERNAL_H

#include "array/selection/selection.h"

#define VZ_RUN_BATCH ((size_t)1 << 20)

/* As vz_grid_at and vz_grid_start, without a call where chunks have one shape. */
static inline uint64_t vz_grid_chunk_at(const vz_meta *meta, unsigned d, uint64_t at)
{
    return meta->edges ? vz_grid_at(meta, d, at) : at / meta->chunks[d];
}

static inline uint64_t vz_grid_chunk_start(const vz_meta *meta, unsigned d, uint64_t chunk)
{
    return meta->edges ? vz_grid_start(meta, d, chunk) : chunk * meta->chunks[d];
}

/* Elements between neighbours along each dimension in a decoded chunk, by the array's order. */
void vz_grid_steps(const vz_meta *meta, uint64_t *steps);

/* Where index i lies along dimension d of the array. */
static inline uint64_t vz_region_coordinate(const vz_region *region, unsigned d, uint64_t i)
{
    const uint64_t block = region->block[d];
    if (region->count[d] == 1)
        return region->start[d] + i;
    return region->start[d] + i / block * region->stride[d] + i % block;
}

#endif
