/* numeric.h - numbers of one type into another, and the rounding of HDF5's scale-offset filter. */
#ifndef VZ_NUMERIC_NUMERIC_H
#define VZ_NUMERIC_NUMERIC_H

#include "codec/codec/narrow.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -- Convert numbers --
 * Conversion between integer and floating-point types of any byte order in plain C. It is equal
 * to what H5Tconvert does without an exception callback. Integers clamp; floats truncate towards
 * zero and clamp to integers (NaN gives 0). Narrowing floats round to nearest even and overflow
 * to infinity. Floats of few bits are rounded as codec/codec/narrow.h says. Runs in workers. */
typedef enum vz_number_kind { VZ_NUMBER_INT, VZ_NUMBER_UINT, VZ_NUMBER_FLOAT } vz_number_kind;

typedef struct vz_number_format {
    vz_number_kind kind;
    size_t size; /* 1, 2, 4, 8; floats 2, 4, 8 */
    bool big_endian;
    vz_narrow narrow; /* a float of few bits; its size is the form's */
} vz_number_format;

static inline bool vz_number_equal(vz_number_format a, vz_number_format b)
{
    return a.kind == b.kind && a.size == b.size && a.big_endian == b.big_endian && a.narrow == b.narrow;
}

/* The conversion of a transfer's elements. From array to buffer for reads, from buffer to array for
 * writes. */
typedef struct vz_number_conversion {
    vz_number_format from, to;
    /* Converts count elements; strides in bytes; src and dst do not overlap and need no
     * alignment. */
    void (*run)(const struct vz_number_conversion *self, const void *src, ptrdiff_t src_stride, void *dst,
                ptrdiff_t dst_stride, size_t count);
} vz_number_conversion;

/* Fills `conversion`; false if a size is not among those above. Equal types are refused (there is
 * nothing to do). */
bool vz_conversion_find(vz_number_format from, vz_number_format to, vz_number_conversion *conversion);

/* -- Scale offset round --
 * The values of a chunk after HDF5's scale-offset filter encoded and decoded it. A store has the
 * values themselves, with a codec of its own. They are rounded before a chunk is stored, so that a
 * program finds the values of an HDF5 file. */
typedef struct vz_rounding {
    bool is_float, is_signed, big_endian, has_fill;
    size_t size;     /* of an element: 1, 2, 4, 8; floats 4, 8 */
    int scale;       /* floats: decimal digits that are kept; integers: bits of the difference to
                      * the chunk's least value */
    uint8_t fill[8]; /* the value of elements that stay, its lowest byte first */
} vz_rounding;

/* Can values change at all? Integers with as many bits as they need, which HDF5 finds out itself,
 * cannot. */
bool vz_rounding_is_lossy(const vz_rounding *rounding);
/* The elements of one whole chunk, in place. */
void vz_round_chunk(const vz_rounding *rounding, void *elements, size_t count);

#endif
