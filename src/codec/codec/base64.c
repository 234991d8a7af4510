/* base64.c - numcodecs "base64": bytes as text. */
#include "codec/codec/codec.h"
#include "codec/codec/codec_internal.h"
#include <stdlib.h>

static bool base64_encoded_size(const vz_codec *codec, size_t decoded_size, size_t *size)
{
    (void)codec;
    uint64_t all;
    if (!vz_mul(decoded_size / 3 + (decoded_size % 3 != 0), 4, &all) || all > SIZE_MAX)
        return false;
    *size = (size_t)all;
    return true;
}

static bool base64_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    const size_t room = vz_sink_room(codec, out);
    /* padding may stand for two more */
    vz_buffer decoded = {.limit = room < SIZE_MAX - 2 ? room + 2 : room};
    const bool ok = vz_base64_decode((const char *)in.data, in.size, &decoded, err) &&
                    vz_sink_claim(codec, out, decoded.size, err) &&
                    vz_buffer_append(out, decoded.data, decoded.size, err);
    vz_buffer_clear(&decoded);
    return ok;
}

static bool base64_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    (void)codec;
    char *text = vz_base64_encode(in.data, in.size, err);
    const bool ok = text && vz_buffer_append(out, text, strlen(text), err);
    free(text);
    return ok;
}

const vz_codec_class vz_codec_base64 = {
    .id = "base64",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .encoded_size = base64_encoded_size,
    .decode = base64_decode,
    .encode = base64_encode,
};
