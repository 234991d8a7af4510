/* chunk_grid.h - the chunk grid of an array: which chunks there are, and how much of each lies inside the array. */
#ifndef VZ_SELECTION_CHUNK_GRID_H
#define VZ_SELECTION_CHUNK_GRID_H

#include "metadata/metadata/meta.h"

/* Chunks along each dimension. */
void vz_grid_dims(const vz_array_meta *meta, const uint64_t *shape, uint64_t *dims);
/* Chunks in all; UINT64_MAX when there are more than that. */
uint64_t vz_grid_count(unsigned rank, const uint64_t *dims);

/* Elements of the chunk at coordinate `chunk` along dimension d that lie inside the array. 0: outside. */
uint64_t vz_grid_extent(const vz_array_meta *meta, unsigned d, uint64_t chunk);
/* Does the chunk touch the array at all? */
bool vz_grid_inside(const vz_array_meta *meta, const uint64_t *chunk);
/* Does all of the chunk lie inside the array? (Stored chunks always have their full size.) */
bool vz_grid_is_full(const vz_array_meta *meta, const uint64_t *chunk);
/* Elements of the chunk inside the array. */
uint64_t vz_grid_valid(const vz_array_meta *meta, const uint64_t *chunk);

/* Elements between neighbours along each dimension in a decoded chunk, by the array's order. */
void vz_grid_steps(const vz_array_meta *meta, uint64_t *steps);

/* Steps `at` through the box low <= at < high in C order; false after the last. */
bool vz_grid_next(unsigned rank, const uint64_t *low, const uint64_t *high, uint64_t *at);

#endif
