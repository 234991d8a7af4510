/* shuffle_kernels.c - the common element sizes get loops whose size the compiler knows. */
#include "codec/shuffle_kernels.h"

#include <string.h>

/* Elements that are worked on at once, so that their bytes stay in the first-level cache between the passes. */
#define BLOCK_COUNT 512

/* Elements [first, first+n) of `count`; `size` is a constant where these are inlined. */
static inline __attribute__((always_inline)) void gather(const uint8_t *restrict in, size_t count, size_t size,
                                                         size_t first, size_t n, uint8_t *restrict out)
{
    for (size_t done = 0; done < n; done += BLOCK_COUNT) {
        const size_t block = n - done < BLOCK_COUNT ? n - done : BLOCK_COUNT;
        for (size_t byte = 0; byte < size; byte++) {
            const uint8_t *from = in + byte * count + first + done;
            uint8_t *to = out + done * size + byte;
            for (size_t i = 0; i < block; i++)
                to[i * size] = from[i];
        }
    }
}

static inline __attribute__((always_inline)) void scatter(const uint8_t *restrict in, size_t count, size_t size,
                                                          uint8_t *restrict out)
{
    for (size_t done = 0; done < count; done += BLOCK_COUNT) {
        const size_t block = count - done < BLOCK_COUNT ? count - done : BLOCK_COUNT;
        for (size_t byte = 0; byte < size; byte++) {
            const uint8_t *from = in + done * size + byte;
            uint8_t *to = out + byte * count + done;
            for (size_t i = 0; i < block; i++)
                to[i] = from[i * size];
        }
    }
}

void vz_shuffle(const uint8_t *in, size_t count, size_t size, uint8_t *out)
{
    switch (size) {
    case 1:
        if (count)
            memcpy(out, in, count);
        return;
    case 2:
        scatter(in, count, 2, out);
        return;
    case 4:
        scatter(in, count, 4, out);
        return;
    case 8:
        scatter(in, count, 8, out);
        return;
    default:
        scatter(in, count, size, out);
    }
}

static void unshuffle_elements(const uint8_t *in, size_t count, size_t size, size_t first, size_t n, uint8_t *out)
{
    switch (size) {
    case 1:
        if (n)
            memcpy(out, in + first, n);
        return;
    case 2:
        gather(in, count, 2, first, n, out);
        return;
    case 4:
        gather(in, count, 4, first, n, out);
        return;
    case 8:
        gather(in, count, 8, first, n, out);
        return;
    default:
        gather(in, count, size, first, n, out);
    }
}

void vz_unshuffle(const uint8_t *in, size_t count, size_t size, size_t offset, size_t length, uint8_t *out)
{
    size_t element = offset / size, byte = offset % size;
    for (; length && byte; length--) { /* the rest of an element that the range cuts */
        *out++ = in[byte * count + element];
        if (++byte == size)
            byte = 0, element++;
    }
    const size_t whole = length / size;
    unshuffle_elements(in, count, size, element, whole, out);
    out += whole * size;
    for (byte = 0; byte < length % size; byte++)
        *out++ = in[byte * count + element + whole];
}
