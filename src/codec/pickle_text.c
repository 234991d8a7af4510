/* pickle_text.c - unpickled values as JSON text. */
#include "codec/pickle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bool vz_pickled_print_integer(uint64_t magnitude, bool negative, vz_buffer *out, vz_error *err)
{
    char text[24];
    const int length = snprintf(text, sizeof text, "%s%" PRIu64, negative ? "-" : "", magnitude);
    return vz_buffer_append(out, text, (size_t)length, err);
}

static bool print_json(vz_json *take, vz_buffer *out, vz_error *err)
{
    const bool ok = take && vz_json_print(take, 0, out, err);
    vz_json_free(take);
    return ok;
}

bool vz_pickled_print_real(double real, vz_buffer *out, vz_error *err)
{
    return print_json(vz_json_double(real, err), out, err);
}

/* Does the text stand for itself between quotes? */
static bool is_plain(vz_bytes text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < 0x20 || text.data[i] > 0x7e || text.data[i] == '"' || text.data[i] == '\\')
            return false;
    return true;
}

bool vz_pickled_print_text(vz_bytes text, vz_buffer *out, vz_error *err)
{
    if (is_plain(text))
        return vz_buffer_append(out, "\"", 1, err) && vz_buffer_append(out, text.data, text.size, err) &&
               vz_buffer_append(out, "\"", 1, err);
    vz_error why = VZ_ERROR_NONE;
    vz_json *string = vz_json_string((const char *)text.data, text.size, &why);
    if (!string)
        return vz_fail(err, why.class == VZ_INVALID ? VZ_CORRUPT : why.class, "pickle: %.100s", why.text);
    return print_json(string, out, err);
}

/* Text where it is UTF-8, {"__bytes__": base64} where not. */
bool vz_pickled_print_bytes(vz_bytes bytes, vz_buffer *out, vz_error *err)
{
    if (vz_utf8_valid(bytes.data, bytes.size))
        return vz_pickled_print_text(bytes, out, err);
    char *base64 = vz_base64_encode(bytes.data, bytes.size, err);
    const bool ok = base64 && vz_buffer_append(out, "{\"__bytes__\":\"", 14, err) &&
                    vz_buffer_append(out, base64, strlen(base64), err) && vz_buffer_append(out, "\"}", 2, err);
    free(base64);
    return ok;
}

static bool print_list(const vz_pickled_list *list, unsigned depth, vz_buffer *out, vz_error *err)
{
    bool ok = vz_buffer_append(out, "[", 1, err);
    for (size_t i = 0; ok && i < list->count; i++)
        ok = (i == 0 || vz_buffer_append(out, ",", 1, err)) && vz_pickled_print(list->items[i], depth + 1, out, err);
    return ok && vz_buffer_append(out, "]", 1, err);
}

static bool print_dict(const vz_pickled_list *list, unsigned depth, vz_buffer *out, vz_error *err)
{
    bool ok = vz_buffer_append(out, "{", 1, err);
    for (size_t i = 0; ok && i + 1 < list->count; i += 2) {
        if (list->items[i]->kind != VZ_PICKLED_TEXT)
            return vz_fail(err, VZ_UNSUPPORTED, "pickle: a dict with a key that is no text");
        ok = (i == 0 || vz_buffer_append(out, ",", 1, err)) && vz_pickled_print_text(list->items[i]->bytes, out, err) &&
             vz_buffer_append(out, ":", 1, err) && vz_pickled_print(list->items[i + 1], depth + 1, out, err);
    }
    return ok && vz_buffer_append(out, "}", 1, err);
}

/* numpy's scalars: bytes of one element; an array of rank 0 for a row with objects in it; an object itself. */
static bool print_scalar(const vz_pickled *value, unsigned depth, vz_buffer *out, vz_error *err)
{
    const vz_pickled_dtype *dtype = &value->scalar.dtype->dtype;
    vz_pickled *data = value->scalar.data;
    if (data->kind != VZ_PICKLED_BYTES || dtype->kind == 'O')
        return vz_pickled_print(data, depth + 1, out, err);
    if (data->bytes.size != dtype->size)
        return vz_fail(err, VZ_CORRUPT, "pickle: a scalar of %zu bytes, must have %zu", data->bytes.size, dtype->size);
    return vz_pickled_print_element(dtype, data->bytes, depth, out, err);
}

static bool print_compound(const vz_pickled *value, unsigned depth, vz_buffer *out, vz_error *err)
{
    switch (value->kind) {
    case VZ_PICKLED_LIST:
    case VZ_PICKLED_TUPLE:
        return print_list(&value->list, depth, out, err);
    case VZ_PICKLED_DICT:
        return print_dict(&value->list, depth, out, err);
    case VZ_PICKLED_ARRAY:
        return vz_pickled_print_array(&value->array, depth, out, err);
    case VZ_PICKLED_SCALAR:
        return print_scalar(value, depth, out, err);
    default:
        return vz_fail(err, VZ_UNSUPPORTED, "pickle: a class or a dtype where data are expected");
    }
}

bool vz_pickled_print(vz_pickled *value, unsigned depth, vz_buffer *out, vz_error *err)
{
    switch (value->kind) {
    case VZ_PICKLED_NONE:
        return vz_buffer_append(out, "null", 4, err);
    case VZ_PICKLED_BOOL:
        return value->flag ? vz_buffer_append(out, "true", 4, err) : vz_buffer_append(out, "false", 5, err);
    case VZ_PICKLED_INTEGER:
        return vz_pickled_print_integer(value->magnitude, value->flag, out, err);
    case VZ_PICKLED_REAL:
        return vz_pickled_print_real(value->real, out, err);
    case VZ_PICKLED_TEXT:
        return vz_pickled_print_text(value->bytes, out, err);
    case VZ_PICKLED_BYTES:
        return vz_pickled_print_bytes(value->bytes, out, err);
    default:
        break;
    }
    if (value->printing)
        return vz_fail(err, VZ_CORRUPT, "pickle: a value that holds itself");
    if (depth >= VZ_JSON_MAX_DEPTH)
        return vz_fail(err, VZ_LIMIT, "pickle: values nested deeper than %d", VZ_JSON_MAX_DEPTH);
    value->printing = true;
    const bool ok = print_compound(value, depth, out, err);
    value->printing = false;
    return ok;
}
