/* shuffle_kernels.c - plain loops for any element size, vectors of 16 elements for the common
 * ones. */
#include "codec/codec/codec_internal.h"

#include <string.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Elements that the plain loops work on at once, so that their bytes stay in the first-level cache
 * between the passes. */
#define BLOCK_COUNT 512

#define STREAMS_MAX 16 /* bytes of the elements that vectors work on at most */

/* Byte `byte` of n elements. */
static ALWAYS_INLINE void gather_byte(const uint8_t *from, size_t size, size_t byte, size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[byte + i * size] = from[i];
}

/* Elements [first, first+n) of `count`. */
static void gather(const uint8_t *in, size_t count, size_t size, size_t first, size_t n, uint8_t *out)
{
    for (size_t done = 0; done < n; done += BLOCK_COUNT) {
        const size_t block = n - done < BLOCK_COUNT ? n - done : BLOCK_COUNT;
        for (size_t byte = 0; byte < size; byte++)
            gather_byte(in + byte * count + first + done, size, byte, block, out + done * size);
    }
}

/* Elements from `first` on. */
static void scatter(const uint8_t *in, size_t count, size_t size, size_t first, uint8_t *out)
{
    for (size_t done = first; done < count; done += BLOCK_COUNT) {
        const size_t block = count - done < BLOCK_COUNT ? count - done : BLOCK_COUNT;
        for (size_t byte = 0; byte < size; byte++) {
            const uint8_t *from = in + done * size + byte;
            uint8_t *to = out + byte * count + done;
            for (size_t i = 0; i < block; i++)
                to[i] = from[i * size];
        }
    }
}

#if defined __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define HAVE_VECTORS
#endif
#endif

#ifdef HAVE_VECTORS

/* 16 elements of S bytes (S a power of two) are S vectors, in memory either element by element
 * or one vector for each byte. A round interleaves the vectors of the first half with those of
 * the second. So it rotates the bits of each byte's position among the 16*S by one. Thus log2(S)
 * rounds turn bytes into elements, and log2(16) more turn them back again. */
#define LANES      16
#define LANES_LOG2 4
typedef uint8_t lanes __attribute__((vector_size(LANES)));

static ALWAYS_INLINE void interleave(lanes *v, size_t size, unsigned rounds)
{
    lanes next[LANES];
#pragma GCC unroll 4
    for (unsigned round = 0; round < rounds; round++) {
#pragma GCC unroll 8
        for (size_t i = 0; i < size / 2; i++) {
            const lanes a = v[i], b = v[i + size / 2];
            next[2 * i] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            next[2 * i + 1] =
                __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        }
#pragma GCC unroll 16
        for (size_t i = 0; i < size; i++)
            v[i] = next[i];
    }
}

/* Both do as many of the n elements as fill vectors and return how many. */
static ALWAYS_INLINE size_t gather_vectors(const uint8_t *const *streams, size_t size, unsigned log2, size_t first,
                                           size_t n, uint8_t *out)
{
    size_t done = 0;
    for (; n - done >= LANES; done += LANES) {
        lanes v[LANES];
#pragma GCC unroll 16
        for (size_t byte = 0; byte < size; byte++)
            memcpy(&v[byte], streams[byte] + first + done, LANES);
        interleave(v, size, log2);
#pragma GCC unroll 16
        for (size_t i = 0; i < size; i++)
            memcpy(out + done * size + i * LANES, &v[i], LANES);
    }
    return done;
}

static ALWAYS_INLINE size_t scatter_vectors(const uint8_t *in, size_t count, size_t size, uint8_t *out)
{
    size_t done = 0;
    for (; count - done >= LANES; done += LANES) {
        lanes v[LANES];
#pragma GCC unroll 16
        for (size_t i = 0; i < size; i++)
            memcpy(&v[i], in + done * size + i * LANES, LANES);
        interleave(v, size, LANES_LOG2);
#pragma GCC unroll 16
        for (size_t byte = 0; byte < size; byte++)
            memcpy(out + byte * count + done, &v[byte], LANES);
    }
    return done;
}

static size_t gather_fast(const uint8_t *const *streams, size_t size, size_t first, size_t n, uint8_t *out)
{
    switch (size) {
    case 2:
        return gather_vectors(streams, 2, 1, first, n, out);
    case 4:
        return gather_vectors(streams, 4, 2, first, n, out);
    case 8:
        return gather_vectors(streams, 8, 3, first, n, out);
    case 16:
        return gather_vectors(streams, 16, 4, first, n, out);
    default:
        return 0;
    }
}

static size_t scatter_fast(const uint8_t *in, size_t count, size_t size, uint8_t *out)
{
    switch (size) {
    case 2:
        return scatter_vectors(in, count, 2, out);
    case 4:
        return scatter_vectors(in, count, 4, out);
    case 8:
        return scatter_vectors(in, count, 8, out);
    case 16:
        return scatter_vectors(in, count, 16, out);
    default:
        return 0;
    }
}

#else

static size_t gather_fast(const uint8_t *const *streams, size_t size, size_t first, size_t n, uint8_t *out)
{
    (void)streams, (void)size, (void)first, (void)n, (void)out;
    return 0;
}

static size_t scatter_fast(const uint8_t *in, size_t count, size_t size, uint8_t *out)
{
    (void)in, (void)count, (void)size, (void)out;
    return 0;
}

#endif

void vz_shuffle(const uint8_t *in, size_t count, size_t size, uint8_t *out)
{
    if (size > 1)
        scatter(in, count, size, scatter_fast(in, count, size, out), out);
    else if (count)
        memcpy(out, in, count);
}

void vz_unshuffle_streams(const uint8_t *const *streams, size_t size, size_t first, size_t n, uint8_t *out)
{
    for (size_t done = gather_fast(streams, size, first, n, out); done < n; done += BLOCK_COUNT) {
        const size_t block = n - done < BLOCK_COUNT ? n - done : BLOCK_COUNT;
        for (size_t byte = 0; byte < size; byte++)
            gather_byte(streams[byte] + first + done, size, byte, block, out + done * size);
    }
}

static void unshuffle_elements(const uint8_t *in, size_t count, size_t size, size_t first, size_t n, uint8_t *out)
{
    const uint8_t *streams[STREAMS_MAX] = {NULL};
    if (n == 0)
        return;
    if (size == 1) {
        memcpy(out, in + first, n);
        return;
    }
    if (size > STREAMS_MAX) {
        gather(in, count, size, first, n, out);
        return;
    }
    for (size_t byte = 0; byte < size; byte++)
        streams[byte] = in + byte * count;
    vz_unshuffle_streams(streams, size, first, n, out);
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
