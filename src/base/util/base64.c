/* base64.c - RFC 4648 with padding. */
#include "base/util/bytes.h"
#include <stdlib.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode_group(const uint8_t *in, size_t count, char *out)
{
    const uint32_t bits = (uint32_t)in[0] << 16 | (count > 1 ? (uint32_t)in[1] << 8 : 0) | (count > 2 ? in[2] : 0);
    out[0] = alphabet[bits >> 18];
    out[1] = alphabet[bits >> 12 & 63];
    out[2] = count > 1 ? alphabet[bits >> 6 & 63] : '=';
    out[3] = count > 2 ? alphabet[bits & 63] : '=';
}

char *vz_base64_encode(const void *data, size_t size, vz_error *err)
{
    if (size > SIZE_MAX / 2) {
        vz_fail(err, VZ_LIMIT, "base64: %zu bytes", size);
        return NULL;
    }
    char *text = malloc((size + 2) / 3 * 4 + 1);
    if (!text) {
        vz_fail_memory(err);
        return NULL;
    }
    const uint8_t *in = data;
    char *out = text;
    for (size_t at = 0; at < size; at += 3, out += 4)
        encode_group(in + at, size - at, out);
    *out = '\0';
    return text;
}

/* 0..63, or -1. */
static int digit_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+')
        return 62;
    return c == '/' ? 63 : -1;
}

/* Decodes 4 - padding digits into 3 - padding bytes. */
static bool decode_group(const char *in, size_t padding, uint8_t *out)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; i++) {
        const int value = i < 4 - padding ? digit_value(in[i]) : 0;
        if (value < 0)
            return false;
        bits = bits << 6 | (uint32_t)value;
    }
    for (size_t i = 0; i < 3 - padding; i++)
        out[i] = (uint8_t)(bits >> (16 - 8 * i));
    return true;
}

static size_t padding_of(const char *text, size_t length)
{
    if (text[length - 1] != '=')
        return 0;
    return text[length - 2] == '=' ? 2 : 1;
}

bool vz_base64_decode(const char *text, size_t length, vz_buffer *out, vz_error *err)
{
    if (length % 4)
        return vz_fail(err, VZ_CORRUPT, "base64: %zu characters are no multiple of 4", length);
    if (length == 0)
        return true;
    const size_t padding = padding_of(text, length);
    const size_t size = length / 4 * 3 - padding;
    if (!vz_buffer_reserve(out, out->size + size, err))
        return false;
    uint8_t *place = out->data + out->size;
    for (size_t at = 0; at < length; at += 4, place += 3)
        if (!decode_group(text + at, at + 4 == length ? padding : 0, place))
            return vz_fail(err, VZ_CORRUPT, "base64: a wrong character after position %zu", at);
    out->size += size;
    return true;
}
