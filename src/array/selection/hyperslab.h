/* hyperslab.h - a regular selection met with the chunk grid: the chunks it touches, and its share of each. */
#ifndef VZ_SELECTION_HYPERSLAB_H
#define VZ_SELECTION_HYPERSLAB_H

#include "metadata/metadata/meta.h"
#include "array/selection/selection.h"

/* Neighbouring indexes of a region along one dimension. */
typedef struct vz_span {
    uint64_t first, count;
} vz_span;

/* A walk over the touched chunks: shard by shard in C order, and in each (without shards: in all) in C order. */
typedef struct vz_region_walk {
    const vz_array_meta *meta;
    vz_region region; /* with blocks that touch joined into one */
    bool started, ended;
    bool starts_shard;           /* the current chunk is the first one of a shard */
    uint64_t chunk[VZ_MAX_RANK]; /* the current one */
    vz_span spans[VZ_MAX_RANK];  /* the region's indexes that fall into it */
    vz_span shard[VZ_MAX_RANK];  /* those that fall into its shard, without shards all of them */
} vz_region_walk;

/* VZ_INVALID if the region does not lie inside the array, or its blocks overlap. */
bool vz_region_start(vz_region_walk *walk, const vz_array_meta *meta, const vz_region *region, vz_error *err);
bool vz_region_next(vz_region_walk *walk); /* false: no more */
/* Chunks of the current shard that are touched, at most. */
uint64_t vz_region_in_shard(const vz_region_walk *walk);

/* Where index i lies along dimension d of the array. */
static inline uint64_t vz_region_coordinate(const vz_region *region, unsigned d, uint64_t i)
{
    const uint64_t block = region->block[d];
    if (region->count[d] == 1)
        return region->start[d] + i;
    return region->start[d] + i / block * region->stride[d] + i % block;
}

#endif
