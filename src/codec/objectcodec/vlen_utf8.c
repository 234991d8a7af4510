/* vlen_utf8.c - numcodecs "vlen-utf8": items of text. Python's readers cannot open text that is not
 * UTF-8, so it is neither written nor read. */
#include "codec/objectcodec/objects_internal.h"
#include "codec/codec/codec.h"

static bool check_text(const vz_codec *codec, vz_item item, size_t index, vz_error_class class, vz_error *err)
{
    (void)codec;
    if (vz_utf8_valid(item.data, item.size))
        return true;
    return vz_fail(err, class, "vlen-utf8: item %zu is not UTF-8", index);
}

static bool vlen_utf8_decode(const vz_codec *codec, vz_bytes in, vz_item *items, size_t count, vz_arena *arena,
                             vz_error *err)
{
    return vz_items_decode(codec, in, items, count, arena, check_text, err);
}

static bool vlen_utf8_encode(const vz_codec *codec, const vz_item *items, size_t count, vz_buffer *out, vz_error *err)
{
    return vz_items_encode(codec, items, count, out, check_text, err);
}

const vz_codec_class vz_codec_vlen_utf8 = {
    .id = "vlen-utf8",
    .kind = VZ_CODEC_ITEMS_TO_BYTES,
    .decode_items = vlen_utf8_decode,
    .encode_items = vlen_utf8_encode,
    .lends_items = true,
};
