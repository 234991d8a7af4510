/* cast_value.c - Zarr's "cast_value". Each number becomes the number of another type that equals
 * it. Else a map of numbers, rounding, and a rule for what is out of range decide. */
#include "codec/codec/codec_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define MAP_MAX 65536 /* entries of one direction */

typedef enum out_of_range { RANGE_ERROR, RANGE_CLAMP, RANGE_WRAP } out_of_range;

typedef struct map_entry {
    vz_codec_number key, value;
    size_t place; /* in the list: of equal keys the first counts */
} map_entry;

/* One direction. */
typedef struct way {
    vz_codec_number_type from, to; /* in this machine's byte order */
    vz_codec_cast_rounding rounding;
    out_of_range range;
    vz_error_class class; /* of what cannot be cast */
    size_t count;         /* entries, sorted */
    map_entry *map;
} way;

typedef struct casting {
    vz_codec_number_filter mapping;
    way encode, decode;
} casting;

/* ---- the map ---- */

/* NaN comes last, and equals NaN. */
static int compare_numbers(vz_codec_number a, vz_codec_number b)
{
    if (a.kind == 'f')
        return isnan(a.real) || isnan(b.real) ? isnan(a.real) - isnan(b.real) : (a.real > b.real) - (a.real < b.real);
    if (a.kind == 'i')
        return ((int64_t)a.integer > (int64_t)b.integer) - ((int64_t)a.integer < (int64_t)b.integer);
    return (a.integer > b.integer) - (a.integer < b.integer);
}

static int compare_entries(const void *a, const void *b)
{
    const map_entry *x = a, *y = b;
    const int order = compare_numbers(x->key, y->key);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static const map_entry *find_entry(const way *w, vz_codec_number key)
{
    size_t low = 0, high = w->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_numbers(w->map[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < w->count && compare_numbers(w->map[low].key, key) == 0 ? &w->map[low] : NULL;
}

/* ---- one number ---- */

static const char *kind_name(vz_codec_number_type type)
{
    return type.kind == 'f' ? "float" : type.kind == 'i' ? "int" : "uint";
}

static bool cannot(const way *w, vz_codec_number value, const char *why, vz_error *err)
{
    char text[VZ_NUMBER_TEXT_SIZE];
    return vz_fail(err, w->class, "codec cast_value: %s %s %s%zu", vz_codec_number_print(value, text), why,
                   kind_name(w->to), 8 * w->to.size);
}

static bool is_out_of_range(const way *w, vz_codec_number value, vz_error *err)
{
    return cannot(w, value, "is out of range, and \"out_of_range\" is not set, for", err);
}

static bool to_real(const way *w, vz_codec_number *value, vz_error *err)
{
    const double real = vz_codec_round_to_real(w->to, *value, w->rounding);
    if (isfinite(real) && fabs(real) > vz_real_max(w->to)) {
        if (w->range == RANGE_ERROR)
            return is_out_of_range(w, *value, err);
        *value = (vz_codec_number){.kind = 'f', .real = copysign(INFINITY, real)};
        return true;
    }
    *value = (vz_codec_number){.kind = 'f', .real = real};
    return true;
}

/* The least (`high`: the largest) number of an integer type. */
static vz_codec_number limit_of(vz_codec_number_type type, bool high)
{
    const unsigned unused = 64 - 8 * (unsigned)type.size;
    const uint64_t limit = type.kind == 'i' ? (uint64_t)((high ? INT64_MAX : INT64_MIN) >> unused)
                           : high           ? UINT64_MAX >> unused
                                            : 0;
    return (vz_codec_number){.kind = type.kind, .integer = limit};
}

/* -1: below the integers of that type, 1: above. */
static int side_of(vz_codec_number_type type, vz_codec_number value)
{
    if (value.kind == 'f') {
        const double end = ldexp(1, 8 * (int)type.size - (type.kind == 'i'));
        return value.real >= end ? 1 : value.real < (type.kind == 'i' ? -end : 0) ? -1 : 0;
    }
    const uint64_t high = limit_of(type, true).integer;
    if (value.kind == 'i' && (int64_t)value.integer < 0)
        return (int64_t)value.integer < (int64_t)limit_of(type, false).integer ? -1 : 0;
    return value.integer > high ? 1 : 0;
}

/* A whole real modulo 2^64. */
static uint64_t wrapped(double value)
{
    const uint64_t rest = (uint64_t)fmod(fabs(value), 0x1p64);
    return value < 0 ? -rest : rest;
}

static bool to_integer(const way *w, vz_codec_number *value, vz_error *err)
{
    const vz_codec_number given = *value;
    if (value->kind == 'f') {
        if (!isfinite(value->real))
            return cannot(w, given, "is none of", err);
        value->real = vz_codec_round_to_integer(value->real, w->rounding);
    }
    const int side = side_of(w->to, *value);
    if (side && w->range == RANGE_ERROR)
        return is_out_of_range(w, given, err);
    if (side && w->range == RANGE_CLAMP)
        *value = limit_of(w->to, side > 0);
    else if (value->kind == 'f')
        *value = (vz_codec_number){.kind = w->to.kind, .integer = wrapped(value->real)};
    return true; /* storing takes the lowest bits */
}

static bool cast(const way *w, vz_codec_number *value, vz_error *err)
{
    const map_entry *entry = w->count ? find_entry(w, *value) : NULL;
    if (entry) {
        *value = entry->value;
        return true;
    }
    return w->to.kind == 'f' ? to_real(w, value, err) : to_integer(w, value, err);
}

static bool encode_number(const void *state, vz_codec_number *value, vz_error *err)
{
    return cast(&((const casting *)state)->encode, value, err);
}

static bool decode_number(const void *state, vz_codec_number *value, vz_error *err)
{
    return cast(&((const casting *)state)->decode, value, err);
}

/* ---- the codec ---- */

/* The place of a word in a list. */
static bool read_word(const vz_codec *codec, const vz_json *config, const char *key, const char *const *words,
                      int count, int *place, vz_error *err)
{
    const char *text = NULL;
    if (!vz_config_text(codec, config, key, &text, err))
        return false;
    for (int i = 0; text && i < count; i++)
        if (strcmp(text, words[i]) == 0) {
            *place = i;
            return true;
        }
    return !text || vz_fail(err, VZ_CORRUPT, "codec cast_value: \"%s\" is \"%.60s\", which is not known", key, text);
}

static bool read_modes(const vz_codec *codec, const vz_json *config, casting *c, vz_error *err)
{
    static const char *const roundings[] = {"nearest-even", "towards-zero", "towards-positive", "towards-negative",
                                            "nearest-away"}; /* as in vz_codec_cast_rounding */
    static const char *const ranges[] = {"", "clamp", "wrap"};
    int rounding = 0, range = 0;
    if (!read_word(codec, config, "rounding", roundings, 5, &rounding, err) ||
        !read_word(codec, config, "out_of_range", ranges, 3, &range, err))
        return false;
    if (range == RANGE_WRAP && c->encode.to.kind == 'f')
        return vz_fail(err, VZ_CORRUPT, "codec cast_value: \"out_of_range\" is \"wrap\", and \"data_type\" no integer");
    c->encode.rounding = c->decode.rounding = (vz_codec_cast_rounding)rounding;
    c->encode.range = c->decode.range = (out_of_range)range;
    return true;
}

static bool read_pair(const way *w, const vz_json *pair, map_entry *entry)
{
    return vz_json_kind_of(pair) == VZ_JSON_ARRAY && vz_json_length(pair) == 2 &&
           vz_codec_number_parse(w->from, vz_json_at(pair, 0), &entry->key) &&
           vz_codec_number_parse(w->to, vz_json_at(pair, 1), &entry->value);
}

static bool read_map(way *w, const vz_json *list, const char *key, vz_error *err)
{
    const size_t count = vz_json_length(list);
    if (!list || vz_json_kind_of(list) == VZ_JSON_NULL)
        return true;
    if (vz_json_kind_of(list) != VZ_JSON_ARRAY)
        return vz_fail(err, VZ_CORRUPT, "codec cast_value: \"scalar_map\": \"%s\" is no list", key);
    if (count > MAP_MAX)
        return vz_fail(err, VZ_LIMIT, "codec cast_value: \"scalar_map\": \"%s\" has more than %d pairs", key, MAP_MAX);
    if (!(w->map = calloc(count + 1, sizeof *w->map)))
        return vz_fail_memory(err);
    for (w->count = 0; w->count < count; w->count++) {
        w->map[w->count].place = w->count;
        if (!read_pair(w, vz_json_at(list, w->count), &w->map[w->count]))
            return vz_fail(err, VZ_CORRUPT, "codec cast_value: \"scalar_map\": \"%s\"[%zu] is no pair of such numbers",
                           key, w->count);
    }
    qsort(w->map, count, sizeof *w->map, compare_entries);
    return true;
}

static bool read_maps(casting *c, const vz_json *config, vz_error *err)
{
    const vz_json *map = vz_json_get(config, "scalar_map");
    const char *key;
    vz_json *value;
    if (!map || vz_json_kind_of(map) == VZ_JSON_NULL)
        return true;
    if (vz_json_kind_of(map) != VZ_JSON_OBJECT)
        return vz_fail(err, VZ_CORRUPT, "codec cast_value: \"scalar_map\" is no object");
    for (size_t i = 0; vz_json_member(map, i, &key, &value); i++)
        if (strcmp(key, "encode") != 0 && strcmp(key, "decode") != 0)
            return vz_fail(err, VZ_CORRUPT, "codec cast_value: \"scalar_map\": \"%.60s\" is not known", key);
    return read_map(&c->encode, vz_json_get(map, "encode"), "encode", err) &&
           read_map(&c->decode, vz_json_get(map, "decode"), "decode", err);
}

static bool casting_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    casting *c = codec->state;
    if (!vz_codec_number_type_read(codec, config, "dtype", &c->mapping.decoded, err) ||
        !vz_codec_number_type_read(codec, config, "astype", &c->mapping.encoded, err) ||
        !vz_codec_mapping_check(codec, err))
        return false;
    vz_codec_number_type decoded = c->mapping.decoded, encoded = c->mapping.encoded;
    decoded.swapped = encoded.swapped = false;
    c->encode = (way){.from = decoded, .to = encoded, .class = VZ_INVALID};
    c->decode = (way){.from = encoded, .to = decoded, .class = VZ_CORRUPT};
    return read_modes(codec, config, c, err) && read_maps(c, config, err);
}

static void casting_clear(vz_codec *codec)
{
    casting *c = codec->state;
    free(c->encode.map);
    free(c->decode.map);
}

static bool casting_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    return vz_codec_mapping_decode(codec, in, decode_number, out, err);
}

static bool casting_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    return vz_codec_mapping_encode(codec, in, encode_number, out, err);
}

const vz_codec_class vz_codec_cast_value = {
    .id = "cast_value",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .state_size = sizeof(casting),
    .configure = casting_configure,
    .clear = casting_clear,
    .encoded_element_size = vz_codec_mapping_encoded_element_size,
    .encoded_size = vz_codec_mapping_encoded_size,
    .decode = casting_decode,
    .encode = casting_encode,
};
