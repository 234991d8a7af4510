/* checksum.c - data and a checksum of 4 bytes, little-endian, in front of it or behind. */
#include "codec/codec/codec_internal.h"
#include "codec/codec/codec.h"

bool vz_checksum_configure(vz_codec *codec, const vz_json *config, vz_checksum_sum sum, bool at_start, vz_error *err)
{
    const char *location = at_start ? "start" : "end";
    if (!vz_config_text(codec, config, "location", &location, err))
        return false;
    const bool start = strcmp(location, "start") == 0;
    if (!start && strcmp(location, "end") != 0)
        return vz_fail(err, VZ_CORRUPT, "codec %s: \"location\" is \"%.100s\", neither \"start\" nor \"end\"",
                       codec->class->id, location);
    *(vz_checksum_state *)codec->state = (vz_checksum_state){.sum = sum, .at_start = start};
    return true;
}

bool vz_checksum_encoded_size(const vz_codec *codec, size_t decoded_size, size_t *size)
{
    (void)codec;
    return !__builtin_add_overflow(decoded_size, (size_t)VZ_CHECKSUM_SIZE, size);
}

bool vz_checksum_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    const vz_checksum_state *state = codec->state;
    const char *id = codec->class->id;
    if (in.size < VZ_CHECKSUM_SIZE)
        return vz_fail(err, VZ_CORRUPT, "%s: %zu bytes, need at least %d", id, in.size, VZ_CHECKSUM_SIZE);
    const vz_bytes data = {in.data + (state->at_start ? VZ_CHECKSUM_SIZE : 0), in.size - VZ_CHECKSUM_SIZE};
    const uint32_t stored = vz_bytes_load_le32(state->at_start ? in.data : in.data + data.size),
                   computed = state->sum(data);
    if (stored != computed)
        return vz_fail(err, VZ_CORRUPT, "%s: the checksum is %08x, the data's is %08x", id, stored, computed);
    return vz_sink_claim(codec, out, data.size, err) && vz_buffer_append(out, data.data, data.size, err);
}

bool vz_checksum_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    const vz_checksum_state *state = codec->state;
    size_t size;
    if (!vz_checksum_encoded_size(codec, in.size, &size))
        return vz_fail(err, VZ_LIMIT, "%s: the chunk is too large", codec->class->id);
    uint8_t sum[VZ_CHECKSUM_SIZE];
    vz_bytes_store_le32(sum, state->sum(in));
    if (!vz_buffer_reserve(out, size, err))
        return false;
    return (!state->at_start || vz_buffer_append(out, sum, sizeof sum, err)) &&
           vz_buffer_append(out, in.data, in.size, err) &&
           (state->at_start || vz_buffer_append(out, sum, sizeof sum, err));
}
