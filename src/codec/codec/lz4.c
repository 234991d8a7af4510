/* lz4.c - numcodecs "lz4": 4-byte little-endian size, then one LZ4 block. HDF5 filter 32004 frames
 * such blocks otherwise. */
#include "codec/codec/codec.h"
#include "codec/codec/codec_internal.h"

#include <limits.h>
#include <lz4.h>

#define LZ4_HEADER_SIZE 4
/* A byte of an LZ4 block stands for at most this many decoded ones. */
#define LZ4_RATIO_MAX 255

typedef struct lz4_state {
    int64_t acceleration;
} lz4_state;

static bool lz4_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    lz4_state *state = codec->state;
    state->acceleration = 1;
    if (!vz_config_int(codec, config, "acceleration", INT_MIN, INT_MAX, &state->acceleration, err))
        return false;
    if (state->acceleration < 1)
        state->acceleration = 1;
    return true;
}

static bool lz4_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    if (in.size < LZ4_HEADER_SIZE)
        return vz_fail(err, VZ_CORRUPT, "lz4: %zu bytes, need at least %d", in.size, LZ4_HEADER_SIZE);
    const vz_bytes block = {in.data + LZ4_HEADER_SIZE, in.size - LZ4_HEADER_SIZE};
    const uint32_t size = vz_bytes_load_le32(in.data);
    if (block.size > INT_MAX || size > INT_MAX || size / LZ4_RATIO_MAX > block.size)
        return vz_fail(err, VZ_CORRUPT, "lz4: %zu bytes cannot decode to %u", block.size, size);
    if (!vz_sink_claim(codec, out, size, err))
        return false;
    uint8_t nothing;
    uint8_t *place = out->data ? out->data : &nothing;
    if (LZ4_decompress_safe((const char *)block.data, (char *)place, (int)block.size, (int)size) != (int)size)
        return vz_fail(err, VZ_CORRUPT, "lz4: block does not decode to %u bytes", size);
    out->size = size;
    return true;
}

static bool lz4_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    const lz4_state *state = codec->state;
    if (in.size > LZ4_MAX_INPUT_SIZE)
        return vz_fail(err, VZ_LIMIT, "lz4: a chunk of %zu bytes is over its limit of %d", in.size, LZ4_MAX_INPUT_SIZE);
    const int bound = LZ4_compressBound((int)in.size);
    if (!vz_buffer_reserve(out, LZ4_HEADER_SIZE + (size_t)bound, err))
        return false;
    vz_bytes_store_le32(out->data, (uint32_t)in.size);
    const int size = LZ4_compress_fast((const char *)in.data, (char *)out->data + LZ4_HEADER_SIZE, (int)in.size, bound,
                                       (int)state->acceleration);
    if (size <= 0)
        return vz_fail(err, VZ_INVALID, "lz4: the library could not encode");
    out->size = LZ4_HEADER_SIZE + (size_t)size;
    return true;
}

/* A block as long as what it decodes to would be taken for one that is not compressed. */
static bool lz4_to_filter(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    if (in.size > LZ4_HEADER_SIZE && in.size - LZ4_HEADER_SIZE != vz_bytes_load_le32(in.data))
        return vz_lz4_frame_wrap((vz_bytes){in.data + LZ4_HEADER_SIZE, in.size - LZ4_HEADER_SIZE},
                                 vz_bytes_load_le32(in.data), out, err);
    vz_buffer plain = {0};
    const bool ok =
        lz4_decode(codec, in, &plain, err) && vz_lz4_frame_encode(0, (vz_bytes){plain.data, plain.size}, out, err);
    vz_buffer_clear(&plain);
    return ok;
}

static bool lz4_from_filter(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    vz_bytes block;
    size_t size;
    if (vz_lz4_frame_unwrap(in, &block, &size)) {
        uint8_t header[LZ4_HEADER_SIZE];
        vz_bytes_store_le32(header, (uint32_t)size);
        return vz_buffer_append(out, header, sizeof header, err) && vz_buffer_append(out, block.data, block.size, err);
    }
    vz_buffer plain = {0};
    const bool ok = vz_lz4_frame_decode(in, vz_sink_room(codec, &plain), &plain, err) &&
                    lz4_encode(codec, (vz_bytes){plain.data, plain.size}, out, err);
    vz_buffer_clear(&plain);
    return ok;
}

const vz_codec_class vz_codec_lz4 = {
    .id = "lz4",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .is_compressor = true,
    .state_size = sizeof(lz4_state),
    .configure = lz4_configure,
    .decode = lz4_decode,
    .encode = lz4_encode,
    .to_filter = lz4_to_filter,
    .from_filter = lz4_from_filter,
};
