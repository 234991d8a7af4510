/* gzip_frame.c - see codec_internal.h. */
#include "codec/codec/codec_internal.h"
#include "codec/codec/codec.h"

enum {
    ZLIB_HEADER = 2,
    ZLIB_TRAILER = 4,
    GZIP_HEADER = 10,
    GZIP_TRAILER = 8,
    GZIP_FLAG_CRC = 2,
    GZIP_FLAG_EXTRA = 4,
    GZIP_FLAG_NAME = 8,
    GZIP_FLAG_COMMENT = 16,
};

/* Skips a text and its NUL. */
static size_t after_text(vz_bytes in, size_t at)
{
    while (at < in.size && in.data[at])
        at++;
    return at + 1;
}

/* Where the deflated data of a member begin. The member was decoded before, so that it is whole;
 * the bounds are held to all the same. */
static size_t gzip_header_size(vz_bytes in)
{
    const unsigned flags = in.size >= GZIP_HEADER ? in.data[3] : 0;
    size_t at = GZIP_HEADER;
    if (flags & GZIP_FLAG_EXTRA)
        at += 2 + (at + 2 <= in.size ? (size_t)(in.data[at] | in.data[at + 1] << 8) : 0);
    if (flags & GZIP_FLAG_NAME)
        at = after_text(in, at);
    if (flags & GZIP_FLAG_COMMENT)
        at = after_text(in, at);
    return at + (flags & GZIP_FLAG_CRC ? 2 : 0);
}

/* The two bytes say the window and, for whom it may concern, how hard the encoder tried. */
static bool append_zlib_header(int level, vz_buffer *out, vz_error *err)
{
    const bool usual = level == -1 || level == 6;
    const uint8_t header[ZLIB_HEADER] = {0x78, usual ? 0x9C : level < 2 ? 0x01 : level < 6 ? 0x5E : 0xDA};
    return vz_buffer_append(out, header, sizeof header, err);
}

static bool append_zlib(int level, vz_bytes deflated, vz_bytes plain, vz_buffer *out, vz_error *err)
{
    const uint32_t sum = libdeflate_adler32(1, plain.data, plain.size);
    const uint8_t trailer[ZLIB_TRAILER] = {(uint8_t)(sum >> 24), (uint8_t)(sum >> 16), (uint8_t)(sum >> 8),
                                           (uint8_t)sum};
    return vz_buffer_reserve(out, ZLIB_HEADER + deflated.size + ZLIB_TRAILER, err) &&
           append_zlib_header(level, out, err) && vz_buffer_append(out, deflated.data, deflated.size, err) &&
           vz_buffer_append(out, trailer, sizeof trailer, err);
}

static bool append_gzip(int level, vz_bytes deflated, vz_bytes plain, vz_buffer *out, vz_error *err)
{
    const uint8_t header[GZIP_HEADER] = {0x1f, 0x8b, 8, [8] = level == 9 ? 2 : level == 1 ? 4 : 0, [9] = 0xff};
    uint8_t trailer[GZIP_TRAILER];
    vz_bytes_store_le32(trailer, libdeflate_crc32(0, plain.data, plain.size));
    vz_bytes_store_le32(trailer + 4, (uint32_t)plain.size);
    return vz_buffer_reserve(out, GZIP_HEADER + deflated.size + GZIP_TRAILER, err) &&
           vz_buffer_append(out, header, sizeof header, err) &&
           vz_buffer_append(out, deflated.data, deflated.size, err) &&
           vz_buffer_append(out, trailer, sizeof trailer, err);
}

static bool ends_in_zeros(vz_bytes rest)
{
    size_t at = 0;
    while (at < rest.size && rest.data[at] == 0)
        at++;
    return at == rest.size;
}

bool vz_gzip_to_zlib(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    vz_buffer plain = {0};
    vz_bytes rest = in;
    bool ok = vz_deflate_decode(codec, VZ_DEFLATE_GZIP, &rest, &plain, err);
    const size_t begin = gzip_header_size(in), end = in.size - rest.size;
    if (ok && ends_in_zeros(rest) && begin + GZIP_TRAILER <= end) {
        const vz_bytes deflated = {in.data + begin, end - GZIP_TRAILER - begin};
        ok = append_zlib(vz_codec_level(codec), deflated, (vz_bytes){plain.data, plain.size}, out, err);
    } else if (ok) { /* more members: a zlib stream is one */
        plain.size = 0;
        ok = codec->class->decode(codec, in, &plain, err) &&
             vz_deflate_encode(codec, VZ_DEFLATE_ZLIB, (vz_bytes){plain.data, plain.size}, out, err);
    }
    vz_buffer_clear(&plain);
    return ok;
}

bool vz_gzip_from_zlib(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    vz_buffer plain = {0};
    vz_bytes rest = in;
    const bool ok = vz_deflate_decode(codec, VZ_DEFLATE_ZLIB, &rest, &plain, err);
    const size_t used = in.size - rest.size; /* a stream that was decoded has both ends */
    const bool done =
        ok && append_gzip(vz_codec_level(codec), (vz_bytes){in.data + ZLIB_HEADER, used - ZLIB_HEADER - ZLIB_TRAILER},
                          (vz_bytes){plain.data, plain.size}, out, err);
    vz_buffer_clear(&plain);
    return done;
}
