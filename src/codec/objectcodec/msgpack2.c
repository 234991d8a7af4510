/* msgpack2.c - numcodecs "msgpack2": the list of json2 in MessagePack. */
#include "codec/codec/codec.h"
#include "codec/objectcodec/objects_internal.h"

/* "raw" and "use_bin_type" say how Python distinguishes text from bytes. The stored data says it
 * itself. */
static bool msgpack2_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    bool *single = codec->state;
    return vz_config_bool(codec, config, "use_single_float", single, err);
}

static bool msgpack2_decode(const vz_codec *codec, vz_bytes in, vz_item *items, size_t count, vz_arena *arena,
                            vz_error *err)
{
    vz_json *list = vz_msgpack_read(in, err);
    const bool ok = list && vz_objectcodec_list_take(codec, list, items, count, arena, err);
    vz_json_free(list);
    return ok;
}

static bool msgpack2_encode(const vz_codec *codec, const vz_item *items, size_t count, vz_buffer *out, vz_error *err)
{
    const bool *single = codec->state;
    vz_json *list = vz_objectcodec_list_make(codec, items, count, err);
    const bool ok = list && vz_msgpack_write(list, *single, out, err);
    vz_json_free(list);
    return ok;
}

const vz_codec_class vz_codec_msgpack2 = {
    .id = "msgpack2",
    .kind = VZ_CODEC_ITEMS_TO_BYTES,
    .state_size = sizeof(bool),
    .configure = msgpack2_configure,
    .decode_items = msgpack2_decode,
    .encode_items = msgpack2_encode,
};
