/* number_filter.c - filters that turn each number into one of another type. */
#include "codec/codec/codec_internal.h"

static const vz_codec_number_filter *mapping_of(const vz_codec *codec)
{
    return codec->state;
}

bool vz_codec_mapping_check(const vz_codec *codec, vz_error *err)
{
    const vz_codec_number_type from = mapping_of(codec)->decoded, to = mapping_of(codec)->encoded;
    return (vz_codec_number_type_is_real(from) && vz_codec_number_type_is_real(to)) ||
           vz_fail(err, VZ_UNSUPPORTED, "codec %s: from type %c%zu to %c%zu", codec->class->id, from.kind, from.size,
                   to.kind, to.size);
}

size_t vz_codec_mapping_encoded_element_size(const vz_codec *codec)
{
    return mapping_of(codec)->encoded.size;
}

bool vz_codec_mapping_encoded_size(const vz_codec *codec, size_t decoded_size, size_t *size)
{
    const vz_codec_number_filter *mapping = mapping_of(codec);
    return !__builtin_mul_overflow(decoded_size / mapping->decoded.size, mapping->encoded.size, size);
}

static bool run(const vz_codec *codec, vz_codec_number_type from, vz_codec_number_type to, vz_bytes in,
                vz_codec_mapping_step step, uint8_t *out, vz_error *err)
{
    for (size_t i = 0, count = in.size / from.size; i < count; i++) {
        vz_codec_number value = vz_codec_number_load(from, in.data + i * from.size);
        if (!step(codec->state, &value, err))
            return false;
        vz_codec_number_store(to, value, out + i * to.size);
    }
    return true;
}

bool vz_codec_mapping_decode(const vz_codec *codec, vz_bytes in, vz_codec_mapping_step step, vz_buffer *out,
                             vz_error *err)
{
    const vz_codec_number_filter *mapping = mapping_of(codec);
    uint64_t size;
    if (in.size % mapping->encoded.size || !vz_mul(in.size / mapping->encoded.size, mapping->decoded.size, &size))
        return vz_fail(err, VZ_CORRUPT, "%s: %zu bytes are no whole elements of %zu", codec->class->id, in.size,
                       mapping->encoded.size);
    if (!vz_sink_claim(codec, out, size, err))
        return false;
    if (!run(codec, mapping->encoded, mapping->decoded, in, step, out->data, err))
        return false;
    out->size = (size_t)size;
    return true;
}

bool vz_codec_mapping_encode(const vz_codec *codec, vz_bytes in, vz_codec_mapping_step step, vz_buffer *out,
                             vz_error *err)
{
    const vz_codec_number_filter *mapping = mapping_of(codec);
    size_t size;
    if (in.size % mapping->decoded.size || !vz_codec_mapping_encoded_size(codec, in.size, &size))
        return vz_fail(err, VZ_INVALID, "%s: %zu bytes are no whole elements of %zu", codec->class->id, in.size,
                       mapping->decoded.size);
    if (!vz_buffer_reserve(out, size, err))
        return false;
    if (!run(codec, mapping->decoded, mapping->encoded, in, step, out->data, err))
        return false;
    out->size = size;
    return true;
}
