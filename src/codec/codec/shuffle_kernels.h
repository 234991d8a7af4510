/* shuffle_kernels.h - byte transposition of elements of any size. */
#ifndef VZ_CODEC_SHUFFLE_KERNELS_H
#define VZ_CODEC_SHUFFLE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* count elements of `size` bytes each. */
void vz_shuffle(const uint8_t *in, size_t count, size_t size, uint8_t *out);
/* Bytes [offset, offset+length) of what count shuffled elements of `size` bytes decode to. */
void vz_unshuffle(const uint8_t *in, size_t count, size_t size, size_t offset, size_t length, uint8_t *out);
/* Elements [first, first+n) of `size` bytes, of which streams[i] has the i-th byte of each. */
void vz_unshuffle_streams(const uint8_t *const *streams, size_t size, size_t first, size_t n, uint8_t *out);

#endif
