/* bz2.c - numcodecs "bz2": bzip2 streams, usually one; the same bytes as HDF5 filter 307. The
 * library keeps no reusable context, and its own work dwarfs the allocation. */
#include "codec/codec/codec.h"
#include "codec/codec/codec_internal.h"

#include <bzlib.h>
#include <limits.h>

static bool bz2_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    return vz_config_level(codec, config, 1, 9, 1, err);
}

static vz_sink_status bz2_step(void *context, vz_sink_step *step)
{
    bz_stream *stream = context;
    const unsigned in_size = step->in_size < UINT_MAX ? (unsigned)step->in_size : UINT_MAX;
    const unsigned out_size = step->out_size < UINT_MAX ? (unsigned)step->out_size : UINT_MAX;
    stream->next_in = (char *)step->in;
    stream->avail_in = in_size;
    stream->next_out = (char *)step->out;
    stream->avail_out = out_size;
    const int result = BZ2_bzDecompress(stream);
    step->in += in_size - stream->avail_in;
    step->in_size -= in_size - stream->avail_in;
    step->out += out_size - stream->avail_out;
    step->out_size -= out_size - stream->avail_out;
    if (result == BZ_STREAM_END)
        return VZ_SINK_END;
    if (result == BZ_MEM_ERROR)
        return VZ_SINK_NO_MEMORY;
    return result == BZ_OK ? VZ_SINK_MORE : VZ_SINK_BAD;
}

static bool starts_stream(vz_bytes in)
{
    return in.size >= 3 && memcmp(in.data, "BZh", 3) == 0;
}

/* Bytes after the last stream that are no stream are ignored, as by numcodecs. */
static bool bz2_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    bool ok;
    do {
        bz_stream stream = {0};
        if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK)
            return vz_fail_memory(err);
        ok = vz_sink_stream(codec, bz2_step, &stream, &in, out, err);
        BZ2_bzDecompressEnd(&stream);
    } while (ok && starts_stream(in));
    return ok;
}

static bool bz2_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    /* The manual's bound for one call. */
    uint64_t bound;
    if (!vz_add(in.size, in.size / 100 + 600, &bound) || bound > UINT_MAX)
        return vz_fail(err, VZ_LIMIT, "bz2: a chunk of %zu bytes is over its limit", in.size);
    if (!vz_buffer_reserve(out, (size_t)bound, err))
        return false;
    unsigned size = (unsigned)bound;
    char nothing = 0;
    char *source = in.size ? (char *)in.data : &nothing;
    const int result =
        BZ2_bzBuffToBuffCompress((char *)out->data, &size, source, (unsigned)in.size, vz_codec_level(codec), 0, 0);
    if (result == BZ_MEM_ERROR)
        return vz_fail_memory(err);
    if (result != BZ_OK)
        return vz_fail(err, VZ_INVALID, "bz2: the library could not encode (%d)", result);
    out->size = size;
    return true;
}

const vz_codec_class vz_codec_bz2 = {
    .id = "bz2",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .is_compressor = true,
    .state_size = sizeof(int64_t),
    .configure = bz2_configure,
    .decode = bz2_decode,
    .encode = bz2_encode,
};
