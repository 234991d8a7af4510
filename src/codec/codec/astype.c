/* astype.c - numcodecs "astype": numbers stored as another type, cast as C and numpy cast. */
#include "codec/codec/codec_internal.h"
#include "codec/codec/codec.h"

static bool same(const void *state, vz_codec_number *value, vz_error *err)
{
    (void)state, (void)value, (void)err;
    return true; /* storing casts */
}

static bool astype_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    vz_codec_number_filter *mapping = codec->state;
    return vz_codec_number_type_read(codec, config, "encode_dtype", &mapping->encoded, err) &&
           vz_codec_number_type_read(codec, config, "decode_dtype", &mapping->decoded, err) &&
           vz_codec_mapping_check(codec, err);
}

static bool astype_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    return vz_codec_mapping_decode(codec, in, same, out, err);
}

static bool astype_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    return vz_codec_mapping_encode(codec, in, same, out, err);
}

const vz_codec_class vz_codec_astype = {
    .id = "astype",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .state_size = sizeof(vz_codec_number_filter),
    .configure = astype_configure,
    .encoded_element_size = vz_codec_mapping_encoded_element_size,
    .encoded_size = vz_codec_mapping_encoded_size,
    .decode = astype_decode,
    .encode = astype_encode,
};
