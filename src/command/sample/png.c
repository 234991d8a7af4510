/* png.c - a thumbnail as a PNG file (RFC 2083): one image, each pixel with its opacity. */
#include "command/sample/sample_internal.h"
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL      6
#define BIT_DEPTH  8
#define GREY_ALPHA 4 /* colour types */
#define RGB_ALPHA  6
#define ZOOM_MAX   64

static void store_be32(uint8_t *at, size_t number)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(number >> (24 - 8 * i));
}

static bool add_chunk(vz_buffer *out, const char *kind, const void *data, size_t size, vz_error *err)
{
    uint8_t number[4];
    store_be32(number, size);
    if (!vz_buffer_append(out, number, sizeof number, err))
        return false;
    const size_t begin = out->size;
    if (!vz_buffer_append(out, kind, 4, err) || !vz_buffer_append(out, data, size, err))
        return false;
    store_be32(number, libdeflate_crc32(0, out->data + begin, out->size - begin));
    return vz_buffer_append(out, number, sizeof number, err);
}

/* Rows from above, each behind the number of its filter, which is none. */
static void fill_rows(const vz_sample_picture *picture, unsigned zoom, uint8_t *rows)
{
    const size_t channels = picture->channels, row = 1 + (size_t)picture->width * zoom * (channels + 1);
    for (size_t y = 0; y < (size_t)picture->height * zoom; y++) {
        uint8_t *at = rows + y * row;
        *at++ = 0;
        for (size_t x = 0; x < (size_t)picture->width * zoom; x++, at += channels + 1) {
            const size_t pixel = y / zoom * picture->width + x / zoom;
            memcpy(at, picture->pixels + pixel * channels, channels);
            at[channels] = picture->states[pixel] == VZ_PIXEL_VALUE ? UINT8_MAX : 0;
        }
    }
}

static bool add_image(vz_buffer *out, const uint8_t *rows, size_t size, vz_error *err)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(LEVEL);
    const size_t bound = compressor ? libdeflate_zlib_compress_bound(compressor, size) : 0;
    uint8_t *packed = compressor ? malloc(bound) : NULL;
    const size_t length = packed ? libdeflate_zlib_compress(compressor, rows, size, packed, bound) : 0;
    const bool ok = (length > 0 || vz_fail_memory(err)) && add_chunk(out, "IDAT", packed, length, err);
    free(packed);
    libdeflate_free_compressor(compressor);
    return ok;
}

bool vz_sample_png(const vz_sample_picture *picture, unsigned zoom, vz_buffer *out, vz_error *err)
{
    static const uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    uint8_t header[13] = {0};
    zoom = zoom < 1 ? 1 : zoom > ZOOM_MAX ? ZOOM_MAX : zoom;
    const size_t width = (size_t)picture->width * zoom, height = (size_t)picture->height * zoom;
    const size_t size = height * (1 + width * (picture->channels + 1));
    uint8_t *rows = malloc(size);
    if (!rows)
        return vz_fail_memory(err);
    fill_rows(picture, zoom, rows);
    store_be32(header, width);
    store_be32(header + 4, height);
    header[8] = BIT_DEPTH;
    header[9] = picture->channels == 3 ? RGB_ALPHA : GREY_ALPHA;
    const bool ok = vz_buffer_append(out, signature, sizeof signature, err) &&
                    add_chunk(out, "IHDR", header, sizeof header, err) && add_image(out, rows, size, err) &&
                    add_chunk(out, "IEND", "", 0, err);
    free(rows);
    return ok;
}
