/* pickle_write.c - pickles of protocol 4 that numpy 1 and 2 read, without a memo. They hold an
 * array of objects, or of rows of a structure with objects in it. Values are plain ones of Python;
 * a dict with the one key "__bytes__" is bytes again. */
#include "codec/objectcodec/objects_internal.h"

#include <stdio.h>

#define RECONSTRUCT                                                                                                    \
    "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85"                                                   \
    "C\1b\x87R"
#define DTYPE        "cnumpy\ndtype\n"
#define DTYPE_CALL   "\x89\x88\x87R" /* (code, False, True) */
#define MINUS_ONE    "J\xff\xff\xff\xff"
#define FLAGS_OBJECT "K\x3f"
#define FLAGS_RECORD "K\x1b"

typedef struct writer {
    const vz_codec *codec;
    vz_buffer *out;
    vz_error *err;
    size_t item; /* being written */
} writer;

static bool put(const writer *w, const void *data, size_t size)
{
    return vz_buffer_append(w->out, data, size, w->err);
}
#define PUT(w, literal) put(w, literal, sizeof(literal) - 1)

static bool put_byte(const writer *w, uint8_t byte)
{
    return put(w, &byte, 1);
}

static bool put_number(const writer *w, uint8_t opcode, unsigned size, uint64_t number)
{
    uint8_t bytes[8];
    vz_bytes_store_le64(bytes, number);
    return put_byte(w, opcode) && put(w, bytes, size);
}

/* ---- plain values ---- */

static bool put_integer(const writer *w, uint64_t magnitude, bool negative)
{
    if (!negative && magnitude <= UINT8_MAX)
        return put_number(w, 'K', 1, magnitude);
    if (!negative && magnitude <= UINT16_MAX)
        return put_number(w, 'M', 2, magnitude);
    if (magnitude <= INT32_MAX + (uint64_t)negative)
        return put_number(w, 'J', 4, negative ? 0 - magnitude : magnitude);
    return put_byte(w, 0x8a) && put_number(w, 9, 8, negative ? 0 - magnitude : magnitude) &&
           put_byte(w, negative ? 0xff : 0);
}

static bool put_string(const writer *w, bool is_text, const void *data, size_t size)
{
    if (size > UINT32_MAX)
        return vz_fail(w->err, VZ_LIMIT, "pickle: a string over 4 GiB");
    if (size <= UINT8_MAX)
        return put_number(w, is_text ? 0x8c : 'C', 1, size) && put(w, data, size);
    return put_number(w, is_text ? 'X' : 'B', 4, size) && put(w, data, size);
}

static bool put_text(const writer *w, const char *text)
{
    return put_string(w, true, text, strlen(text));
}

static bool put_json_integer(const writer *w, const vz_json *value)
{
    int64_t number;
    uint64_t magnitude;
    if (vz_json_get_uint64(value, &magnitude))
        return put_integer(w, magnitude, false);
    if (!vz_json_get_int64(value, &number))
        return vz_fail(w->err, VZ_UNSUPPORTED, "pickle: item %zu has an integer of more than 64 bits", w->item);
    return put_integer(w, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, number < 0);
}

static bool put_real(const writer *w, double real)
{
    uint64_t bits;
    uint8_t bytes[8];
    memcpy(&bits, &real, sizeof bits);
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(bits >> (56 - 8 * i));
    return put_byte(w, 'G') && put(w, bytes, sizeof bytes);
}

static bool put_json_real(const writer *w, const vz_json *value)
{
    double real;
    if (!vz_json_get_double(value, &real))
        return vz_fail(w->err, VZ_UNSUPPORTED, "pickle: item %zu has a number beyond double precision", w->item);
    return put_real(w, real);
}

/* ---- values ---- */

static bool put_value(const writer *w, const vz_json *value);

static bool put_list(const writer *w, const vz_json *list)
{
    if (!PUT(w, "]("))
        return false;
    for (size_t i = 0; i < vz_json_length(list); i++)
        if (!put_value(w, vz_json_at(list, i)))
            return false;
    return PUT(w, "e");
}

static bool put_base64(const writer *w, const char *text, size_t length)
{
    vz_buffer bytes = {0};
    const bool ok = vz_base64_decode(text, length, &bytes, w->err) && put_string(w, false, bytes.data, bytes.size);
    vz_buffer_clear(&bytes);
    return ok;
}

/* A key, in which a NUL is held as C0 80. */
static bool put_key(const writer *w, const char *key)
{
    if (!strstr(key, "\xc0\x80"))
        return put_text(w, key);
    return vz_fail(w->err, VZ_UNSUPPORTED, "pickle: item %zu has a key with a NUL in it", w->item);
}

static bool put_object(const writer *w, const vz_json *object)
{
    const char *key;
    vz_json *value;
    size_t length;
    const char *bytes = vz_json_get_string(vz_json_get(object, "__bytes__"), &length);
    if (bytes && vz_json_length(object) == 1)
        return put_base64(w, bytes, length);
    bool ok = PUT(w, "}(");
    for (size_t i = 0; ok && vz_json_member(object, i, &key, &value); i++)
        ok = put_key(w, key) && put_value(w, value);
    return ok && PUT(w, "u");
}

/* No deeper than JSON is read. */
static bool put_value(const writer *w, const vz_json *value)
{
    size_t length;
    const char *text;
    switch (vz_json_kind_of(value)) {
    case VZ_JSON_NULL:
        return PUT(w, "N");
    case VZ_JSON_TRUE:
        return PUT(w, "\x88");
    case VZ_JSON_FALSE:
        return PUT(w, "\x89");
    case VZ_JSON_INTEGER:
        return put_json_integer(w, value);
    case VZ_JSON_REAL:
        return put_json_real(w, value);
    case VZ_JSON_STRING:
        text = vz_json_get_string(value, &length);
        return put_string(w, true, text, length);
    case VZ_JSON_ARRAY:
        return put_list(w, value);
    default:
        return put_object(w, value);
    }
}

/* ---- rows ---- */

/* numpy's value of the number 0. */
static bool put_zero(const writer *w, const vz_pickle_field *field)
{
    switch (field->kind) {
    case 'b':
        return PUT(w, "\x89");
    case 'f':
        return put_real(w, 0);
    case 'S':
        return put_string(w, false, "", 0);
    case 'U':
        return put_text(w, "");
    default:
        return put_integer(w, 0, false);
    }
}

static bool put_member(const writer *w, const vz_pickle_field *field, const vz_json *value)
{
    const vz_json_kind kind = vz_json_kind_of(value);
    const bool number = kind == VZ_JSON_INTEGER || kind == VZ_JSON_REAL;
    size_t length;
    const char *text = vz_json_get_string(value, &length);
    switch (field->kind) {
    case 'O':
        return put_value(w, value);
    case 'b':
        if (kind == VZ_JSON_TRUE || kind == VZ_JSON_FALSE)
            return put_value(w, value);
        break;
    case 'f':
        if (number)
            return put_json_real(w, value);
        break;
    case 'S':
        if (text)
            return put_string(w, false, text, length);
        if (vz_json_get_string(vz_json_get(value, "__bytes__"), NULL))
            return put_value(w, value);
        break;
    case 'U':
        if (text)
            return put_value(w, value);
        break;
    default:
        if (kind == VZ_JSON_INTEGER)
            return put_value(w, value);
    }
    return vz_fail(w->err, VZ_INVALID, "pickle: item %zu: member \"%.60s\" cannot be %s", w->item, field->name,
                   vz_json_kind_name(value));
}

/* A tuple; an item that is no row, as the fill value and missing items, is a row of zeros. */
static bool put_row(const writer *w, const vz_json *row)
{
    const vz_pickle_record *record = w->codec->state;
    const bool is_row = vz_json_kind_of(row) == VZ_JSON_ARRAY;
    if (is_row && vz_json_length(row) != record->field_count)
        return vz_fail(w->err, VZ_INVALID, "pickle: item %zu is no row of %zu members", w->item, record->field_count);
    bool ok = PUT(w, "(");
    for (size_t i = 0; ok && i < record->field_count; i++)
        ok = is_row ? put_member(w, &record->fields[i], vz_json_at(row, i)) : put_zero(w, &record->fields[i]);
    return ok && PUT(w, "t");
}

static bool put_item(const writer *w, vz_item item)
{
    const vz_pickle_record *record = w->codec->state;
    vz_json *value = vz_objectcodec_value(w->codec, item, w->item, w->err);
    const bool ok = value && (record->field_count ? put_row(w, value) : put_value(w, value));
    vz_json_free(value);
    return ok;
}

/* ---- the array ---- */

static bool put_dtype(const writer *w, const char *code)
{
    return PUT(w, DTYPE) && put_text(w, code) && PUT(w, DTYPE_CALL);
}

static bool put_object_dtype(const writer *w)
{
    return put_dtype(w, "O8") && PUT(w, "(K\3\x8c\1|NNN" MINUS_ONE MINUS_ONE FLAGS_OBJECT "tb");
}

/* Size and alignment of text stand in the state, of numbers they are what the code says. */
static bool put_field_dtype(const writer *w, const vz_pickle_field *field)
{
    if (field->kind == 'O')
        return put_object_dtype(w);
    const bool is_text = field->kind == 'S' || field->kind == 'U';
    return put_dtype(w, field->code) && PUT(w, "(K\3") && put_text(w, field->order) && PUT(w, "NNN") &&
           (is_text ? put_integer(w, field->size, false) && put_integer(w, field->kind == 'U' ? 4 : 1, false)
                    : PUT(w, MINUS_ONE MINUS_ONE)) &&
           PUT(w, "K\0tb");
}

static bool put_record_dtype(const writer *w, const vz_pickle_record *record)
{
    char code[16];
    snprintf(code, sizeof code, "V%u", record->size);
    bool ok = put_dtype(w, code) && PUT(w, "(K\3\x8c\1|N(");
    for (size_t i = 0; ok && i < record->field_count; i++)
        ok = put_text(w, record->fields[i].name);
    ok = ok && PUT(w, "t}(");
    for (size_t i = 0; ok && i < record->field_count; i++)
        ok = put_text(w, record->fields[i].name) && put_field_dtype(w, &record->fields[i]) &&
             put_integer(w, record->fields[i].offset, false) && PUT(w, "\x86");
    return ok && PUT(w, "u") && put_integer(w, record->size, false) && PUT(w, "K\1" FLAGS_RECORD "tb");
}

static bool put_shape(const writer *w)
{
    const vz_codec_context *chunk = &w->codec->context;
    bool ok = PUT(w, "(");
    for (unsigned d = 0; ok && d < chunk->rank; d++)
        ok = put_integer(w, chunk->shape[d], false);
    return ok && PUT(w, "t");
}

bool vz_pickle_write(const vz_codec *codec, const vz_item *items, size_t count, vz_buffer *out, vz_error *err)
{
    const vz_pickle_record *record = codec->state;
    writer w = {.codec = codec, .out = out, .err = err};
    if (count != codec->context.element_count)
        return vz_fail(err, VZ_INVALID, "pickle: %zu items are no chunk of this array", count);
    if (record->read_only)
        return vz_fail(err, VZ_UNSUPPORTED, "pickle: rows with members that are structures, arrays, times or complex");
    if (!PUT(&w, "\x80\4" RECONSTRUCT "(K\1") || !put_shape(&w) ||
        !(record->field_count ? put_record_dtype(&w, record) : put_object_dtype(&w)) || !PUT(&w, "\x89]("))
        return false;
    for (; w.item < count; w.item++)
        if (!put_item(&w, items[w.item]))
            return false;
    return PUT(&w, "etb.");
}
