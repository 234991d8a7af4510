/* scale_offset_round.h - what HDF5's scale-offset filter makes of the values of a chunk that goes through it and back. A store
 * has the values themselves, with a codec of its own; so that a program finds what it would find in an HDF5 file, they
 * are rounded before a chunk is stored. */
#ifndef VZ_NUMERIC_SCALE_OFFSET_ROUND_H
#define VZ_NUMERIC_SCALE_OFFSET_ROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct vz_rounding {
    bool is_float, is_signed, big_endian, has_fill;
    size_t size; /* of an element: 1, 2, 4, 8; floats 4, 8 */
    int scale;   /* floats: decimal digits that are kept; integers: bits of the difference to the chunk's least value */
    uint8_t fill[8]; /* the value of elements that stay, its lowest byte first */
} vz_rounding;

/* Can values change at all? Integers with as many bits as they need, which HDF5 finds out itself, cannot. */
bool vz_rounding_is_lossy(const vz_rounding *rounding);
/* The elements of one whole chunk, in place. */
void vz_round_chunk(const vz_rounding *rounding, void *elements, size_t count);

#endif
