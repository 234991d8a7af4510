/* dice.h - random numbers that are the same each time, and one number that tells what is in memory. */
#ifndef DICE_H
#define DICE_H

#include <stddef.h>
#include <stdint.h>

typedef struct dice {
    uint64_t state;
} dice;

static inline unsigned roll(dice *d, unsigned sides)
{
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(d->state >> 33) % sides;
}

static inline unsigned hash(const void *bytes, size_t size)
{
    unsigned sum = 2166136261u;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ ((const uint8_t *)bytes)[i]) * 16777619u;
    return sum;
}

#endif
