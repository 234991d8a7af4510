/* lz4_frame.h - the form in which HDF5's registered lz4 filter (32004) stores data; ours is the codec "lz4".
 * Big-endian: 8 bytes size, 4 bytes block size, then each block as 4 bytes stored size and the bytes; a block whose
 * stored size is its size is not compressed. */
#ifndef VZ_CODEC_LZ4_FRAME_H
#define VZ_CODEC_LZ4_FRAME_H

#include "base/util/bytes.h"

/* block_size 0: the filter's default. Appends to `out`. */
bool vz_lz4_frame_encode(size_t block_size, vz_bytes in, vz_buffer *out, vz_error *err);
/* Decodes to at most `most` bytes. */
bool vz_lz4_frame_decode(vz_bytes in, size_t most, vz_buffer *out, vz_error *err);

/* One compressed block of `size` bytes decoded (their number must not be the block's own) as a frame of one block. */
bool vz_lz4_frame_wrap(vz_bytes block, size_t size, vz_buffer *out, vz_error *err);
/* The other way: false (no error) if the frame is not one compressed block and nothing else. */
bool vz_lz4_frame_unwrap(vz_bytes in, vz_bytes *block, size_t *size);

#endif
