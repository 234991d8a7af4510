/* scale_offset_round.c - see numeric.h. The differences to the least value are kept in so many
 * bits, the highest of which stand for the fill value. */
#include "array/numeric/numeric.h"

#include <math.h>
#include <string.h>

bool vz_rounding_is_lossy(const vz_rounding *rounding)
{
    return rounding->is_float || (rounding->scale > 0 && rounding->scale < (int)(8 * rounding->size));
}

/* ---- integers: as 64 bits each, the type's own width matters only for the order ---- */

static uint64_t load(const vz_rounding *r, const uint8_t *element)
{
    uint64_t value = 0;
    for (size_t i = 0; i < r->size; i++)
        value = value << 8 | element[r->big_endian ? i : r->size - 1 - i];
    const unsigned unused = (unsigned)(64 - 8 * r->size);
    return r->is_signed ? (uint64_t)((int64_t)(value << unused) >> unused) : value;
}

static void store(const vz_rounding *r, uint8_t *element, uint64_t value)
{
    for (size_t i = 0; i < r->size; i++, value >>= 8)
        element[r->big_endian ? r->size - 1 - i : i] = (uint8_t)value;
}

static bool is_less(const vz_rounding *r, uint64_t a, uint64_t b)
{
    return r->is_signed ? (int64_t)a < (int64_t)b : a < b;
}

static void round_integers(const vz_rounding *r, uint8_t *elements, size_t count)
{
    const vz_rounding native = {.size = r->size, .is_signed = r->is_signed, .big_endian = false};
    const uint64_t fill = load(&native, r->fill), mask = ((uint64_t)1 << r->scale) - 1;
    uint64_t least = 0;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        const uint64_t value = load(r, elements + i * r->size);
        if ((r->has_fill && value == fill) || (any && !is_less(r, value, least)))
            continue;
        least = value;
        any = true;
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t value = load(r, elements + i * r->size), kept = (value - least) & mask;
        const bool is_fill = r->has_fill && (value == fill || kept == mask);
        store(r, elements + i * r->size, is_fill ? fill : least + kept);
    }
}

/* ---- floats ---- */

static unsigned bits_for(uint64_t count)
{
    return count <= 1 ? 0 : 64 - (unsigned)__builtin_clzll(count - 1);
}

static void swap(uint8_t *elements, size_t count, size_t size)
{
    for (uint8_t *e = elements; e < elements + count * size; e += size)
        for (size_t i = 0; i < size / 2; i++) {
            const uint8_t byte = e[i];
            e[i] = e[size - 1 - i];
            e[size - 1 - i] = byte;
        }
}

/* Arithmetic in the type itself, as HDF5 does it: another precision rounds elsewhere. A chunk whose
 * range does not fit the integers of the type's size stays as it is. */
#define ROUND_FLOATS(name, type, integer, power, absolute, round_off, to_integer)                                      \
    static void name(const vz_rounding *r, type *values, size_t count)                                                 \
    {                                                                                                                  \
        const type factor = power((type)10, (type)r->scale), near_fill = power((type)10, (type)-r->scale);             \
        const double near = pow(10.0, -(double)r->scale);                                                              \
        type fill = 0, least = 0, most = 0;                                                                            \
        bool any = false;                                                                                              \
        memcpy(&fill, r->fill, sizeof fill);                                                                           \
        for (size_t i = 0; i < count; i++) {                                                                           \
            const type value = values[i];                                                                              \
            if (r->has_fill && fabs((double)(value - fill)) < near)                                                    \
                continue;                                                                                              \
            most = !any || value > most ? value : most;                                                                \
            least = !any || value < least ? value : least;                                                             \
            any = true;                                                                                                \
        }                                                                                                              \
        const type range = most * factor - least * factor;                                                             \
        if (!(round_off(range) <= power((type)2, (type)(8 * sizeof(type) - 1))))                                       \
            return;                                                                                                    \
        const unsigned bits = bits_for((uint64_t)llround((double)range) + 1 + r->has_fill);                            \
        if (bits >= 8 * sizeof(type))                                                                                  \
            return;                                                                                                    \
        const uint64_t mask = ((uint64_t)1 << bits) - 1;                                                               \
        for (size_t i = 0; i < count; i++) {                                                                           \
            const bool is_fill = r->has_fill && absolute(values[i] - fill) < near_fill;                                \
            const uint64_t kept = is_fill ? mask : (uint64_t)to_integer(values[i] * factor - least * factor) & mask;   \
            values[i] = r->has_fill && kept == mask ? fill : (type)(integer)kept / factor + least;                     \
        }                                                                                                              \
    }
ROUND_FLOATS(round_floats, float, int32_t, powf, fabsf, roundf, lroundf)
ROUND_FLOATS(round_doubles, double, int64_t, pow, fabs, round, llround)

void vz_round_chunk(const vz_rounding *rounding, void *elements, size_t count)
{
    if (!vz_rounding_is_lossy(rounding))
        return;
    if (!rounding->is_float) {
        round_integers(rounding, elements, count);
        return;
    }
    if (rounding->big_endian)
        swap(elements, count, rounding->size);
    if (rounding->size == sizeof(float))
        round_floats(rounding, elements, count);
    else
        round_doubles(rounding, elements, count);
    if (rounding->big_endian)
        swap(elements, count, rounding->size);
}
