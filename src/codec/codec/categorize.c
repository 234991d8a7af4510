/* categorize.c - numcodecs "categorize": text of a known list stored as its number in it, from 1
 * on; all other text is 0 and comes back empty. Of fixed width (dtype "U") it is a filter of bytes,
 * of objects ("|O") it encodes items. */
#include "codec/codec/codec.h"
#include "codec/codec/codec_internal.h"
#include <stdlib.h>

#define LABELS_MAX (1 << 24)

typedef struct label {
    char *text; /* UTF-8 */
    size_t size;
    uint32_t *points; /* the same as code points */
    size_t length;
} label;

typedef struct categorizer {
    vz_codec_number_type text;   /* U; unset for objects */
    vz_codec_number_type number; /* stored */
    label *labels;
    size_t count;
} categorizer;

/* ---- configuration ---- */

/* JSON holds valid UTF-8, but for lone surrogates, which have the form of three bytes too. */
static bool to_points(label *l, vz_error *err)
{
    const uint8_t *p = (const uint8_t *)l->text, *end = p + l->size;
    if (!(l->points = malloc((l->size ? l->size : 1) * sizeof *l->points)))
        return vz_fail_memory(err);
    while (p < end) {
        const size_t size = vz_utf8_sequence(p, (size_t)(end - p), true);
        if (!size)
            return vz_fail(err, VZ_CORRUPT, "codec categorize: a label is not UTF-8");
        l->points[l->length++] = vz_utf8_code_point(p, size);
        p += size;
    }
    return true;
}

static bool add_label(categorizer *c, const vz_json *value, vz_error *err)
{
    size_t size;
    const char *text = vz_json_get_string(value, &size);
    if (!text)
        return vz_fail(err, VZ_CORRUPT, "codec categorize: a label is %s", vz_json_kind_name(value));
    label *l = &c->labels[c->count++];
    if (!(l->text = malloc(size + 1)))
        return vz_fail_memory(err);
    memcpy(l->text, text, size);
    l->size = size;
    return to_points(l, err);
}

static bool read_labels(categorizer *c, const vz_json *labels, vz_error *err)
{
    const size_t count = vz_json_length(labels);
    if (!labels || vz_json_kind_of(labels) != VZ_JSON_ARRAY)
        return vz_fail(err, VZ_CORRUPT, "codec categorize: \"labels\" must be an array");
    if (count > LABELS_MAX)
        return vz_fail(err, VZ_LIMIT, "codec categorize: %zu labels", count);
    if (!(c->labels = calloc(count ? count : 1, sizeof *c->labels)))
        return vz_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        if (!add_label(c, vz_json_at(labels, i), err))
            return false;
    return true;
}

static bool configure(vz_codec *codec, const vz_json *config, bool objects, vz_error *err)
{
    categorizer *c = codec->state;
    const char *dtype = NULL;
    if (!vz_config_text(codec, config, "dtype", &dtype, err))
        return false;
    const bool is_object = dtype && strcmp(dtype, "|O") == 0;
    if (is_object != objects)
        return vz_fail(err, VZ_CORRUPT, "codec categorize: \"dtype\" does not fit the array");
    if (!objects && !vz_codec_number_type_read(codec, config, "dtype", &c->text, err))
        return false;
    if (!objects && c->text.kind != 'U')
        return vz_fail(err, VZ_UNSUPPORTED, "codec categorize: \"dtype\" is \"%s\"", dtype);
    c->number = (vz_codec_number_type){.kind = 'u', .size = 1};
    if (!vz_codec_number_type_read(codec, config, "astype", &c->number, err))
        return false;
    if (!vz_codec_number_type_is_real(c->number))
        return vz_fail(err, VZ_UNSUPPORTED, "codec categorize: stored as type %c%zu", c->number.kind, c->number.size);
    return read_labels(c, vz_json_get(config, "labels"), err);
}

static bool configure_text(vz_codec *codec, const vz_json *config, vz_error *err)
{
    return configure(codec, config, false, err);
}

static bool configure_objects(vz_codec *codec, const vz_json *config, vz_error *err)
{
    return configure(codec, config, true, err);
}

static void categorize_clear(vz_codec *codec)
{
    categorizer *c = codec->state;
    for (size_t i = 0; i < c->count; i++) {
        free(c->labels[i].text);
        free(c->labels[i].points);
    }
    free(c->labels);
}

/* ---- numbers of labels ---- */

/* The label that a stored number names; NULL: none. */
static const label *label_of(const categorizer *c, const uint8_t *stored)
{
    const vz_codec_number number =
        vz_codec_number_cast((vz_codec_number_type){.kind = 'u', .size = 8}, vz_codec_number_load(c->number, stored));
    return number.integer >= 1 && number.integer <= c->count ? &c->labels[number.integer - 1] : NULL;
}

/* As numcodecs, which lets the last of equal labels win. */
static void store_index(const categorizer *c, size_t index, uint8_t *to)
{
    vz_codec_number_store(c->number, (vz_codec_number){.kind = 'u', .integer = index}, to);
}

/* ---- fixed width ---- */

static const vz_codec_number_type code_point = {.kind = 'u', .size = 4};

static void put_points(const categorizer *c, const label *l, uint8_t *element)
{
    vz_codec_number_type type = code_point;
    type.swapped = c->text.swapped;
    memset(element, 0, c->text.size);
    for (size_t i = 0; l && i < l->length && i < c->text.size / 4; i++)
        vz_codec_number_store(type, (vz_codec_number){.kind = 'u', .integer = l->points[i]}, element + 4 * i);
}

static bool equals(const categorizer *c, const label *l, const uint8_t *element)
{
    vz_codec_number_type type = code_point;
    type.swapped = c->text.swapped;
    const size_t width = c->text.size / 4;
    for (size_t i = 0; i < width; i++)
        if (vz_codec_number_load(type, element + 4 * i).integer != (i < l->length ? l->points[i] : 0))
            return false;
    return l->length <= width;
}

static size_t encoded_element_size(const vz_codec *codec)
{
    return ((const categorizer *)codec->state)->number.size;
}

static bool encoded_size(const vz_codec *codec, size_t decoded_size, size_t *size)
{
    const categorizer *c = codec->state;
    return !__builtin_mul_overflow(decoded_size / c->text.size, c->number.size, size);
}

static bool decode_text(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    const categorizer *c = codec->state;
    uint64_t size;
    if (in.size % c->number.size || !vz_mul(in.size / c->number.size, c->text.size, &size))
        return vz_fail(err, VZ_CORRUPT, "categorize: %zu bytes are no whole elements of %zu", in.size, c->number.size);
    if (!vz_sink_claim(codec, out, size, err))
        return false;
    for (size_t i = 0; i < in.size / c->number.size; i++)
        put_points(c, label_of(c, in.data + i * c->number.size), out->data + i * c->text.size);
    out->size = (size_t)size;
    return true;
}

static bool encode_text(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    const categorizer *c = codec->state;
    size_t size;
    if (in.size % c->text.size || !encoded_size(codec, in.size, &size))
        return vz_fail(err, VZ_INVALID, "categorize: %zu bytes are no whole elements of %zu", in.size, c->text.size);
    if (!vz_buffer_reserve(out, size, err))
        return false;
    for (size_t i = 0; i < in.size / c->text.size; i++) {
        size_t index = c->count;
        while (index > 0 && !equals(c, &c->labels[index - 1], in.data + i * c->text.size))
            index--;
        store_index(c, index, out->data + i * c->number.size);
    }
    out->size = size;
    return true;
}

/* ---- objects ---- */

static bool decode_items(const vz_codec *codec, vz_bytes in, vz_item *items, size_t count, vz_arena *arena,
                         vz_error *err)
{
    const categorizer *c = codec->state;
    if (in.size / c->number.size != count || in.size % c->number.size)
        return vz_fail(err, VZ_CORRUPT, "categorize: %zu bytes for %zu elements of %zu", in.size, count,
                       c->number.size);
    for (size_t i = 0; i < count; i++) {
        const label *l = label_of(c, in.data + i * c->number.size);
        items[i] = l ? (vz_item){(const uint8_t *)l->text, l->size} : (vz_item){(const uint8_t *)"", 0};
        if (arena && !(items[i].data = vz_arena_copy(arena, items[i].data, (size_t)items[i].size, err)))
            return false;
    }
    return true;
}

static bool encode_items(const vz_codec *codec, const vz_item *items, size_t count, vz_buffer *out, vz_error *err)
{
    const categorizer *c = codec->state;
    size_t size;
    if (__builtin_mul_overflow(count, c->number.size, &size))
        return vz_fail(err, VZ_LIMIT, "categorize: the chunk is too large");
    if (!vz_buffer_reserve(out, size, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t index = c->count;
        while (index > 0 && (c->labels[index - 1].size != items[i].size ||
                             (items[i].size && memcmp(c->labels[index - 1].text, items[i].data, items[i].size) != 0)))
            index--;
        store_index(c, index, out->data + i * c->number.size);
    }
    out->size = size;
    return true;
}

const vz_codec_class vz_codec_categorize = {
    .id = "categorize",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .state_size = sizeof(categorizer),
    .configure = configure_text,
    .clear = categorize_clear,
    .encoded_element_size = encoded_element_size,
    .encoded_size = encoded_size,
    .decode = decode_text,
    .encode = encode_text,
};

const vz_codec_class vz_codec_categorize_objects = {
    .id = "categorize",
    .kind = VZ_CODEC_ITEMS_TO_BYTES,
    .state_size = sizeof(categorizer),
    .configure = configure_objects,
    .clear = categorize_clear,
    .decode_items = decode_items,
    .encode_items = encode_items,
    .lends_items = true,
};
