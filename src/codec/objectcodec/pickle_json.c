/* pickle_json.c - unpickled values as JSON text. */
#include "codec/objectcodec/objects_internal.h"

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

/* Objects in C order, as nested lists: those from *next on. */
static bool print_objects(const uint64_t *shape, unsigned rank, vz_pickled *const **next, unsigned depth,
                          vz_buffer *out, vz_error *err)
{
    if (depth >= VZ_JSON_MAX_DEPTH)
        return vz_fail(err, VZ_LIMIT, "pickle: values nested deeper than %d", VZ_JSON_MAX_DEPTH);
    if (rank == 0)
        return vz_pickled_print(*(*next)++, depth, out, err);
    bool ok = vz_buffer_append(out, "[", 1, err);
    for (uint64_t i = 0; ok && i < *shape; i++)
        ok = (i == 0 || vz_buffer_append(out, ",", 1, err)) &&
             print_objects(shape + 1, rank - 1, next, depth + 1, out, err);
    return ok && vz_buffer_append(out, "]", 1, err);
}

static bool print_array(const vz_pickled_array *array, unsigned depth, vz_buffer *out, vz_error *err)
{
    uint64_t shape[VZ_CODEC_MAX_RANK], count;
    unsigned rank;
    if (!array->shape)
        return vz_fail(err, VZ_CORRUPT, "pickle: an array that was not built");
    if (array->data->kind != VZ_PICKLED_LIST)
        return vz_pickled_print_array(array, depth, out, err);
    vz_pickled *const *next = array->data->list.items;
    if (!vz_pickled_shape(array->shape, shape, &rank, &count, err))
        return false;
    if (array->data->list.count != count)
        return vz_fail(err, VZ_CORRUPT, "pickle: an array whose data are not as many as its shape says");
    return (count == 0 || next) && print_objects(shape, rank, &next, depth, out, err);
}

/* numpy's scalars: bytes of one element; an array of rank 0 for a row with objects in it; an object
 * itself. */
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
        return print_array(&value->array, depth, out, err);
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
