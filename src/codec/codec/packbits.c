/* packbits.c - numcodecs "packbits": a byte that counts the unused bits at the end, then eight
 * booleans a byte, the first in the highest bit. */
#include "codec/codec/codec.h"
#include "codec/codec/codec_internal.h"

static bool packbits_encoded_size(const vz_codec *codec, size_t decoded_size, size_t *size)
{
    (void)codec;
    *size = 1 + decoded_size / 8 + (decoded_size % 8 != 0);
    return true;
}

static bool packbits_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    uint64_t count;
    if (in.size == 0 || in.data[0] > 7 || (in.size == 1 && in.data[0]) || !vz_mul(in.size - 1, 8, &count))
        return vz_fail(err, VZ_CORRUPT, "packbits: %zu bytes with %d unused bits", in.size, in.size ? in.data[0] : 0);
    count -= in.data[0];
    if (!vz_sink_claim(codec, out, count, err))
        return false;
    for (uint64_t i = 0; i < count; i++)
        out->data[i] = in.data[1 + i / 8] >> (7 - i % 8) & 1;
    out->size = (size_t)count;
    return true;
}

static bool packbits_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    size_t size;
    if (!packbits_encoded_size(codec, in.size, &size) || !vz_buffer_reserve(out, size, err))
        return false;
    memset(out->data, 0, size);
    out->data[0] = (uint8_t)((8 - in.size % 8) % 8);
    for (size_t i = 0; i < in.size; i++)
        if (in.data[i])
            out->data[1 + i / 8] |= (uint8_t)(0x80 >> i % 8);
    out->size = size;
    return true;
}

const vz_codec_class vz_codec_packbits = {
    .id = "packbits",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .encoded_size = packbits_encoded_size,
    .decode = packbits_decode,
    .encode = packbits_encode,
};
