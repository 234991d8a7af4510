/* fletcher32.c - numcodecs "fletcher32": the data, then HDF5's Fletcher checksum of it, 4 bytes
 * little-endian. */
#include "codec/codec/codec.h"
#include "codec/codec/codec_internal.h"

#define CHECKSUM_SIZE 4
/* So many 16-bit words can be summed up before the 32-bit sums must be folded. */
#define WORDS_PER_FOLD 360

static uint32_t fold(uint32_t sum)
{
    return (sum & 0xffff) + (sum >> 16);
}

/* Words are big-endian; an odd last byte is the upper half of one. */
static uint32_t checksum(vz_bytes in)
{
    uint32_t sum1 = 0, sum2 = 0;
    const uint8_t *p = in.data;
    for (size_t words = in.size / 2; words;) {
        const size_t block = words < WORDS_PER_FOLD ? words : WORDS_PER_FOLD;
        for (size_t i = 0; i < block; i++, p += 2) {
            sum1 += (uint32_t)p[0] << 8 | p[1];
            sum2 += sum1;
        }
        sum1 = fold(sum1), sum2 = fold(sum2);
        words -= block;
    }
    if (in.size % 2) {
        sum1 += (uint32_t)*p << 8;
        sum2 += sum1;
        sum1 = fold(sum1), sum2 = fold(sum2);
    }
    return fold(sum2) << 16 | fold(sum1);
}

static bool fletcher32_encoded_size(const vz_codec *codec, size_t decoded_size, size_t *size)
{
    (void)codec;
    return !__builtin_add_overflow(decoded_size, (size_t)CHECKSUM_SIZE, size);
}

static bool fletcher32_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    if (in.size < CHECKSUM_SIZE)
        return vz_fail(err, VZ_CORRUPT, "fletcher32: %zu bytes, need at least %d", in.size, CHECKSUM_SIZE);
    const vz_bytes data = {in.data, in.size - CHECKSUM_SIZE};
    const uint32_t stored = vz_bytes_load_le32(in.data + data.size), computed = checksum(data);
    if (stored != computed)
        return vz_fail(err, VZ_CORRUPT, "fletcher32: the checksum is %08x, the data's is %08x", stored, computed);
    return vz_sink_claim(codec, out, data.size, err) && vz_buffer_append(out, data.data, data.size, err);
}

static bool fletcher32_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    size_t size;
    if (!fletcher32_encoded_size(codec, in.size, &size))
        return vz_fail(err, VZ_LIMIT, "fletcher32: the chunk is too large");
    uint8_t sum[CHECKSUM_SIZE];
    vz_bytes_store_le32(sum, checksum(in));
    return vz_buffer_reserve(out, size, err) && vz_buffer_append(out, in.data, in.size, err) &&
           vz_buffer_append(out, sum, sizeof sum, err);
}

const vz_codec_class vz_codec_fletcher32 = {
    .id = "fletcher32",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .encoded_size = fletcher32_encoded_size,
    .decode = fletcher32_decode,
    .encode = fletcher32_encode,
};
