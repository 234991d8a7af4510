/* deflate.c - libdeflate decodes in one go what has a known size; zlib's inflate takes the rest. */
#include "codec/codec/codec_internal.h"
#include "codec/codec/codec.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

/* windowBits of inflateInit2 that choose the wrapper. */
#define WINDOW_BITS_ZLIB 15
#define WINDOW_BITS_GZIP (16 + 15)

typedef struct deflater {
    struct libdeflate_compressor *compressor;
    int level;
} deflater;

static void inflater_free(void *context)
{
    libdeflate_free_decompressor(context);
}

static void deflater_free(void *context)
{
    deflater *d = context;
    libdeflate_free_compressor(d->compressor);
    free(d);
}

static struct libdeflate_decompressor *thread_inflater(void)
{
    void **place = vz_codec_thread_context(VZ_CONTEXT_INFLATE, inflater_free);
    if (place && !*place)
        *place = libdeflate_alloc_decompressor();
    return place ? *place : NULL;
}

/* A compressor has one level. Another level replaces the compressor. */
static struct libdeflate_compressor *thread_deflater(int level)
{
    void **place = vz_codec_thread_context(VZ_CONTEXT_DEFLATE, deflater_free);
    if (place && !*place)
        *place = calloc(1, sizeof(deflater));
    deflater *d = place ? *place : NULL;
    if (!d)
        return NULL;
    if (!d->compressor || d->level != level) {
        libdeflate_free_compressor(d->compressor);
        d->compressor = libdeflate_alloc_compressor(level);
        d->level = level;
    }
    return d->compressor;
}

static bool decode_whole(const vz_codec *codec, vz_deflate_wrapper wrapper, vz_bytes *in, vz_buffer *out, size_t room,
                         vz_error *err)
{
    struct libdeflate_decompressor *inflater = thread_inflater();
    if (!inflater)
        return vz_fail_memory(err);
    if (!vz_buffer_reserve(out, room, err))
        return false;
    size_t read = 0, written = 0;
    uint8_t nothing; /* libdeflate wants a place even where nothing is to come */
    uint8_t *place = out->data ? out->data + out->size : &nothing;
    const size_t space = room - out->size;
    const enum libdeflate_result result =
        wrapper == VZ_DEFLATE_ZLIB
            ? libdeflate_zlib_decompress_ex(inflater, in->data, in->size, place, space, &read, &written)
            : libdeflate_gzip_decompress_ex(inflater, in->data, in->size, place, space, &read, &written);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
        return vz_fail(err, VZ_CORRUPT, "%s: decodes to more than the %zu bytes there can be", codec->class->id, room);
    if (result != LIBDEFLATE_SUCCESS)
        return vz_fail(err, VZ_CORRUPT, "%s: damaged or cut short", codec->class->id);
    out->size += written;
    *in = (vz_bytes){in->data + read, in->size - read};
    return true;
}

static vz_sink_status inflate_step(void *context, vz_sink_step *step)
{
    z_stream *stream = context;
    const uInt in_size = step->in_size < UINT_MAX ? (uInt)step->in_size : UINT_MAX;
    const uInt out_size = step->out_size < UINT_MAX ? (uInt)step->out_size : UINT_MAX;
    stream->next_in = (z_const Bytef *)step->in;
    stream->avail_in = in_size;
    stream->next_out = step->out;
    stream->avail_out = out_size;
    const int result = inflate(stream, Z_NO_FLUSH);
    step->in += in_size - stream->avail_in;
    step->in_size -= in_size - stream->avail_in;
    step->out += out_size - stream->avail_out;
    step->out_size -= out_size - stream->avail_out;
    if (result == Z_STREAM_END)
        return VZ_SINK_END;
    if (result == Z_MEM_ERROR)
        return VZ_SINK_NO_MEMORY;
    return result == Z_OK || result == Z_BUF_ERROR ? VZ_SINK_MORE : VZ_SINK_BAD;
}

static bool decode_stream(const vz_codec *codec, vz_deflate_wrapper wrapper, vz_bytes *in, vz_buffer *out,
                          vz_error *err)
{
    z_stream stream = {0};
    if (inflateInit2(&stream, wrapper == VZ_DEFLATE_ZLIB ? WINDOW_BITS_ZLIB : WINDOW_BITS_GZIP) != Z_OK)
        return vz_fail_memory(err);
    const bool ok = vz_sink_stream(codec, inflate_step, &stream, in, out, err);
    inflateEnd(&stream);
    return ok;
}

bool vz_deflate_decode(const vz_codec *codec, vz_deflate_wrapper wrapper, vz_bytes *in, vz_buffer *out, vz_error *err)
{
    if (out->borrowed || codec->context.decoded_size)
        return decode_whole(codec, wrapper, in, out, vz_sink_room(codec, out), err);
    return decode_stream(codec, wrapper, in, out, err);
}

bool vz_deflate_encode(const vz_codec *codec, vz_deflate_wrapper wrapper, vz_bytes in, vz_buffer *out, vz_error *err)
{
    const int level = vz_codec_level(codec);
    struct libdeflate_compressor *compressor = thread_deflater(level == -1 ? 6 : level);
    if (!compressor)
        return vz_fail_memory(err);
    const bool zlib = wrapper == VZ_DEFLATE_ZLIB;
    const size_t bound = zlib ? libdeflate_zlib_compress_bound(compressor, in.size)
                              : libdeflate_gzip_compress_bound(compressor, in.size);
    if (!vz_buffer_reserve(out, bound, err))
        return false;
    out->size = zlib ? libdeflate_zlib_compress(compressor, in.data, in.size, out->data, bound)
                     : libdeflate_gzip_compress(compressor, in.data, in.size, out->data, bound);
    return out->size ? true : vz_fail(err, VZ_INVALID, "%s: libdeflate could not encode", codec->class->id);
}
