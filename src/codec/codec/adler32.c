/* adler32.c - numcodecs "adler32": zlib's checksum of the data, in front of it unless "location"
 * says otherwise. */
#include "codec/codec/codec_internal.h"
#include "codec/codec/codec.h"

#include <zlib.h>

static uint32_t sum_of(vz_bytes data)
{
    return (uint32_t)adler32_z(adler32_z(0, NULL, 0), data.data, data.size);
}

static bool adler32_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    return vz_checksum_configure(codec, config, sum_of, true, err);
}

const vz_codec_class vz_codec_adler32 = {
    .id = "adler32",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .state_size = sizeof(vz_checksum_state),
    .configure = adler32_configure,
    .encoded_size = vz_checksum_encoded_size,
    .decode = vz_checksum_decode,
    .encode = vz_checksum_encode,
};
