/* fill_v2_print.c - writes fill values of format 2. */
#include "codec/codec/codec.h"
#include "metadata/metadata/v2_internal.h"
#include "metadata/metadata/metadata_internal.h"
#include <math.h>
#include <stdlib.h>

static vz_json *print_real(size_t size, bool big_endian, const uint8_t *bytes, vz_error *err)
{
    const double real = vz_real_from_bits(vz_scalar_load(bytes, size, big_endian), size);
    if (isnan(real))
        return vz_json_text("NaN", err);
    if (isinf(real))
        return vz_json_text(real > 0 ? "Infinity" : "-Infinity", err);
    return vz_json_double(real, err);
}

vz_json *vz_meta_fill_print_complex(const vz_dtype *dtype, const uint8_t *bytes, vz_meta_fill_print_part print,
                                    vz_error *err)
{
    const size_t half = dtype->size / 2;
    vz_json *pair = vz_json_array(err);
    if (pair && vz_json_append(pair, print(half, dtype->big_endian, bytes, err), err) &&
        vz_json_append(pair, print(half, dtype->big_endian, bytes + half, err), err))
        return pair;
    vz_json_free(pair);
    return NULL;
}

static vz_json *print_base64(const void *data, size_t size, vz_error *err)
{
    char *text = vz_base64_encode(data, size, err);
    vz_json *value = text ? vz_json_text(text, err) : NULL;
    free(text);
    return value;
}

/* Byte strings lose their trailing NULs, as numpy's do. */
static vz_json *print_bytes(const vz_dtype *dtype, const uint8_t *bytes, vz_error *err)
{
    size_t size = dtype->size;
    while (size > 0 && bytes[size - 1] == 0)
        size--;
    if (size > 0 && dtype->size > VZ_FILL_FREE_SIZE) /* as long as a reader needs it to believe
                                                      * it */
        size = dtype->size;
    return print_base64(bytes, size, err);
}

static vz_json *print_unicode(const vz_dtype *dtype, const uint8_t *bytes, vz_error *err)
{
    vz_buffer text = {0};
    bool ok = true;
    size_t size = dtype->size;
    while (size > 0 && vz_scalar_load(bytes + size - 4, 4, dtype->big_endian) == 0)
        size -= 4;
    for (size_t at = 0; ok && at < size; at += 4) {
        uint8_t utf8[4];
        const uint32_t code = (uint32_t)vz_scalar_load(bytes + at, 4, dtype->big_endian);
        ok = vz_buffer_append(&text, utf8, vz_scalar_utf8(code, utf8), err);
    }
    vz_json *value = ok ? vz_json_string(text.data ? (const char *)text.data : "", text.size, err) : NULL;
    vz_buffer_clear(&text);
    return value;
}

/* Only readers of pickled rows understand a fill value of rows: the number 0, pickled. */
static vz_json *print_json(const vz_dtype *dtype, vz_item item, vz_error *err)
{
    if (dtype->item)
        return dtype->codec && strcmp(dtype->codec, "pickle") == 0 ? vz_json_text("gAVLAC4=", err) : vz_json_null(err);
    return item.size ? vz_json_parse((const char *)item.data, (size_t)item.size, err) : vz_json_int64(0, err);
}

static vz_json *print_item(const vz_meta *meta, vz_error *err)
{
    vz_item item;
    memcpy(&item, meta->fill, sizeof item);
    if (meta->dtype->object == VZ_OBJECT_JSON)
        return print_json(meta->dtype, item, err);
    if (meta->dtype->object == VZ_OBJECT_TEXT)
        return vz_json_string(item.data ? (const char *)item.data : "", item.size, err);
    if (meta->dtype->object == VZ_OBJECT_BYTES)
        return print_base64(item.data ? (const void *)item.data : "", item.size, err);
    return vz_json_int64(0, err);
}

vz_json *vz_meta_fill_print_v2(const vz_meta *meta, vz_error *err)
{
    const vz_dtype *dtype = meta->dtype;
    if (!meta->fill_defined)
        return vz_json_null(err);
    if (meta->fill_zero && (dtype->kind == VZ_DTYPE_BYTES || dtype->kind == VZ_DTYPE_UNICODE))
        return vz_json_text("", err);
    switch (dtype->kind) {
    case VZ_DTYPE_BOOL:
        return vz_json_bool(meta->fill[0] != 0, err);
    case VZ_DTYPE_INT:
    case VZ_DTYPE_DATETIME:
    case VZ_DTYPE_TIMEDELTA:
        return vz_json_int64(vz_scalar_signed(vz_scalar_load(meta->fill, dtype->size, dtype->big_endian), dtype->size),
                             err);
    case VZ_DTYPE_UINT:
        return vz_json_uint64(vz_scalar_load(meta->fill, dtype->size, dtype->big_endian), err);
    case VZ_DTYPE_FLOAT:
        return print_real(dtype->size, dtype->big_endian, meta->fill, err);
    case VZ_DTYPE_COMPLEX:
        return vz_meta_fill_print_complex(dtype, meta->fill, print_real, err);
    case VZ_DTYPE_NARROW:
        return vz_meta_fill_print_narrow(dtype, meta->fill, err);
    case VZ_DTYPE_BYTES:
        return print_bytes(dtype, meta->fill, err);
    case VZ_DTYPE_UNICODE:
        return print_unicode(dtype, meta->fill, err);
    case VZ_DTYPE_OBJECT:
        return print_item(meta, err);
    default:
        return print_base64(meta->fill, dtype->size, err);
    }
}
