/* number.c - numbers of numpy's types. */
#include "codec/codec/codec_internal.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Bytes of one element that a type string may name. */
#define TYPE_SIZE_MAX (1 << 24)

/* numpy's long names: "uint32". */
static bool parse_name(const char *text, vz_codec_number_type *type)
{
    static const char *const words[] = {"int", "uint", "float", "complex"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        if (strncmp(text, words[i], length) != 0 || !isdigit((unsigned char)text[length]))
            continue;
        char *end;
        const unsigned long bits = strtoul(text + length, &end, 10);
        *type = (vz_codec_number_type){.kind = *text, .size = bits / CHAR_BIT};
        return !*end && bits % CHAR_BIT == 0 && type->size > 0 && type->size <= 2 * sizeof(double);
    }
    *type = (vz_codec_number_type){.kind = 'b', .size = 1};
    return strcmp(text, "bool") == 0;
}

static bool parse_type(const char *text, vz_codec_number_type *type)
{
    const uint16_t probe = 1;
    const bool little = *(const uint8_t *)&probe == 1;
    char order = '=';
    if (*text && strchr("<>|=", *text))
        order = *text++;
    const char kind = *text;
    if (!kind || !strchr("biufcmMSUV", kind) || !isdigit((unsigned char)*++text))
        return false;
    size_t size = 0;
    for (; isdigit((unsigned char)*text) && size <= TYPE_SIZE_MAX; text++)
        size = size * 10 + (size_t)(*text - '0');
    const bool unit = (kind == 'm' || kind == 'M') && *text == '[';
    if ((*text && !unit) || size == 0 || size > TYPE_SIZE_MAX)
        return false;
    *type = (vz_codec_number_type){.kind = kind, .size = kind == 'U' ? size * 4 : size};
    type->swapped = order == (little ? '>' : '<');
    return true;
}

bool vz_codec_number_type_read(const vz_codec *codec, const vz_json *config, const char *key,
                               vz_codec_number_type *type, vz_error *err)
{
    const char *text = NULL;
    if (!vz_config_text(codec, config, key, &text, err))
        return false;
    if (!text)
        return type->size ? true : vz_fail(err, VZ_CORRUPT, "codec %s: \"%s\" is missing", codec->class->id, key);
    if (!parse_type(text, type) && !parse_name(text, type))
        return vz_fail(err, VZ_UNSUPPORTED, "codec %s: \"%s\" is \"%s\"", codec->class->id, key, text);
    return true;
}

bool vz_codec_number_type_is_real(vz_codec_number_type type)
{
    const bool power = type.size == 2 || type.size == 4 || type.size == 8;
    if (type.kind == 'f')
        return power;
    return (type.kind == 'i' || type.kind == 'u') && (power || type.size == 1);
}

/* The least real type that holds all integers of `type` (of 8 bytes: nearly all). */
static size_t real_size_for(vz_codec_number_type type)
{
    if (type.kind == 'f')
        return type.size;
    return type.size == 1 ? 2 : type.size == 2 ? 4 : 8;
}

vz_codec_number_type vz_codec_number_type_promote(vz_codec_number_type a, vz_codec_number_type b)
{
    const size_t largest = a.size > b.size ? a.size : b.size;
    if (a.kind == 'f' || b.kind == 'f') {
        const size_t size_a = real_size_for(a), size_b = real_size_for(b);
        return (vz_codec_number_type){.kind = 'f', .size = size_a > size_b ? size_a : size_b};
    }
    if (a.kind == b.kind)
        return (vz_codec_number_type){.kind = a.kind, .size = largest};
    const size_t unsigned_size = a.kind == 'u' ? a.size : b.size, signed_size = a.kind == 'u' ? b.size : a.size;
    if (signed_size > unsigned_size)
        return (vz_codec_number_type){.kind = 'i', .size = signed_size};
    return (vz_codec_number_type){.kind = unsigned_size == 8 ? 'f' : 'i',
                                  .size = unsigned_size == 8 ? 8 : 2 * unsigned_size};
}

static uint64_t load_bits(vz_codec_number_type type, const uint8_t *from)
{
    uint8_t bytes1;
    uint16_t bytes2;
    uint32_t bytes4;
    uint64_t bytes8;
    switch (type.size) {
    case 1:
        memcpy(&bytes1, from, 1);
        return bytes1;
    case 2:
        memcpy(&bytes2, from, 2);
        return type.swapped ? __builtin_bswap16(bytes2) : bytes2;
    case 4:
        memcpy(&bytes4, from, 4);
        return type.swapped ? __builtin_bswap32(bytes4) : bytes4;
    default:
        memcpy(&bytes8, from, 8);
        return type.swapped ? __builtin_bswap64(bytes8) : bytes8;
    }
}

static void store_bits(vz_codec_number_type type, uint64_t bits, uint8_t *to)
{
    const uint8_t bytes1 = (uint8_t)bits;
    const uint16_t bytes2 = type.swapped ? __builtin_bswap16((uint16_t)bits) : (uint16_t)bits;
    const uint32_t bytes4 = type.swapped ? __builtin_bswap32((uint32_t)bits) : (uint32_t)bits;
    const uint64_t bytes8 = type.swapped ? __builtin_bswap64(bits) : bits;
    switch (type.size) {
    case 1:
        memcpy(to, &bytes1, 1);
        return;
    case 2:
        memcpy(to, &bytes2, 2);
        return;
    case 4:
        memcpy(to, &bytes4, 4);
        return;
    default:
        memcpy(to, &bytes8, 8);
    }
}

/* Cut to `size` bytes and widened again. */
static uint64_t wrap(char kind, size_t size, uint64_t value)
{
    const unsigned unused = 64 - 8 * (unsigned)size;
    return kind == 'i' ? (uint64_t)((int64_t)(value << unused) >> unused) : value << unused >> unused;
}

/* Where C leaves the result undefined, it is that of the common processors: the most negative
 * number. */
static uint64_t cut(double value)
{
    if (value >= -0x1p63 && value < 0x1p63)
        return (uint64_t)(int64_t)value;
    if (value >= 0x1p63 && value < 0x1p64)
        return (uint64_t)value;
    return (uint64_t)1 << 63;
}

vz_codec_number vz_codec_number_load(vz_codec_number_type type, const uint8_t *from)
{
    const uint64_t bits = load_bits(type, from);
    if (type.kind == 'f')
        return (vz_codec_number){.kind = 'f', .real = vz_real_from_bits(bits, type.size)};
    return (vz_codec_number){.kind = type.kind, .integer = wrap(type.kind, type.size, bits)};
}

void vz_codec_number_store(vz_codec_number_type type, vz_codec_number value, uint8_t *to)
{
    const vz_codec_number own = vz_codec_number_cast(type, value);
    store_bits(type, type.kind == 'f' ? vz_real_to_bits(own.real, type.size) : own.integer, to);
}

vz_codec_number vz_codec_number_cast(vz_codec_number_type type, vz_codec_number value)
{
    if (type.kind != 'f') {
        const uint64_t integer = value.kind == 'f' ? cut(value.real) : value.integer;
        return (vz_codec_number){.kind = type.kind, .integer = wrap(type.kind, type.size, integer)};
    }
    double real = value.real;
    if (value.kind != 'f') /* straight to single precision: twice rounded is not the same */
        real = type.size == 4 ? (value.kind == 'i' ? (float)(int64_t)value.integer : (float)value.integer)
                              : (value.kind == 'i' ? (double)(int64_t)value.integer : (double)value.integer);
    return (vz_codec_number){.kind = 'f', .real = vz_real_from_bits(vz_real_to_bits(real, type.size), type.size)};
}

/* ---- as texts have them ---- */

static bool is_within(vz_codec_number_type type, vz_codec_number value)
{
    return wrap(type.kind, type.size, value.integer) == value.integer;
}

static bool parse_integer(vz_codec_number_type type, const vz_json *json, vz_codec_number *value)
{
    int64_t i;
    uint64_t u;
    double real;
    *value = (vz_codec_number){.kind = type.kind};
    if (type.kind == 'u' && vz_json_get_uint64(json, &u))
        value->integer = u;
    else if (vz_json_get_int64(json, &i) && (type.kind == 'i' || i >= 0))
        value->integer = (uint64_t)i;
    else if (vz_json_kind_of(json) == VZ_JSON_REAL && vz_json_get_double(json, &real) && real == trunc(real) &&
             /* 10.0 */
             real >= (type.kind == 'i' ? -0x1p63 : 0) && real < (type.kind == 'i' ? 0x1p63 : 0x1p64))
        value->integer = type.kind == 'i' ? (uint64_t)(int64_t)real : (uint64_t)real;
    else
        return false;
    return is_within(type, *value);
}

/* Words, and bits as "0x7fc00000". */
static bool parse_real_text(vz_codec_number_type type, const char *text, double *real)
{
    const size_t length = strlen(text);
    if (strcmp(text, "NaN") == 0)
        *real = NAN;
    else if (strcmp(text, "Infinity") == 0 || strcmp(text, "+Infinity") == 0)
        *real = INFINITY;
    else if (strcmp(text, "-Infinity") == 0)
        *real = -INFINITY;
    else if (length == 2 + 2 * type.size && text[0] == '0' && text[1] == 'x' &&
             strspn(text + 2, "0123456789abcdefABCDEF") == length - 2)
        *real = vz_real_from_bits(strtoull(text + 2, NULL, 16), type.size);
    else
        return false;
    return true;
}

bool vz_codec_number_parse(vz_codec_number_type type, const vz_json *json, vz_codec_number *value)
{
    vz_error ignored = VZ_ERROR_NONE;
    size_t length = 0;
    const char *text = json ? vz_json_get_string(json, &length) : NULL;
    *value = (vz_codec_number){.kind = 'f'};
    if (text && type.kind == 'f' && parse_real_text(type, text, &value->real))
        return true;
    if (text) { /* a number within a text */
        vz_json *within = vz_json_parse(text, length, &ignored);
        const bool is_number = within && vz_json_number_text(within) && vz_codec_number_parse(type, within, value);
        vz_json_free(within);
        return is_number;
    }
    if (type.kind != 'f')
        return parse_integer(type, json, value);
    if (!vz_json_get_double(json, &value->real))
        return false;
    *value = vz_codec_number_cast(type, *value);
    return true;
}

const char *vz_codec_number_print(vz_codec_number value, char text[VZ_NUMBER_TEXT_SIZE])
{
    if (value.kind == 'f')
        snprintf(text, VZ_NUMBER_TEXT_SIZE, "%.17g", value.real);
    else if (value.kind == 'i')
        snprintf(text, VZ_NUMBER_TEXT_SIZE, "%" PRId64, (int64_t)value.integer);
    else
        snprintf(text, VZ_NUMBER_TEXT_SIZE, "%" PRIu64, value.integer);
    return text;
}
