/* utf8.c - is it UTF-8? */
#include "base/util/bytes_internal.h"

#define ASCII_MASK 0x8080808080808080u

static bool is_tail(const uint8_t *p, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((p[i] & 0xC0) != 0x80)
            return false;
    return true;
}

size_t vz_utf8_sequence(const void *data, size_t size, bool surrogates)
{
    const uint8_t *p = data;
    if (size == 0)
        return 0;
    if (p[0] < 0x80)
        return 1;
    if (p[0] >= 0xC2 && p[0] <= 0xDF)
        return size >= 2 && is_tail(p + 1, 1) ? 2 : 0;
    if ((p[0] & 0xF0) == 0xE0) {
        if (size < 3 || !is_tail(p + 1, 2) || (p[0] == 0xE0 && p[1] < 0xA0))
            return 0;
        const bool surrogate = p[0] == 0xED && p[1] >= 0xA0;
        return surrogate && !surrogates ? 0 : 3;
    }
    if (p[0] < 0xF0 || p[0] > 0xF4 || size < 4 || !is_tail(p + 1, 3))
        return 0;
    if ((p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] > 0x8F))
        return 0;
    return 4;
}

uint32_t vz_utf8_code_point(const void *data, size_t length)
{
    const uint8_t *p = data;
    uint32_t point = length == 1 ? p[0] : p[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++)
        point = point << 6 | (p[i] & 0x3f);
    return point;
}

/* Bytes of the beginning that are ASCII, in steps of a word: nearly all of nearly every text. */
static size_t ascii_prefix(const uint8_t *p, size_t size)
{
    size_t at = 0;
    for (uint64_t word; size - at >= sizeof word; at += sizeof word) {
        memcpy(&word, p + at, sizeof word);
        if (word & ASCII_MASK)
            return at;
    }
    /* The last word once more, which the rest is the end of. */
    if (at && at < size) {
        uint64_t word;
        memcpy(&word, p + size - sizeof word, sizeof word);
        at = word & ASCII_MASK ? at : size;
    }
    return at;
}

bool vz_utf8_valid(const void *data, size_t size)
{
    const size_t ascii = ascii_prefix(data, size);
    const uint8_t *p = (const uint8_t *)data + ascii;
    size -= ascii;
    while (size) {
        const size_t length = *p < 0x80 ? 1 : vz_utf8_sequence(p, size, false);
        if (!length)
            return false;
        p += length;
        size -= length;
    }
    return true;
}

bool vz_utf8_is_pair(const void *data, size_t size)
{
    const uint8_t *p = data;
    return size >= 6 && p[0] == 0xED && p[1] >= 0xA0 && p[1] <= 0xAF && p[3] == 0xED && p[4] >= 0xB0 &&
           is_tail(p + 1, 2) && is_tail(p + 4, 2);
}
