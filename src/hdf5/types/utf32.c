/* utf32.c - UTF-32 and UTF-8. */
#include "hdf5/types/elements_internal.h"

#define REPLACEMENT 0xFFFDu

static uint32_t load(const uint8_t *p, bool big_endian)
{
    const uint32_t value = vz_bytes_load_le32(p);
    const uint32_t point = big_endian ? __builtin_bswap32(value) : value;
    return point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF) ? REPLACEMENT : point;
}

static size_t used_width(const uint8_t *data, size_t width)
{
    while (width && vz_bytes_load_le32(data + 4 * (width - 1)) == 0)
        width--;
    return width;
}

static size_t length_of(uint32_t point)
{
    return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

size_t vz_utf32_length(const uint8_t *data, size_t width, bool big_endian)
{
    size_t length = 0;
    width = used_width(data, width);
    for (size_t i = 0; i < width; i++)
        length += length_of(load(data + 4 * i, big_endian));
    return length;
}

static size_t put(uint32_t point, char *text)
{
    static const uint8_t lead[] = {0, 0x00, 0xC0, 0xE0, 0xF0};
    const size_t length = length_of(point);
    for (size_t i = length; i-- > 1; point >>= 6)
        text[i] = (char)(0x80 | (point & 0x3F));
    text[0] = (char)(lead[length] | point);
    return length;
}

size_t vz_utf32_decode(const uint8_t *data, size_t width, bool big_endian, char *text)
{
    size_t length = 0;
    width = used_width(data, width);
    for (size_t i = 0; i < width; i++)
        length += put(load(data + 4 * i, big_endian), text + length);
    text[length] = '\0';
    return length;
}

static bool not_utf8(vz_error *err)
{
    return vz_fail(err, VZ_UNSUPPORTED, "text members of compounds that are not UTF-8 are not supported yet");
}

/* The character at *text (not its end), and moves past it; false if it is not UTF-8. */
static bool next(const char **text, size_t *left, uint32_t *point)
{
    const uint8_t *p = (const uint8_t *)*text;
    const size_t length = vz_utf8_sequence(p, *left, false);
    if (!length)
        return false;
    *point = length == 1 ? p[0] : p[0] & (0x7F >> length);
    for (size_t i = 1; i < length; i++)
        *point = *point << 6 | (p[i] & 0x3F);
    *text += length;
    *left -= length;
    return true;
}

bool vz_utf32_encode(const char *text, uint8_t *data, size_t width, bool big_endian, vz_error *err)
{
    size_t left = strlen(text), i = 0;
    uint32_t point;
    for (; left; i++) {
        if (!next(&text, &left, &point))
            return not_utf8(err);
        if (i == width)
            return vz_fail(err, VZ_LIMIT, "text of more than the %zu characters of its field", width);
        vz_bytes_store_le32(data + 4 * i, big_endian ? __builtin_bswap32(point) : point);
    }
    memset(data + 4 * i, 0, 4 * (width - i));
    return true;
}

bool vz_type_utf8_count(const char *text, size_t *count, vz_error *err)
{
    const size_t size = strlen(text);
    if (!vz_utf8_valid(text, size))
        return not_utf8(err);
    *count = 0;
    for (size_t i = 0; i < size; i++)
        *count += ((uint8_t)text[i] & 0xC0) != 0x80;
    return true;
}

size_t vz_type_fixed_length(const vz_type_tree *layout, const uint8_t *text)
{
    size_t length = layout->size;
    const uint8_t pad = layout->pad == H5T_STR_SPACEPAD ? ' ' : '\0';
    while (length && text[length - 1] == pad)
        length--;
    return length;
}
