/* slab_walk.c - boxes over an array. */
#include "command/convert/access.h"
#include "command/convert/copy_internal.h"

static uint64_t product(uint64_t a, uint64_t b)
{
    uint64_t result;
    return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

uint64_t vz_slabs_count(unsigned rank, const uint64_t *extent)
{
    uint64_t count = 1;
    for (unsigned i = 0; i < rank; i++)
        count = extent[i] == 0 ? 0 : product(count, extent[i]);
    return count;
}

static uint64_t rest_of(const vz_slabs *slabs, unsigned dimension)
{
    uint64_t rest = 1;
    for (unsigned i = 0; i < slabs->rank; i++)
        if (i != dimension)
            rest = product(rest, slabs->extent[i]);
    return rest;
}

/* As many units along that dimension as fit, one at least. */
static void grow(vz_slabs *slabs, unsigned dimension, uint64_t elements_max)
{
    const uint64_t unit = slabs->unit[dimension], line = product(rest_of(slabs, dimension), unit);
    uint64_t units = line ? elements_max / line : 1;
    const uint64_t all = (slabs->dims[dimension] + unit - 1) / unit;
    units = units < 1 ? 1 : units > all ? all : units;
    slabs->extent[dimension] = units == all ? slabs->dims[dimension] : units * unit;
}

void vz_slabs_begin(vz_slabs *slabs, unsigned rank, const uint64_t *dims, const uint64_t *unit, uint64_t elements_max)
{
    *slabs = (vz_slabs){.rank = rank};
    for (unsigned i = 0; i < rank; i++) {
        slabs->dims[i] = dims[i];
        slabs->unit[i] = unit[i] == 0 || unit[i] > dims[i] ? dims[i] : unit[i];
        slabs->extent[i] = slabs->unit[i];
        slabs->done = slabs->done || dims[i] == 0;
    }
    if (slabs->done)
        return;
    slabs->growing = 0;
    for (unsigned i = rank; i-- > 0;) {
        grow(slabs, i, elements_max);
        slabs->growing = i;
        if (slabs->extent[i] < slabs->dims[i])
            break;
    }
}

void vz_slabs_limit(vz_slabs *slabs, uint64_t elements_max)
{
    if (slabs->rank == 0 || slabs->done)
        return;
    grow(slabs, slabs->growing, elements_max);
    /* Boxes reach from end to end along all later dimensions, so that one of these can be cut from
     * here on. */
    while (slabs->growing + 1 < slabs->rank && vz_slabs_count(slabs->rank, slabs->extent) > elements_max &&
           slabs->extent[slabs->growing] <= slabs->unit[slabs->growing])
        grow(slabs, ++slabs->growing, elements_max);
}

bool vz_slabs_next(vz_slabs *slabs, uint64_t *start, uint64_t *extent)
{
    if (slabs->done)
        return false;
    for (unsigned i = 0; i < slabs->rank; i++) {
        const uint64_t left = slabs->dims[i] - slabs->start[i];
        start[i] = slabs->start[i];
        extent[i] = slabs->extent[i] < left ? slabs->extent[i] : left;
    }
    unsigned i = slabs->rank;
    while (i-- > 0) {
        slabs->start[i] += extent[i];
        if (slabs->start[i] < slabs->dims[i])
            return true;
        slabs->start[i] = 0;
    }
    slabs->done = true;
    return true;
}
