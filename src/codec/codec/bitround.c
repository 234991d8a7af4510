/* bitround.c - numcodecs "bitround": reals whose last bits are rounded away, ties to even. Stored
 * as they are, so that decoding is nothing but a copy. */
#include "codec/codec/codec.h"
#include "codec/codec/codec_internal.h"

/* Bits of the mantissa that are stored. */
static int mantissa_bits(size_t size)
{
    return size == 2 ? 10 : size == 4 ? 23 : size == 8 ? 52 : 0;
}

static size_t bitround_encoded_element_size(const vz_codec *codec)
{
    return codec->context.element_size;
}

static bool bitround_encoded_size(const vz_codec *codec, size_t decoded_size, size_t *size)
{
    (void)codec;
    *size = decoded_size;
    return true;
}

static bool bitround_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    int64_t *keep = codec->state;
    const int bits = mantissa_bits(codec->context.element_size);
    *keep = -1;
    if (!bits)
        return vz_fail(err, VZ_UNSUPPORTED, "codec bitround: elements of %zu bytes", codec->context.element_size);
    if (!vz_config_int(codec, config, "keepbits", 0, bits, keep, err))
        return false;
    return *keep >= 0 || vz_fail(err, VZ_CORRUPT, "codec bitround: \"keepbits\" is missing");
}

static bool bitround_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    return vz_sink_claim(codec, out, in.size, err) && vz_buffer_append(out, in.data, in.size, err);
}

/* Half of what goes is added (a little less where the last bit that stays is 0), then what goes is
 * cut off. A carry into the exponent is right. */
static uint64_t round_bits(uint64_t bits, unsigned drop)
{
    const uint64_t half = ((uint64_t)1 << (drop - 1)) - 1;
    return (bits + (bits >> drop & 1) + half) >> drop << drop;
}

static bool bitround_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    const size_t size = codec->context.element_size;
    const unsigned drop = (unsigned)(mantissa_bits(size) - *(const int64_t *)codec->state);
    const vz_codec_number_type type = {.kind = 'u', .size = size, .swapped = codec->context.swapped};
    if (in.size % size)
        return vz_fail(err, VZ_INVALID, "bitround: %zu bytes are no whole elements of %zu", in.size, size);
    if (!vz_buffer_append(out, in.data, in.size, err))
        return false;
    for (uint8_t *p = out->data; drop && p < out->data + out->size; p += size) {
        vz_codec_number number = vz_codec_number_load(type, p);
        number.integer = round_bits(number.integer, drop);
        vz_codec_number_store(type, number, p);
    }
    return true;
}

const vz_codec_class vz_codec_bitround = {
    .id = "bitround",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .state_size = sizeof(int64_t),
    .configure = bitround_configure,
    .encoded_element_size = bitround_encoded_element_size,
    .encoded_size = bitround_encoded_size,
    .decode = bitround_decode,
    .encode = bitround_encode,
};
