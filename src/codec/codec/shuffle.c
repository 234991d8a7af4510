/* shuffle.c - numcodecs "shuffle": the first bytes of all elements, then the second bytes, and so
 * on; HDF5's shuffle. */
#include "codec/codec/codec.h"
#include "codec/codec/codec_internal.h"

#define ELEMENT_SIZE_DEFAULT 4

typedef struct shuffle_state {
    int64_t size;
} shuffle_state;

static bool shuffle_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    shuffle_state *state = codec->state;
    state->size = ELEMENT_SIZE_DEFAULT;
    return vz_config_int(codec, config, "elementsize", INT32_MIN, INT32_MAX, &state->size, err);
}

/* Sizes of 1 and below (numcodecs lets them pass) change nothing. */
static size_t element_size(const vz_codec *codec)
{
    const int64_t size = ((const shuffle_state *)codec->state)->size;
    return size > 1 ? (size_t)size : 1;
}

static bool shuffle_encoded_size(const vz_codec *codec, size_t decoded_size, size_t *size)
{
    (void)codec;
    *size = decoded_size;
    return true;
}

/* numcodecs refuses what is no whole number of elements; HDF5's filter leaves the rest at the end
 * as it is. */
static bool whole_elements(const vz_codec *codec, vz_bytes in, vz_error_class class, vz_error *err)
{
    const size_t size = element_size(codec);
    return in.size % size == 0 || codec->context.as_filter ||
           vz_fail(err, class, "shuffle: %zu bytes are no whole elements of %zu", in.size, size);
}

/* Bytes [offset, offset+size) of the decoded data. */
static void unshuffle(vz_bytes in, size_t element, size_t offset, size_t size, uint8_t *out)
{
    const size_t whole = in.size - in.size % element;
    const size_t part = offset >= whole ? 0 : size < whole - offset ? size : whole - offset;
    if (part)
        vz_unshuffle(in.data, in.size / element, element, offset, part, out);
    if (part < size)
        memcpy(out + part, in.data + offset + part, size - part);
}

static bool shuffle_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    if (!whole_elements(codec, in, VZ_CORRUPT, err) || !vz_sink_claim(codec, out, in.size, err))
        return false;
    unshuffle(in, element_size(codec), 0, in.size, out->data);
    out->size = in.size;
    return true;
}

static bool shuffle_decode_range(const vz_codec *codec, vz_bytes in, uint64_t offset, uint64_t size, vz_buffer *out,
                                 vz_error *err)
{
    uint64_t end;
    if (!whole_elements(codec, in, VZ_CORRUPT, err))
        return false;
    if (!vz_add(offset, size, &end) || end > in.size)
        return vz_fail(err, VZ_CORRUPT, "shuffle: %zu bytes end before the range asked", in.size);
    if (!vz_sink_claim(codec, out, size, err))
        return false;
    unshuffle(in, element_size(codec), (size_t)offset, (size_t)size, out->data);
    out->size = (size_t)size;
    return true;
}

static bool shuffle_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    if (!whole_elements(codec, in, VZ_INVALID, err) || !vz_buffer_reserve(out, in.size, err))
        return false;
    const size_t size = element_size(codec), rest = in.size % size;
    vz_shuffle(in.data, in.size / size, size, out->data);
    if (rest)
        memcpy(out->data + in.size - rest, in.data + in.size - rest, rest);
    out->size = in.size;
    return true;
}

const vz_codec_class vz_codec_shuffle = {
    .id = "shuffle",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .state_size = sizeof(shuffle_state),
    .configure = shuffle_configure,
    .encoded_size = shuffle_encoded_size,
    .decode = shuffle_decode,
    .encode = shuffle_encode,
    .decode_range = shuffle_decode_range,
};
