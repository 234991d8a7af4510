/* json2.c - numcodecs "json2": a chunk of objects as one JSON list. Of the options of Python's
 * encoder those count that change what is written and keep it readable for everybody: "sort_keys"
 * and "ensure_ascii". */
#include "codec/codec/codec.h"
#include "codec/objectcodec/objects_internal.h"
#include <stdlib.h>
#include <strings.h>

typedef struct json2_options {
    bool sort_keys;
    bool ensure_ascii;
} json2_options;

static bool json2_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    json2_options *options = codec->state;
    const char *encoding = "utf-8";
    *options = (json2_options){.sort_keys = true, .ensure_ascii = true};
    if (!vz_config_bool(codec, config, "sort_keys", &options->sort_keys, err) ||
        !vz_config_bool(codec, config, "ensure_ascii", &options->ensure_ascii, err) ||
        !vz_config_text(codec, config, "encoding", &encoding, err))
        return false;
    if (strcasecmp(encoding, "utf-8") == 0 || strcasecmp(encoding, "utf8") == 0 || strcasecmp(encoding, "ascii") == 0)
        return true;
    return vz_fail(err, VZ_UNSUPPORTED, "codec json2: \"encoding\" \"%.60s\"", encoding);
}

static bool json2_decode(const vz_codec *codec, vz_bytes in, vz_item *items, size_t count, vz_arena *arena,
                         vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    vz_json *list = vz_json_parse((const char *)in.data, in.size, &why);
    if (!list)
        return vz_fail(err, why.class, "json2: %.300s", why.text);
    const bool ok = vz_objectcodec_list_take(codec, list, items, count, arena, err);
    vz_json_free(list);
    return ok;
}

/* ---- writing, as Python's json.dumps with separators "," and ":" ---- */

typedef struct writer {
    const json2_options *options;
    vz_buffer *out;
    vz_error *err;
} writer;

static bool write_value(const writer *w, const vz_json *value, unsigned depth);

/* Text of plain ASCII without control characters, quotes and backslashes stands as it is. */
static size_t plain_length(const uint8_t *text, size_t length)
{
    size_t n = 0;
    while (n < length && text[n] >= 0x20 && text[n] < 0x7f && text[n] != '"' && text[n] != '\\')
        n++;
    return n;
}

static bool write_escape(const writer *w, uint32_t point)
{
    static const char letters[][2] = {{'"', '"'},  {'\\', '\\'}, {'\n', 'n'}, {'\r', 'r'},
                                      {'\t', 't'}, {'\b', 'b'},  {'\f', 'f'}};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (point == (uint8_t)letters[i][0])
            return vz_buffer_append(w->out, (const char[]){'\\', letters[i][1]}, 2, w->err);
    if (point < 0x10000)
        return vz_buffer_printf(w->out, w->err, "\\u%04x", (unsigned)point);
    point -= 0x10000;
    return vz_buffer_printf(w->out, w->err, "\\u%04x\\u%04x", 0xd800 + (unsigned)(point >> 10),
                            0xdc00 + (unsigned)(point & 0x3ff));
}

/* The code point at `text`, which json.h vouches for: UTF-8, surrogates as three bytes, NUL in keys
 * as C0 80. */
static uint32_t take_point(const uint8_t *text, size_t left, size_t *size)
{
    *size = text[0] < 0x80 ? 1 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    if (*size > left)
        *size = left;
    return vz_utf8_code_point(text, *size);
}

static bool must_escape(const writer *w, uint32_t point)
{
    const bool surrogate = point >= 0xd800 && point < 0xe000;
    return point < 0x20 || point == '"' || point == '\\' || surrogate || (w->options->ensure_ascii && point > 0x7e);
}

static bool write_string(const writer *w, const char *string, size_t length)
{
    const uint8_t *text = (const uint8_t *)string;
    bool ok = vz_buffer_append(w->out, "\"", 1, w->err);
    while (ok && length > 0) {
        size_t size = plain_length(text, length);
        if (size > 0) {
            ok = vz_buffer_append(w->out, text, size, w->err);
        } else {
            const uint32_t point = take_point(text, length, &size);
            ok = must_escape(w, point) ? write_escape(w, point) : vz_buffer_append(w->out, text, size, w->err);
        }
        text += size;
        length -= size;
    }
    return ok && vz_buffer_append(w->out, "\"", 1, w->err);
}

typedef struct member {
    const char *key;
    vz_json *value;
} member;

static int by_key(const void *a, const void *b)
{
    return strcmp(((const member *)a)->key, ((const member *)b)->key);
}

static bool write_members(const writer *w, const member *members, size_t count, unsigned depth)
{
    bool ok = vz_buffer_append(w->out, "{", 1, w->err);
    for (size_t i = 0; ok && i < count; i++)
        ok = (i == 0 || vz_buffer_append(w->out, ",", 1, w->err)) &&
             write_string(w, members[i].key, strlen(members[i].key)) && vz_buffer_append(w->out, ":", 1, w->err) &&
             write_value(w, members[i].value, depth + 1);
    return ok && vz_buffer_append(w->out, "}", 1, w->err);
}

static bool write_object(const writer *w, const vz_json *object, unsigned depth)
{
    const size_t count = vz_json_length(object);
    member *members = calloc(count ? count : 1, sizeof *members);
    if (!members)
        return vz_fail_memory(w->err);
    for (size_t i = 0; i < count; i++)
        vz_json_member(object, i, &members[i].key, &members[i].value);
    if (w->options->sort_keys)
        qsort(members, count, sizeof *members, by_key);
    const bool ok = write_members(w, members, count, depth);
    free(members);
    return ok;
}

static bool write_array(const writer *w, const vz_json *array, unsigned depth)
{
    bool ok = vz_buffer_append(w->out, "[", 1, w->err);
    for (size_t i = 0; ok && i < vz_json_length(array); i++)
        ok = (i == 0 || vz_buffer_append(w->out, ",", 1, w->err)) && write_value(w, vz_json_at(array, i), depth + 1);
    return ok && vz_buffer_append(w->out, "]", 1, w->err);
}

static bool write_value(const writer *w, const vz_json *value, unsigned depth)
{
    const char *text;
    size_t length;
    if (depth >= VZ_JSON_MAX_DEPTH)
        return vz_fail(w->err, VZ_LIMIT, "json2: nested deeper than %d", VZ_JSON_MAX_DEPTH);
    switch (vz_json_kind_of(value)) {
    case VZ_JSON_STRING:
        text = vz_json_get_string(value, &length);
        return write_string(w, text, length);
    case VZ_JSON_ARRAY:
        return write_array(w, value, depth);
    case VZ_JSON_OBJECT:
        return write_object(w, value, depth);
    default:
        return vz_json_print(value, 0, w->out, w->err);
    }
}

static bool json2_encode(const vz_codec *codec, const vz_item *items, size_t count, vz_buffer *out, vz_error *err)
{
    vz_json *list = vz_objectcodec_list_make(codec, items, count, err);
    const writer w = {.options = codec->state, .out = out, .err = err};
    const bool ok = list && write_value(&w, list, 0);
    vz_json_free(list);
    return ok;
}

const vz_codec_class vz_codec_json2 = {
    .id = "json2",
    .kind = VZ_CODEC_ITEMS_TO_BYTES,
    .state_size = sizeof(json2_options),
    .configure = json2_configure,
    .decode_items = json2_decode,
    .encode_items = json2_encode,
};
