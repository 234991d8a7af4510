/* slab_walk.h - a dataset in boxes that cover whole chunks and fit into memory, one after the other. Plain C. */
#ifndef VZ_CONVERT_SLAB_WALK_H
#define VZ_CONVERT_SLAB_WALK_H

#include <stdbool.h>
#include <stdint.h>

#define VZ_SLABS_RANK_MAX 32

typedef struct vz_slabs {
    unsigned rank;
    uint64_t dims[VZ_SLABS_RANK_MAX];
    uint64_t unit[VZ_SLABS_RANK_MAX];   /* boxes begin at multiples of it */
    uint64_t extent[VZ_SLABS_RANK_MAX]; /* of a box; less at the edges */
    unsigned growing;                   /* the dimension along which boxes may become longer or shorter */
    uint64_t start[VZ_SLABS_RANK_MAX];  /* of the next box */
    bool done;
} vz_slabs;

/* Boxes of at most `elements_max` elements, or one unit where that is more; units are cut to the dimensions. A dataset
 * without elements has none. */
void vz_slabs_begin(vz_slabs *slabs, unsigned rank, const uint64_t *dims, const uint64_t *unit, uint64_t elements_max);
/* The next box in C order; false: there was none left. */
bool vz_slabs_next(vz_slabs *slabs, uint64_t *start, uint64_t *extent);
/* From the next box on as many elements at most. */
void vz_slabs_limit(vz_slabs *slabs, uint64_t elements_max);
/* Elements of a box; UINT64_MAX: more than 64 bits hold. */
uint64_t vz_slabs_count(unsigned rank, const uint64_t *extent);

#endif
