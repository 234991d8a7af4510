/* byte_order.c - v3's "bytes" where codecs of numbers stand before it. They leave the machine's
 * little-endian order, and the numbers are stored in the order that "endian" says. (Elsewhere the
 * order is a matter of the dtype.) */
#include "codec/codec/codec.h"
#include "codec/codec/codec_internal.h"

static bool byte_order_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    const char *endian = "little";
    const size_t size = codec->context.element_size;
    if (!vz_config_text(codec, config, "endian", &endian, err))
        return false;
    const bool big = strcmp(endian, "big") == 0;
    if (!big && strcmp(endian, "little") != 0)
        return vz_fail(err, VZ_CORRUPT, "codec bytes: \"endian\" is \"%.100s\", neither \"little\" nor \"big\"",
                       endian);
    *(bool *)codec->state = big && size > 1;
    return !big || size == 1 || size == 2 || size == 4 || size == 8 ||
           vz_fail(err, VZ_UNSUPPORTED, "codec bytes: big-endian elements of %zu bytes behind other codecs", size);
}

static size_t byte_order_encoded_element_size(const vz_codec *codec)
{
    return codec->context.element_size;
}

static bool byte_order_encoded_size(const vz_codec *codec, size_t decoded_size, size_t *size)
{
    (void)codec;
    *size = decoded_size;
    return true;
}

static void swap_elements(uint8_t *data, size_t count, size_t element_size)
{
    for (size_t i = 0; i < count; i++, data += element_size)
        for (size_t b = 0; b < element_size / 2; b++) {
            const uint8_t byte = data[b];
            data[b] = data[element_size - 1 - b];
            data[element_size - 1 - b] = byte;
        }
}

/* Both ways are one. */
static bool byte_order_turn(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    const size_t size = codec->context.element_size;
    if (in.size % size)
        return vz_fail(err, VZ_CORRUPT, "bytes: %zu bytes are no whole elements of %zu", in.size, size);
    if (!vz_buffer_append(out, in.data, in.size, err))
        return false;
    if (*(const bool *)codec->state)
        swap_elements(out->data, in.size / size, size);
    return true;
}

static bool byte_order_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    return vz_sink_claim(codec, out, in.size, err) && byte_order_turn(codec, in, out, err);
}

const vz_codec_class vz_codec_byte_order = {
    .id = "bytes",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .state_size = sizeof(bool),
    .configure = byte_order_configure,
    .encoded_element_size = byte_order_encoded_element_size,
    .encoded_size = byte_order_encoded_size,
    .decode = byte_order_decode,
    .encode = byte_order_turn,
};
