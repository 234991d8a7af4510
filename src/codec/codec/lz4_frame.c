/* lz4_frame.c - see codec.h. */
#include "codec/codec/codec_internal.h"

#include <lz4.h>

#define HEADER_SIZE        12
#define BLOCK_HEADER_SIZE  4
#define DEFAULT_BLOCK_SIZE ((size_t)1 << 30)
/* A byte of an LZ4 block stands for at most this many decoded ones. */
#define RATIO_MAX 255

static uint32_t load_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static void store_be32(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)(value >> 24), p[1] = (uint8_t)(value >> 16), p[2] = (uint8_t)(value >> 8), p[3] = (uint8_t)value;
}

static bool append_header(size_t size, size_t block_size, vz_buffer *out, vz_error *err)
{
    uint8_t header[HEADER_SIZE];
    store_be32(header, (uint32_t)((uint64_t)size >> 32));
    store_be32(header + 4, (uint32_t)size);
    store_be32(header + 8, (uint32_t)block_size);
    return vz_buffer_append(out, header, sizeof header, err);
}

static bool append_block(vz_bytes stored, vz_buffer *out, vz_error *err)
{
    uint8_t header[BLOCK_HEADER_SIZE];
    store_be32(header, (uint32_t)stored.size);
    return vz_buffer_append(out, header, sizeof header, err) && vz_buffer_append(out, stored.data, stored.size, err);
}

static bool encode_block(vz_bytes block, vz_buffer *scratch, vz_buffer *out, vz_error *err)
{
    const int bound = LZ4_compressBound((int)block.size);
    if (!vz_buffer_reserve(scratch, (size_t)bound, err))
        return false;
    const int size = LZ4_compress_default((const char *)block.data, (char *)scratch->data, (int)block.size, bound);
    if (size <= 0)
        return vz_fail(err, VZ_INVALID, "lz4 filter: the library could not encode");
    const vz_bytes stored = {scratch->data, (size_t)size};
    return append_block(stored.size < block.size ? stored : block, out, err);
}

bool vz_lz4_frame_encode(size_t block_size, vz_bytes in, vz_buffer *out, vz_error *err)
{
    vz_buffer scratch = {0};
    if (block_size == 0)
        block_size = DEFAULT_BLOCK_SIZE;
    if (block_size > LZ4_MAX_INPUT_SIZE)
        block_size = LZ4_MAX_INPUT_SIZE;
    if (in.size > 0 && block_size > in.size)
        block_size = in.size;
    bool ok = append_header(in.size, block_size, out, err);
    while (ok && in.size > 0) {
        const vz_bytes block = {in.data, in.size < block_size ? in.size : block_size};
        ok = encode_block(block, &scratch, out, err);
        in = (vz_bytes){in.data + block.size, in.size - block.size};
    }
    vz_buffer_clear(&scratch);
    return ok;
}

/* Takes the next block off `in`; false: the data end before it does. */
static bool next_block(vz_bytes *in, vz_bytes *stored)
{
    if (in->size < BLOCK_HEADER_SIZE)
        return false;
    *stored = (vz_bytes){in->data + BLOCK_HEADER_SIZE, load_be32(in->data)};
    if (stored->size > in->size - BLOCK_HEADER_SIZE)
        return false;
    *in = (vz_bytes){stored->data + stored->size, in->size - BLOCK_HEADER_SIZE - stored->size};
    return true;
}

/* Into `out`, where there is room. */
static bool decode_block(vz_bytes stored, size_t size, vz_buffer *out, vz_error *err)
{
    uint8_t *place = out->data + out->size;
    if (stored.size == size)
        memcpy(place, stored.data, size);
    else if (stored.size > LZ4_MAX_INPUT_SIZE ||
             LZ4_decompress_safe((const char *)stored.data, (char *)place, (int)stored.size, (int)size) != (int)size)
        return vz_fail(err, VZ_CORRUPT, "lz4 filter: a block does not decode to %zu bytes", size);
    out->size += size;
    return true;
}

bool vz_lz4_frame_decode(vz_bytes in, size_t most, vz_buffer *out, vz_error *err)
{
    if (in.size < HEADER_SIZE)
        return vz_fail(err, VZ_CORRUPT, "lz4 filter: the data end too early");
    uint64_t left = (uint64_t)load_be32(in.data) << 32 | load_be32(in.data + 4);
    const uint32_t block_size = load_be32(in.data + 8);
    in = (vz_bytes){in.data + HEADER_SIZE, in.size - HEADER_SIZE};
    if (left > most || left / RATIO_MAX > in.size || (left > 0 && block_size == 0) || block_size > LZ4_MAX_INPUT_SIZE)
        return vz_fail(err, VZ_CORRUPT, "lz4 filter: %zu bytes cannot hold %llu in blocks of %u", in.size,
                       (unsigned long long)left, block_size);
    if (!vz_buffer_reserve(out, out->size + (size_t)left, err))
        return false;
    while (left > 0) {
        const size_t size = left < block_size ? (size_t)left : block_size;
        vz_bytes stored;
        if (!next_block(&in, &stored))
            return vz_fail(err, VZ_CORRUPT, "lz4 filter: the data end too early");
        if (!decode_block(stored, size, out, err))
            return false;
        left -= size;
    }
    return true;
}

bool vz_lz4_frame_wrap(vz_bytes block, size_t size, vz_buffer *out, vz_error *err)
{
    return append_header(size, size, out, err) && append_block(block, out, err);
}

bool vz_lz4_frame_unwrap(vz_bytes in, vz_bytes *block, size_t *size)
{
    if (in.size < HEADER_SIZE || load_be32(in.data) != 0)
        return false;
    *size = load_be32(in.data + 4);
    const bool alone = load_be32(in.data + 8) >= *size;
    in = (vz_bytes){in.data + HEADER_SIZE, in.size - HEADER_SIZE};
    return alone && *size > 0 && next_block(&in, block) && in.size == 0 && block->size != *size;
}
