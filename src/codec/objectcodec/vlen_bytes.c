/* vlen_bytes.c - numcodecs "vlen-bytes": items of any bytes. */
#include "codec/objectcodec/objects_internal.h"
#include "codec/codec/codec.h"

static bool vlen_bytes_decode(const vz_codec *codec, vz_bytes in, vz_item *items, size_t count, vz_arena *arena,
                              vz_error *err)
{
    return vz_items_decode(codec, in, items, count, arena, NULL, err);
}

static bool vlen_bytes_encode(const vz_codec *codec, const vz_item *items, size_t count, vz_buffer *out, vz_error *err)
{
    return vz_items_encode(codec, items, count, out, NULL, err);
}

const vz_codec_class vz_codec_vlen_bytes = {
    .id = "vlen-bytes",
    .kind = VZ_CODEC_ITEMS_TO_BYTES,
    .decode_items = vlen_bytes_decode,
    .encode_items = vlen_bytes_encode,
    .lends_items = true,
};
