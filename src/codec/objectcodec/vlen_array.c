/* vlen_array.c - numcodecs "vlen-array": items that are arrays of `dtype`, in that type's byte
 * order. */
#include "codec/objectcodec/objects_internal.h"
#include "codec/codec/codec.h"

static bool vlen_array_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    return vz_codec_number_type_read(codec, config, "dtype", codec->state, err);
}

static bool check_array(const vz_codec *codec, vz_item item, size_t index, vz_error_class class, vz_error *err)
{
    const vz_codec_number_type *type = codec->state;
    if (item.size % type->size == 0)
        return true;
    return vz_fail(err, class, "vlen-array: item %zu has %llu bytes, no whole elements of %zu", index,
                   (unsigned long long)item.size, type->size);
}

static bool vlen_array_decode(const vz_codec *codec, vz_bytes in, vz_item *items, size_t count, vz_arena *arena,
                              vz_error *err)
{
    return vz_items_decode(codec, in, items, count, arena, check_array, err);
}

static bool vlen_array_encode(const vz_codec *codec, const vz_item *items, size_t count, vz_buffer *out, vz_error *err)
{
    return vz_items_encode(codec, items, count, out, check_array, err);
}

const vz_codec_class vz_codec_vlen_array = {
    .id = "vlen-array",
    .kind = VZ_CODEC_ITEMS_TO_BYTES,
    .state_size = sizeof(vz_codec_number_type),
    .configure = vlen_array_configure,
    .decode_items = vlen_array_decode,
    .encode_items = vlen_array_encode,
};
