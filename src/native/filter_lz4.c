/* filter_lz4.c - HDF5 filter 32004. Big-endian: 8 bytes size, 4 bytes block size, then each block as 4 bytes stored
 * size and the bytes; a block whose stored size is its size is not compressed. The codec "lz4" is one block behind its
 * little-endian 4-byte size, and does the blocks here. */
#include "native/filter_codec.h"

#define HEADER_SIZE        12
#define BLOCK_HEADER_SIZE  4
#define CODEC_HEADER_SIZE  4
#define DEFAULT_BLOCK_SIZE ((size_t)1 << 30)
#define MAX_BLOCK_SIZE     ((size_t)0x7E000000) /* the LZ4 library's limit */

static uint32_t load_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static void store_be32(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)(value >> 24), p[1] = (uint8_t)(value >> 16), p[2] = (uint8_t)(value >> 8), p[3] = (uint8_t)value;
}

static bool append_block(vz_bytes stored, vz_buffer *out, vz_error *err)
{
    uint8_t header[BLOCK_HEADER_SIZE];
    store_be32(header, (uint32_t)stored.size);
    return vz_buffer_append(out, header, sizeof header, err) && vz_buffer_append(out, stored.data, stored.size, err);
}

static bool encode_block(vz_bytes block, vz_buffer *scratch, vz_buffer *out, vz_error *err)
{
    scratch->size = 0;
    if (!vz_filter_run("lz4", "", false, block, scratch, err))
        return false;
    const vz_bytes stored = {scratch->data + CODEC_HEADER_SIZE, scratch->size - CODEC_HEADER_SIZE};
    return append_block(stored.size < block.size ? stored : block, out, err);
}

static bool encode(size_t block_size, vz_bytes in, vz_buffer *scratch, vz_buffer *out, vz_error *err)
{
    uint8_t header[HEADER_SIZE];
    store_be32(header, (uint32_t)((uint64_t)in.size >> 32));
    store_be32(header + 4, (uint32_t)in.size);
    store_be32(header + 8, (uint32_t)block_size);
    if (!vz_buffer_append(out, header, sizeof header, err))
        return false;
    while (in.size > 0) {
        const vz_bytes block = {in.data, in.size < block_size ? in.size : block_size};
        if (!encode_block(block, scratch, out, err))
            return false;
        in = (vz_bytes){in.data + block.size, in.size - block.size};
    }
    return true;
}

static bool decode_block(vz_bytes stored, size_t size, vz_buffer *scratch, vz_buffer *out, vz_error *err)
{
    if (stored.size == size)
        return vz_buffer_append(out, stored.data, stored.size, err);
    uint8_t header[CODEC_HEADER_SIZE];
    vz_store_le32(header, (uint32_t)size);
    scratch->size = 0;
    vz_buffer block = {0};
    const bool ok = vz_buffer_append(scratch, header, sizeof header, err) &&
                    vz_buffer_append(scratch, stored.data, stored.size, err) &&
                    vz_filter_run("lz4", "", true, (vz_bytes){scratch->data, scratch->size}, &block, err) &&
                    vz_buffer_append(out, block.data, block.size, err);
    vz_buffer_clear(&block);
    return ok;
}

static bool truncated(vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "lz4 filter: the data end too early");
}

static bool decode(vz_bytes in, vz_buffer *scratch, vz_buffer *out, vz_error *err)
{
    if (in.size < HEADER_SIZE)
        return truncated(err);
    uint64_t left = (uint64_t)load_be32(in.data) << 32 | load_be32(in.data + 4);
    const uint32_t block_size = load_be32(in.data + 8);
    if (left > VZ_CHAIN_PAYLOAD_MAX || (left > 0 && block_size == 0))
        return vz_fail(err, VZ_CORRUPT, "lz4 filter: %llu bytes in blocks of %u", (unsigned long long)left, block_size);
    in = (vz_bytes){in.data + HEADER_SIZE, in.size - HEADER_SIZE};
    while (left > 0) {
        const size_t size = left < block_size ? (size_t)left : block_size;
        const size_t stored_size = in.size < BLOCK_HEADER_SIZE ? SIZE_MAX : load_be32(in.data);
        if (in.size < BLOCK_HEADER_SIZE || stored_size > in.size - BLOCK_HEADER_SIZE)
            return truncated(err);
        if (!decode_block((vz_bytes){in.data + BLOCK_HEADER_SIZE, stored_size}, size, scratch, out, err))
            return false;
        in = (vz_bytes){in.data + BLOCK_HEADER_SIZE + stored_size, in.size - BLOCK_HEADER_SIZE - stored_size};
        left -= size;
    }
    return true;
}

bool vz_filter_lz4(bool decoding, size_t value_count, const unsigned values[], vz_bytes in, vz_buffer *out,
                   vz_error *err)
{
    size_t block_size = value_count > 0 && values[0] > 0 ? values[0] : DEFAULT_BLOCK_SIZE;
    if (block_size > MAX_BLOCK_SIZE)
        block_size = MAX_BLOCK_SIZE;
    if (in.size > 0 && block_size > in.size)
        block_size = in.size;
    vz_buffer scratch = {0};
    const bool ok = decoding ? decode(in, &scratch, out, err) : encode(block_size, in, &scratch, out, err);
    vz_buffer_clear(&scratch);
    return ok;
}
