/* lzma.c - numcodecs "lzma": what Python's lzma module writes in its four formats. The library
 * keeps no context worth reusing, and its own work dwarfs the allocations. */
#include "codec/codec/codec.h"
#include "codec/codec/codec_internal.h"

#include <inttypes.h>

/* Python's numbers. */
enum { FORMAT_AUTO = 0, FORMAT_XZ = 1, FORMAT_ALONE = 2, FORMAT_RAW = 3 };
#define CHECK_DEFAULT (-1)

/* Memory that a stream may ask a decoder to take for its dictionary; the largest preset needs 65
 * MiB. */
#define DECODER_MEMORY_MAX ((uint64_t)1 << 30)

typedef struct lzma_state {
    int64_t format, check, preset;
    vz_lzma_filters filters; /* always set: from the preset where the configuration has none */
} lzma_state;

/* Raw data say nothing of their dictionary: the configuration does, and is as little to be
 * trusted. */
static bool check_memory(const vz_lzma_filters *filters, vz_error *err)
{
    const uint64_t size = lzma_raw_decoder_memusage(filters->chain);
    if (size == UINT64_MAX)
        return vz_fail(err, VZ_UNSUPPORTED, "lzma: filters that this library does not have");
    return size <= DECODER_MEMORY_MAX ? true : vz_fail(err, VZ_LIMIT, "lzma: the filters want %" PRIu64 " bytes", size);
}

static bool lzma_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    lzma_state *state = codec->state;
    *state = (lzma_state){.format = FORMAT_XZ, .check = CHECK_DEFAULT, .preset = LZMA_PRESET_DEFAULT};
    const vz_json *filters = vz_json_get(config, "filters");
    const bool given = filters && vz_json_kind_of(filters) != VZ_JSON_NULL;
    if (!vz_config_int(codec, config, "format", FORMAT_AUTO, FORMAT_RAW, &state->format, err) ||
        !vz_config_int(codec, config, "check", CHECK_DEFAULT, LZMA_CHECK_ID_MAX, &state->check, err) ||
        !vz_config_int(codec, config, "preset", 0, UINT32_MAX, &state->preset, err))
        return false;
    if (given)
        return vz_lzma_filters_read(codec, filters, &state->filters, err) && check_memory(&state->filters, err);
    if (state->format == FORMAT_RAW)
        return vz_fail(err, VZ_CORRUPT, "codec lzma: the raw format needs \"filters\"");
    return vz_lzma_filters_preset(codec, (uint32_t)state->preset, state->format == FORMAT_ALONE, &state->filters, err);
}

static vz_sink_status lzma_step(void *context, vz_sink_step *step)
{
    lzma_stream *stream = context;
    stream->next_in = step->in;
    stream->avail_in = step->in_size;
    stream->next_out = step->out;
    stream->avail_out = step->out_size;
    const lzma_ret result = lzma_code(stream, LZMA_RUN);
    step->in = stream->next_in;
    step->in_size = stream->avail_in;
    step->out = stream->next_out;
    step->out_size = stream->avail_out;
    if (result == LZMA_STREAM_END)
        return VZ_SINK_END;
    if (result == LZMA_MEM_ERROR)
        return VZ_SINK_NO_MEMORY;
    if (result == LZMA_MEMLIMIT_ERROR)
        return VZ_SINK_LIMIT;
    return result == LZMA_OK || result == LZMA_BUF_ERROR ? VZ_SINK_MORE : VZ_SINK_BAD;
}

static lzma_ret open_decoder(lzma_stream *stream, const lzma_state *state)
{
    switch (state->format) {
    case FORMAT_XZ:
        return lzma_stream_decoder(stream, DECODER_MEMORY_MAX, 0);
    case FORMAT_ALONE:
        return lzma_alone_decoder(stream, DECODER_MEMORY_MAX);
    case FORMAT_RAW:
        return lzma_raw_decoder(stream, state->filters.chain);
    default:
        return lzma_auto_decoder(stream, DECODER_MEMORY_MAX, 0);
    }
}

static bool starts_xz(vz_bytes in)
{
    static const uint8_t magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};
    return in.size >= sizeof magic && memcmp(in.data, magic, sizeof magic) == 0;
}

/* Several .xz streams one after the other are one; anything else that follows is ignored, as by
 * numcodecs. */
static bool lzma_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    const lzma_state *state = codec->state;
    bool ok;
    do {
        lzma_stream stream = LZMA_STREAM_INIT;
        const lzma_ret opened = open_decoder(&stream, state);
        ok = opened == LZMA_OK ? vz_sink_stream(codec, lzma_step, &stream, &in, out, err) : false;
        lzma_end(&stream);
        if (opened == LZMA_OPTIONS_ERROR)
            return vz_fail(err, VZ_UNSUPPORTED, "lzma: filters that this library does not decode");
        if (opened != LZMA_OK)
            return vz_fail_memory(err);
    } while (ok && state->format != FORMAT_RAW && starts_xz(in));
    return ok;
}

static lzma_ret open_encoder(lzma_stream *stream, const lzma_state *state)
{
    const lzma_check check = state->check == CHECK_DEFAULT ? LZMA_CHECK_CRC64 : (lzma_check)state->check;
    switch (state->format) {
    case FORMAT_ALONE:
        return lzma_alone_encoder(stream, state->filters.chain[0].options);
    case FORMAT_RAW:
        return lzma_raw_encoder(stream, state->filters.chain);
    default:
        return lzma_stream_encoder(stream, state->filters.chain, check);
    }
}

/* The .xz bound holds for the other formats as well, whose framing is smaller. */
static bool lzma_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    const lzma_state *state = codec->state;
    if (state->format == FORMAT_AUTO)
        return vz_fail(err, VZ_UNSUPPORTED, "lzma: format 0 (auto) is for reading only");
    const size_t bound = lzma_stream_buffer_bound(in.size);
    if (bound == 0)
        return vz_fail(err, VZ_LIMIT, "lzma: a chunk of %zu bytes is over its limit", in.size);
    if (!vz_buffer_reserve(out, bound, err))
        return false;
    lzma_stream stream = LZMA_STREAM_INIT;
    lzma_ret result = open_encoder(&stream, state);
    if (result == LZMA_OK) {
        stream.next_in = in.data;
        stream.avail_in = in.size;
        stream.next_out = out->data;
        stream.avail_out = bound;
        result = lzma_code(&stream, LZMA_FINISH);
        out->size = bound - stream.avail_out;
    }
    lzma_end(&stream);
    if (result == LZMA_MEM_ERROR)
        return vz_fail_memory(err);
    if (result == LZMA_STREAM_END)
        return true;
    return vz_fail(err, VZ_UNSUPPORTED, "lzma: this library does not encode such a configuration (%d)", (int)result);
}

const vz_codec_class vz_codec_lzma = {
    .id = "lzma",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .is_compressor = true,
    .state_size = sizeof(lzma_state),
    .configure = lzma_configure,
    .decode = lzma_decode,
    .encode = lzma_encode,
};
