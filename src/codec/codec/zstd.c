/* zstd.c - numcodecs "zstd": Zstandard frames, usually one. */
#include "codec/codec/codec.h"
#include "codec/codec/codec_internal.h"

#include <limits.h>
#include <zstd.h>
#include <zstd_errors.h>

/* A frame's own word for its size is enough to make room for so much; beyond, room comes with the
 * output. */
#define TRUSTED_SIZE ((uint64_t)64 << 20)

typedef struct zstd_state {
    int64_t level;
    bool checksum;
} zstd_state;

static bool zstd_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    zstd_state *state = codec->state;
    state->level = 0;
    if (!vz_config_int(codec, config, "level", INT_MIN, INT_MAX, &state->level, err) ||
        !vz_config_bool(codec, config, "checksum", &state->checksum, err))
        return false;
    /* numcodecs takes what is beyond the library's range as its end. */
    if (state->level > ZSTD_maxCLevel())
        state->level = ZSTD_maxCLevel();
    if (state->level < ZSTD_minCLevel())
        state->level = ZSTD_minCLevel();
    return true;
}

static void decoder_free(void *context)
{
    ZSTD_freeDCtx(context);
}

static void encoder_free(void *context)
{
    ZSTD_freeCCtx(context);
}

static ZSTD_DCtx *thread_decoder(void)
{
    void **place = vz_codec_thread_context(VZ_CONTEXT_ZSTD_DECODE, decoder_free);
    if (place && !*place)
        *place = ZSTD_createDCtx();
    return place ? *place : NULL;
}

static ZSTD_CCtx *thread_encoder(void)
{
    void **place = vz_codec_thread_context(VZ_CONTEXT_ZSTD_ENCODE, encoder_free);
    if (place && !*place)
        *place = ZSTD_createCCtx();
    return place ? *place : NULL;
}

/* The sum of the sizes that all frames state, or ZSTD_CONTENTSIZE_UNKNOWN. False if these are no
 * frames. */
static bool claimed_size(vz_bytes in, uint64_t *total)
{
    *total = 0;
    while (in.size) {
        const size_t frame = ZSTD_findFrameCompressedSize(in.data, in.size);
        if (ZSTD_isError(frame))
            return false;
        const unsigned long long size = ZSTD_getFrameContentSize(in.data, in.size);
        if (size == ZSTD_CONTENTSIZE_ERROR)
            return false;
        if (size == ZSTD_CONTENTSIZE_UNKNOWN) {
            *total = ZSTD_CONTENTSIZE_UNKNOWN;
            return true;
        }
        if (!vz_add(*total, size, total))
            return false;
        in = (vz_bytes){in.data + frame, in.size - frame};
    }
    return true;
}

static bool decode_whole(const vz_codec *codec, ZSTD_DCtx *decoder, vz_bytes in, vz_buffer *out, size_t room,
                         vz_error *err)
{
    if (!vz_sink_claim(codec, out, room, err))
        return false;
    const size_t size = ZSTD_decompressDCtx(decoder, out->data, room, in.data, in.size);
    if (ZSTD_isError(size))
        return vz_fail(err, VZ_CORRUPT, "zstd: %s", ZSTD_getErrorName(size));
    out->size = size;
    return true;
}

static vz_sink_status zstd_step(void *context, vz_sink_step *step)
{
    ZSTD_inBuffer in = {step->in, step->in_size, 0};
    ZSTD_outBuffer out = {step->out, step->out_size, 0};
    const size_t result = ZSTD_decompressStream(context, &out, &in);
    step->in += in.pos;
    step->in_size -= in.pos;
    step->out += out.pos;
    step->out_size -= out.pos;
    switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_no_error:
        break;
    case ZSTD_error_memory_allocation:
        return VZ_SINK_NO_MEMORY;
    case ZSTD_error_frameParameter_windowTooLarge:
        return VZ_SINK_LIMIT;
    default:
        return VZ_SINK_BAD;
    }
    return result == 0 ? VZ_SINK_END : VZ_SINK_MORE;
}

static bool zstd_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    ZSTD_DCtx *decoder = thread_decoder();
    if (!decoder)
        return vz_fail_memory(err);
    if (!in.size)
        return vz_fail(err, VZ_CORRUPT, "zstd: no data");
    if (out->borrowed || codec->context.decoded_size)
        return decode_whole(codec, decoder, in, out, vz_sink_room(codec, out), err);
    uint64_t size;
    if (!claimed_size(in, &size))
        return vz_fail(err, VZ_CORRUPT, "zstd: damaged or cut short");
    if (size <= TRUSTED_SIZE)
        return vz_sink_claim(codec, out, size, err) && decode_whole(codec, decoder, in, out, (size_t)size, err);
    ZSTD_DCtx_reset(decoder, ZSTD_reset_session_only);
    while (in.size)
        if (!vz_sink_stream(codec, zstd_step, decoder, &in, out, err))
            return false;
    return true;
}

static bool zstd_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    const zstd_state *state = codec->state;
    ZSTD_CCtx *encoder = thread_encoder();
    if (!encoder)
        return vz_fail_memory(err);
    const size_t bound = ZSTD_compressBound(in.size);
    if (ZSTD_isError(bound))
        return vz_fail(err, VZ_LIMIT, "zstd: a chunk of %zu bytes is over its limit", in.size);
    if (!vz_buffer_reserve(out, bound, err))
        return false;
    ZSTD_CCtx_reset(encoder, ZSTD_reset_session_and_parameters);
    size_t result = ZSTD_CCtx_setParameter(encoder, ZSTD_c_compressionLevel, (int)state->level);
    if (!ZSTD_isError(result))
        result = ZSTD_CCtx_setParameter(encoder, ZSTD_c_checksumFlag, state->checksum);
    if (!ZSTD_isError(result))
        result = ZSTD_compress2(encoder, out->data, bound, in.data, in.size);
    if (ZSTD_isError(result))
        return vz_fail(err, VZ_INVALID, "zstd: %s", ZSTD_getErrorName(result));
    out->size = result;
    return true;
}

const vz_codec_class vz_codec_zstd = {
    .id = "zstd",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .is_compressor = true,
    .state_size = sizeof(zstd_state),
    .configure = zstd_configure,
    .decode = zstd_decode,
    .encode = zstd_encode,
};
