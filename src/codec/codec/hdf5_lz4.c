/* hdf5_lz4.c - "hdf5_lz4": blocks of LZ4 as HDF5's filter 32004 frames them. */
#include "codec/codec/codec_internal.h"
#include "codec/codec/hdf5_filters.h"

static bool decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    return vz_lz4_frame_decode(in, vz_sink_room(codec, out), out, err);
}

static bool encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    (void)codec;
    return vz_lz4_frame_encode(0, in, out, err);
}

const vz_codec_class vz_codec_hdf5_lz4 = {
    .id = "hdf5_lz4",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .is_compressor = true,
    .decode = decode,
    .encode = encode,
};
