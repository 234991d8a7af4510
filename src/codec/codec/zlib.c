/* zlib.c - numcodecs "zlib": one zlib stream (RFC 1950), as HDF5's deflate filter writes. */
#include "codec/codec/codec.h"
#include "codec/codec/codec_internal.h"

static bool zlib_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    return vz_config_level(codec, config, VZ_DEFLATE_LEVEL_MIN, VZ_DEFLATE_LEVEL_MAX, VZ_DEFLATE_LEVEL_DEFAULT, err);
}

/* Bytes after the stream are ignored, as by numcodecs and HDF5. */
static bool zlib_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    return vz_deflate_decode(codec, VZ_DEFLATE_ZLIB, &in, out, err);
}

static bool zlib_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    return vz_deflate_encode(codec, VZ_DEFLATE_ZLIB, in, out, err);
}

const vz_codec_class vz_codec_zlib = {
    .id = "zlib",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .is_compressor = true,
    .state_size = sizeof(int64_t),
    .configure = zlib_configure,
    .decode = zlib_decode,
    .encode = zlib_encode,
};
