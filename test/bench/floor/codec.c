/* codec.c - the codecs as their libraries have them, with contexts that are kept. */
#include "floor.h"
#include <blosc.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define TYPE_SIZE 4

struct floor_codec {
    enum { NONE, BLOSC, ZSTD, GZIP } kind;
    bool shuffle;
    int blosc_shuffle;
    size_t chunk_size;
    unsigned char *shuffled; /* room for one chunk */
    ZSTD_CCtx *zstd_out;
    ZSTD_DCtx *zstd_in;
    struct libdeflate_compressor *gzip_out;
    struct libdeflate_decompressor *gzip_in;
};

floor_codec *floor_codec_new(size_t chunk_size)
{
    floor_codec *codec = bench_allocate(sizeof *codec);
    memset(codec, 0, sizeof *codec);
    const char *name = bench_text("codec", "none");
    codec->kind = strcmp(name, "blosc") == 0  ? BLOSC
                  : strcmp(name, "zstd") == 0 ? ZSTD
                  : strcmp(name, "gzip") == 0 ? GZIP
                                              : NONE;
    /* blosc shuffles itself. */
    codec->blosc_shuffle = bench_number("shuffle", 0) ? BLOSC_SHUFFLE : BLOSC_NOSHUFFLE;
    codec->shuffle = bench_number("shuffle", 0) != 0 && codec->kind != BLOSC;
    codec->chunk_size = chunk_size;
    codec->shuffled = bench_allocate(chunk_size);
    codec->zstd_out = ZSTD_createCCtx();
    codec->zstd_in = ZSTD_createDCtx();
    codec->gzip_out = libdeflate_alloc_compressor(4);
    codec->gzip_in = libdeflate_alloc_decompressor();
    bench_need(codec->zstd_out && codec->zstd_in && codec->gzip_out && codec->gzip_in, "a codec");
    return codec;
}

void floor_codec_free(floor_codec *codec)
{
    ZSTD_freeCCtx(codec->zstd_out);
    ZSTD_freeDCtx(codec->zstd_in);
    libdeflate_free_compressor(codec->gzip_out);
    libdeflate_free_decompressor(codec->gzip_in);
    free(codec->shuffled);
    free(codec);
}

size_t floor_codec_bound(const floor_codec *codec)
{
    switch (codec->kind) {
    case BLOSC:
        return codec->chunk_size + BLOSC_MAX_OVERHEAD;
    case ZSTD:
        return ZSTD_compressBound(codec->chunk_size);
    case GZIP:
        return libdeflate_zlib_compress_bound(codec->gzip_out, codec->chunk_size);
    case NONE:
        break;
    }
    return codec->chunk_size;
}

static void shuffle(unsigned char *restrict out, const unsigned char *restrict in, size_t size)
{
    const size_t count = size / TYPE_SIZE;
    for (size_t i = 0; i < count; i++)
        for (size_t byte = 0; byte < TYPE_SIZE; byte++)
            out[byte * count + i] = in[i * TYPE_SIZE + byte];
}

static void unshuffle(unsigned char *restrict out, const unsigned char *restrict in, size_t size)
{
    const size_t count = size / TYPE_SIZE;
    for (size_t i = 0; i < count; i++)
        for (size_t byte = 0; byte < TYPE_SIZE; byte++)
            out[i * TYPE_SIZE + byte] = in[byte * count + i];
}

size_t floor_encode(floor_codec *codec, const void *chunk, void *encoded)
{
    const size_t bound = floor_codec_bound(codec);
    if (codec->shuffle) {
        shuffle(codec->shuffled, chunk, codec->chunk_size);
        chunk = codec->shuffled;
    }
    size_t size = 0;
    switch (codec->kind) {
    case NONE:
        memcpy(encoded, chunk, codec->chunk_size);
        size = codec->chunk_size;
        break;
    case BLOSC: {
        const int made = blosc_compress_ctx(5, codec->blosc_shuffle, TYPE_SIZE, codec->chunk_size, chunk, encoded,
                                            bound, "lz4", 0, 1);
        size = made > 0 ? (size_t)made : 0;
        break;
    }
    case ZSTD:
        size = ZSTD_compressCCtx(codec->zstd_out, encoded, bound, chunk, codec->chunk_size, 3);
        bench_need(!ZSTD_isError(size), "ZSTD_compressCCtx");
        break;
    case GZIP:
        size = libdeflate_zlib_compress(codec->gzip_out, chunk, codec->chunk_size, encoded, bound);
        break;
    }
    bench_need(size > 0, "encoding");
    return size;
}

void floor_decode(floor_codec *codec, const void *encoded, size_t size, void *chunk)
{
    void *out = codec->shuffle ? codec->shuffled : chunk;
    bool decoded = false;
    switch (codec->kind) {
    case NONE:
        decoded = size == codec->chunk_size;
        memcpy(out, encoded, size < codec->chunk_size ? size : codec->chunk_size);
        break;
    case BLOSC:
        decoded = blosc_decompress_ctx(encoded, out, codec->chunk_size, 1) == (int)codec->chunk_size;
        break;
    case ZSTD:
        decoded = ZSTD_decompressDCtx(codec->zstd_in, out, codec->chunk_size, encoded, size) == codec->chunk_size;
        break;
    case GZIP:
        decoded = libdeflate_zlib_decompress(codec->gzip_in, encoded, size, out, codec->chunk_size, NULL) ==
                  LIBDEFLATE_SUCCESS;
        break;
    }
    bench_need(decoded, "decoding");
    if (codec->shuffle)
        unshuffle(chunk, out, codec->chunk_size);
}
