/* msgpack_write.c - from JSON values to MessagePack, each in its shortest form. */
#include "codec/objectcodec/objects_internal.h"

typedef struct writer {
    bool single;
    vz_buffer *out;
    vz_error *err;
} writer;

static bool write_value(const writer *w, const vz_json *value, unsigned depth);

/* A tag and a big-endian number of `size` bytes. */
static bool put(const writer *w, uint8_t tag, unsigned size, uint64_t number)
{
    uint8_t bytes[9] = {tag};
    for (unsigned i = 0; i < size; i++)
        bytes[1 + i] = (uint8_t)(number >> (8 * (size - 1 - i)));
    return vz_buffer_append(w->out, bytes, 1 + size, w->err);
}

static bool write_unsigned(const writer *w, uint64_t number)
{
    if (number < 0x80)
        return put(w, (uint8_t)number, 0, 0);
    if (number <= UINT8_MAX)
        return put(w, 0xcc, 1, number);
    if (number <= UINT16_MAX)
        return put(w, 0xcd, 2, number);
    return number <= UINT32_MAX ? put(w, 0xce, 4, number) : put(w, 0xcf, 8, number);
}

static bool write_integer(const writer *w, const vz_json *value)
{
    uint64_t positive;
    int64_t number;
    if (vz_json_get_uint64(value, &positive))
        return write_unsigned(w, positive);
    if (!vz_json_get_int64(value, &number))
        return vz_fail(w->err, VZ_UNSUPPORTED, "msgpack: an integer of more than 64 bits");
    if (number >= -32)
        return put(w, (uint8_t)number, 0, 0);
    if (number >= INT8_MIN)
        return put(w, 0xd0, 1, (uint64_t)number);
    if (number >= INT16_MIN)
        return put(w, 0xd1, 2, (uint64_t)number);
    return number >= INT32_MIN ? put(w, 0xd2, 4, (uint64_t)number) : put(w, 0xd3, 8, (uint64_t)number);
}

static bool write_real(const writer *w, const vz_json *value)
{
    double real;
    uint64_t bits;
    uint32_t few;
    if (!vz_json_get_double(value, &real))
        return vz_fail(w->err, VZ_UNSUPPORTED, "msgpack: a number beyond double precision");
    const float narrow = (float)real;
    memcpy(&bits, &real, sizeof bits);
    memcpy(&few, &narrow, sizeof few);
    return w->single ? put(w, 0xca, 4, few) : put(w, 0xcb, 8, bits);
}

/* Tags for lengths of 1, 2 and 4 bytes; 0: there is none of that size. */
static bool write_length(const writer *w, uint8_t tag8, uint8_t tag16, uint8_t tag32, size_t length)
{
    if (length > UINT32_MAX)
        return vz_fail(w->err, VZ_LIMIT, "msgpack: a value of %zu parts", length);
    if (tag8 && length <= UINT8_MAX)
        return put(w, tag8, 1, length);
    return length <= UINT16_MAX ? put(w, tag16, 2, length) : put(w, tag32, 4, length);
}

static bool write_text(const writer *w, const char *text, size_t length)
{
    const bool ok = length < 32 ? put(w, (uint8_t)(0xa0 | length), 0, 0) : write_length(w, 0xd9, 0xda, 0xdb, length);
    return ok && vz_buffer_append(w->out, text, length, w->err);
}

static bool write_bytes(const writer *w, const char *base64, size_t length)
{
    vz_buffer bytes = {0};
    const bool ok = vz_base64_decode(base64, length, &bytes, w->err) && write_length(w, 0xc4, 0xc5, 0xc6, bytes.size) &&
                    vz_buffer_append(w->out, bytes.data, bytes.size, w->err);
    vz_buffer_clear(&bytes);
    return ok;
}

/* A NUL in a key is held as C0 80. */
static bool write_key(const writer *w, const char *key)
{
    if (strstr(key, "\xc0\x80"))
        return vz_fail(w->err, VZ_UNSUPPORTED, "msgpack: a key with a NUL in it");
    return write_text(w, key, strlen(key));
}

static bool write_object(const writer *w, const vz_json *object, unsigned depth)
{
    const size_t count = vz_json_length(object);
    const char *key;
    vz_json *value;
    size_t length;
    const char *bytes = vz_json_get_string(vz_json_get(object, "__bytes__"), &length);
    if (bytes && count == 1)
        return write_bytes(w, bytes, length);
    bool ok = count < 16 ? put(w, (uint8_t)(0x80 | count), 0, 0) : write_length(w, 0, 0xde, 0xdf, count);
    for (size_t i = 0; ok && vz_json_member(object, i, &key, &value); i++)
        ok = write_key(w, key) && write_value(w, value, depth + 1);
    return ok;
}

static bool write_array(const writer *w, const vz_json *array, unsigned depth)
{
    const size_t count = vz_json_length(array);
    bool ok = count < 16 ? put(w, (uint8_t)(0x90 | count), 0, 0) : write_length(w, 0, 0xdc, 0xdd, count);
    for (size_t i = 0; ok && i < count; i++)
        ok = write_value(w, vz_json_at(array, i), depth + 1);
    return ok;
}

static bool write_value(const writer *w, const vz_json *value, unsigned depth)
{
    size_t length;
    const char *text;
    if (depth > VZ_JSON_MAX_DEPTH)
        return vz_fail(w->err, VZ_LIMIT, "msgpack: nested deeper than %d", VZ_JSON_MAX_DEPTH);
    switch (vz_json_kind_of(value)) {
    case VZ_JSON_NULL:
        return put(w, 0xc0, 0, 0);
    case VZ_JSON_FALSE:
        return put(w, 0xc2, 0, 0);
    case VZ_JSON_TRUE:
        return put(w, 0xc3, 0, 0);
    case VZ_JSON_INTEGER:
        return write_integer(w, value);
    case VZ_JSON_REAL:
        return write_real(w, value);
    case VZ_JSON_STRING:
        text = vz_json_get_string(value, &length);
        return write_text(w, text, length);
    case VZ_JSON_ARRAY:
        return write_array(w, value, depth);
    default:
        return write_object(w, value, depth);
    }
}

bool vz_msgpack_write(const vz_json *value, bool single, vz_buffer *out, vz_error *err)
{
    const writer w = {.single = single, .out = out, .err = err};
    return write_value(&w, value, 0);
}
