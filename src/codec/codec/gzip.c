/* gzip.c - numcodecs "gzip": gzip members (RFC 1952) one after the other, perhaps with zero bytes
 * after each. HDF5's deflate filter stores a zlib stream. */
#include "codec/codec/codec.h"
#include "codec/codec/codec_internal.h"

static bool gzip_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    return vz_config_level(codec, config, VZ_DEFLATE_LEVEL_MIN, VZ_DEFLATE_LEVEL_MAX, VZ_DEFLATE_LEVEL_DEFAULT, err);
}

static bool gzip_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    do {
        if (!vz_deflate_decode(codec, VZ_DEFLATE_GZIP, &in, out, err))
            return false;
        while (in.size && *in.data == 0)
            in = (vz_bytes){in.data + 1, in.size - 1};
    } while (in.size);
    return true;
}

static bool gzip_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    return vz_deflate_encode(codec, VZ_DEFLATE_GZIP, in, out, err);
}

const vz_codec_class vz_codec_gzip = {
    .id = "gzip",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .is_compressor = true,
    .state_size = sizeof(int64_t),
    .configure = gzip_configure,
    .decode = gzip_decode,
    .encode = gzip_encode,
    .to_filter = vz_gzip_to_zlib,
    .from_filter = vz_gzip_from_zlib,
};
