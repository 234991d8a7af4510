/* msgpack_read.c - from MessagePack to JSON values. */
#include "codec/objectcodec/objects_internal.h"

#include <stdlib.h>

/* A value takes at least a byte of the input, and some hundred of memory: that much input is
 * refused. */
#define INPUT_MAX ((size_t)1 << 29)

typedef struct reader {
    vz_bytes in;
    size_t at;
    vz_error *err;
} reader;

static vz_json *read_value(reader *r, unsigned depth);

static const uint8_t *take(reader *r, uint64_t size)
{
    if (size > r->in.size - r->at) {
        vz_fail(r->err, VZ_CORRUPT, "msgpack: the data end within a value");
        return NULL;
    }
    const uint8_t *bytes = r->in.data + r->at;
    r->at += (size_t)size;
    return bytes;
}

/* A big-endian number of 1, 2, 4 or 8 bytes. */
static bool take_number(reader *r, unsigned size, uint64_t *number)
{
    const uint8_t *bytes = take(r, size);
    *number = 0;
    for (unsigned i = 0; bytes && i < size; i++)
        *number = *number << 8 | bytes[i];
    return bytes != NULL;
}

static vz_json *read_unsigned(reader *r, unsigned size)
{
    uint64_t number;
    return take_number(r, size, &number) ? vz_json_uint64(number, r->err) : NULL;
}

static vz_json *read_signed(reader *r, unsigned size)
{
    uint64_t number;
    if (!take_number(r, size, &number))
        return NULL;
    const unsigned unused = 64 - 8 * size;
    return vz_json_int64((int64_t)(number << unused) >> unused, r->err);
}

static vz_json *read_real(reader *r, unsigned size)
{
    uint64_t bits;
    double real;
    float narrow;
    if (!take_number(r, size, &bits))
        return NULL;
    if (size == sizeof real) {
        memcpy(&real, &bits, sizeof real);
        return vz_json_double(real, r->err);
    }
    const uint32_t few = (uint32_t)bits;
    memcpy(&narrow, &few, sizeof narrow);
    return vz_json_double((double)narrow, r->err);
}

static vz_json *bytes_object(vz_bytes bytes, vz_error *err)
{
    char *base64 = vz_base64_encode(bytes.data, bytes.size, err);
    vz_json *object = base64 ? vz_json_object(err) : NULL;
    const bool ok = object && vz_json_set_text(object, "__bytes__", base64, err);
    free(base64);
    if (ok)
        return object;
    vz_json_free(object);
    return NULL;
}

/* Text and bytes: writers of old call text what may be either. */
static vz_json *read_string(reader *r, uint64_t size)
{
    const uint8_t *bytes = take(r, size);
    if (!bytes)
        return NULL;
    if (vz_utf8_valid(bytes, (size_t)size))
        return vz_json_string((const char *)bytes, (size_t)size, r->err);
    return bytes_object((vz_bytes){bytes, (size_t)size}, r->err);
}

static vz_json *read_array(reader *r, uint64_t count, unsigned depth)
{
    vz_json *array = vz_json_array(r->err);
    for (uint64_t i = 0; array && i < count; i++)
        if (!vz_json_append(array, read_value(r, depth + 1), r->err)) {
            vz_json_free(array);
            return NULL;
        }
    return array;
}

/* A key as JSON holds it: NUL-terminated, a NUL in it as C0 80. */
static char *key_text(const vz_json *key, vz_error *err)
{
    size_t length, size = 0;
    const char *text = vz_json_get_string(key, &length);
    if (!text) {
        vz_fail(err, VZ_UNSUPPORTED, "msgpack: a map with a key that is no text");
        return NULL;
    }
    char *copy = malloc(2 * length + 1);
    if (!copy) {
        vz_fail_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\0')
            copy[size++] = (char)0xc0;
        copy[size++] = text[i] == '\0' ? (char)0x80 : text[i];
    }
    copy[size] = '\0';
    return copy;
}

static bool read_member(reader *r, vz_json *object, unsigned depth)
{
    vz_json *key = read_value(r, depth + 1);
    char *text = key ? key_text(key, r->err) : NULL;
    vz_json_free(key);
    const bool ok = text && vz_json_set(object, text, read_value(r, depth + 1), r->err);
    free(text);
    return ok;
}

static vz_json *read_map(reader *r, uint64_t count, unsigned depth)
{
    vz_json *object = vz_json_object(r->err);
    for (uint64_t i = 0; object && i < count; i++)
        if (!read_member(r, object, depth)) {
            vz_json_free(object);
            return NULL;
        }
    return object;
}

static vz_json *read_counted(reader *r, uint8_t tag, unsigned depth)
{
    static const uint8_t sizes[] = {[0] = 1, [1] = 2, [2] = 4};
    const bool array = tag == 0xdc || tag == 0xdd, map = tag == 0xde || tag == 0xdf;
    const unsigned size = array || map ? (tag & 1 ? 4 : 2) : sizes[tag >= 0xd9 ? tag - 0xd9 : tag - 0xc4];
    uint64_t count;
    if (!take_number(r, size, &count))
        return NULL;
    return array ? read_array(r, count, depth) : map ? read_map(r, count, depth) : read_string(r, count);
}

static vz_json *read_value(reader *r, unsigned depth)
{
    if (depth > VZ_JSON_MAX_DEPTH) {
        vz_fail(r->err, VZ_LIMIT, "msgpack: nested deeper than %d", VZ_JSON_MAX_DEPTH);
        return NULL;
    }
    const uint8_t *at = take(r, 1);
    if (!at)
        return NULL;
    const uint8_t tag = *at;
    if (tag < 0x80)
        return vz_json_int64(tag, r->err);
    if (tag >= 0xe0)
        return vz_json_int64((int8_t)tag, r->err);
    if (tag < 0x90)
        return read_map(r, tag & 0x0f, depth);
    if (tag < 0xa0)
        return read_array(r, tag & 0x0f, depth);
    if (tag < 0xc0)
        return read_string(r, tag & 0x1f);
    if (tag == 0xc0)
        return vz_json_null(r->err);
    if (tag == 0xc2 || tag == 0xc3)
        return vz_json_bool(tag & 1, r->err);
    if (tag == 0xca || tag == 0xcb)
        return read_real(r, tag == 0xca ? 4 : 8);
    if (tag >= 0xcc && tag <= 0xcf)
        return read_unsigned(r, 1u << (tag - 0xcc));
    if (tag >= 0xd0 && tag <= 0xd3)
        return read_signed(r, 1u << (tag - 0xd0));
    if ((tag >= 0xc4 && tag <= 0xc6) || tag >= 0xd9)
        return read_counted(r, tag, depth);
    vz_fail(r->err, VZ_UNSUPPORTED, "msgpack: a value of type 0x%02x", tag);
    return NULL;
}

vz_json *vz_msgpack_read(vz_bytes in, vz_error *err)
{
    reader r = {.in = in, .err = err};
    if (in.size > INPUT_MAX) {
        vz_fail(err, VZ_LIMIT, "msgpack: %zu bytes", in.size);
        return NULL;
    }
    vz_json *value = read_value(&r, 0);
    if (!value || r.at == in.size)
        return value;
    vz_fail(err, VZ_CORRUPT, "msgpack: %zu bytes after the value", in.size - r.at);
    vz_json_free(value);
    return NULL;
}
