/* infer_type.c - types of JSON values by the rules that h5py and AnnData expect. */
#include "hdf5/attributes/attributes_internal.h"
#include "hdf5/types/elements.h"
#include "hdf5/types/types.h"

/* Kinds of values that were seen in a list. */
typedef struct seen {
    bool text, boolean, real, negative, integer, big; /* big: an integer beyond int64; integer:
                                                       * any */
    bool huge;                                        /* an integer beyond uint64 as well as
                                                       * int64 */
    bool other;                                       /* null, an object, text with a NUL in it */
} seen;

static void see_integer(const vz_json *value, seen *s)
{
    int64_t number;
    uint64_t natural;
    s->integer = true;
    if (vz_json_get_int64(value, &number))
        s->negative = s->negative || number < 0;
    else if (vz_json_get_uint64(value, &natural))
        s->big = true;
    else
        s->huge = true;
}

/* A string of variable length would end there. */
static bool has_nul(const vz_json *value)
{
    size_t length;
    const char *text = vz_json_get_string(value, &length);
    return strlen(text) != length;
}

static void see(const vz_json *value, seen *s)
{
    switch (vz_json_kind_of(value)) {
    case VZ_JSON_STRING:
        s->text = true;
        s->other = s->other || has_nul(value);
        break;
    case VZ_JSON_TRUE:
    case VZ_JSON_FALSE:
        s->boolean = true;
        break;
    case VZ_JSON_INTEGER:
        see_integer(value, s);
        break;
    case VZ_JSON_REAL:
        s->real = true;
        break;
    default:
        s->other = true;
    }
}

/* Walks lists of the dimensions that the first elements show; false when they are ragged. */
static bool walk(const vz_json *value, const vz_inferred *shape, unsigned depth, seen *s)
{
    if (depth == shape->rank) {
        see(value, s);
        return vz_json_kind_of(value) != VZ_JSON_ARRAY;
    }
    if (vz_json_kind_of(value) != VZ_JSON_ARRAY || vz_json_length(value) != shape->dims[depth])
        return false;
    for (size_t i = 0; i < shape->dims[depth]; i++)
        if (!walk(vz_json_at(value, i), shape, depth + 1, s))
            return false;
    return true;
}

static bool measure(const vz_json *value, vz_inferred *shape)
{
    for (shape->rank = 0; value && vz_json_kind_of(value) == VZ_JSON_ARRAY; value = vz_json_at(value, 0)) {
        if (shape->rank == VZ_MAX_RANK)
            return false;
        shape->dims[shape->rank++] = vz_json_length(value);
    }
    return true;
}

static int kind_of(const seen *s)
{
    const bool number = s->integer || s->real;
    if (s->other || s->text + s->boolean + number > 1)
        return VZ_INFER_JSON;
    if (s->text)
        return VZ_INFER_TEXT;
    if (s->boolean)
        return VZ_INFER_BOOL;
    if (!number)
        return VZ_INFER_EMPTY;
    if (s->real)
        return VZ_INFER_FLOAT;
    if (s->huge || (s->big && s->negative))
        return VZ_INFER_JSON; /* no integer of HDF5 programs holds them, and a float would change
                               * them */
    return s->big ? VZ_INFER_UINT : VZ_INFER_INT;
}

/* {"zarr_dtype": "object", "value": ...} is a reference to an object. hdmf-zarr 0.1 wrote "region"
 * in the place of "object"; in format 3 it writes {"_REFERENCE": ...}. */
/* Objects and nulls only, an object for each reference; format 3 has their texts as well, or
 * their paths. */
static bool are_references(const vz_json *value, unsigned rank, bool as_text)
{
    const vz_json_kind kind = vz_json_kind_of(value);
    if (rank == 0)
        return kind == VZ_JSON_OBJECT || kind == VZ_JSON_NULL || vz_json_is(value, "") ||
               (as_text && kind == VZ_JSON_STRING);
    for (size_t i = 0; i < vz_json_length(value); i++)
        if (!are_references(vz_json_at(value, i), rank - 1, as_text))
            return false;
    return true;
}

static bool infer_references(const vz_json *value, vz_inferred *result)
{
    const vz_json *inner = vz_elements_references(value);
    seen ignored = {0};
    if (inner == value || !measure(inner, result) || !walk(inner, result, 0, &ignored) ||
        !are_references(inner, result->rank, inner == vz_json_get(value, "_REFERENCE")))
        return false;
    result->kind = VZ_INFER_REFERENCE;
    return true;
}

vz_inferred vz_infer(const vz_json *value)
{
    vz_inferred result = {0};
    seen s = {0};
    if (vz_json_kind_of(value) == VZ_JSON_OBJECT && infer_references(value, &result))
        return result;
    result = (vz_inferred){0};
    if (vz_json_kind_of(value) == VZ_JSON_NULL)
        return result;
    if (!measure(value, &result) || !walk(value, &result, 0, &s))
        s.other = true;
    result.kind = kind_of(&s);
    if (result.kind == VZ_INFER_JSON)
        result.rank = 0;
    return result;
}

hid_t vz_inferred_type(const vz_inferred *inferred, vz_error *err)
{
    vz_number_format number = {VZ_NUMBER_FLOAT, 8, false};
    switch (inferred->kind) {
    case VZ_INFER_TEXT:
    case VZ_INFER_JSON:
        return vz_type_make_text(err);
    case VZ_INFER_BOOL:
        return vz_type_make_bool(err);
    case VZ_INFER_REFERENCE:
        return vz_type_make_old_reference(err);
    case VZ_INFER_INT:
        number.kind = VZ_NUMBER_INT;
        break;
    case VZ_INFER_UINT:
        number.kind = VZ_NUMBER_UINT;
        break;
    case VZ_INFER_NULL:
        number.size = 4;
        break;
    default:
        break;
    }
    return vz_type_make_number(number, err);
}

bool vz_attribute_json_has_dims(const vz_json *value, unsigned rank, const hsize_t *dims)
{
    if (rank == 0)
        return value != NULL;
    if (!value || vz_json_kind_of(value) != VZ_JSON_ARRAY || vz_json_length(value) != dims[0])
        return false;
    for (size_t i = 0; i < dims[0]; i++)
        if (!vz_attribute_json_has_dims(vz_json_at(value, i), rank - 1, dims + 1))
            return false;
    return true;
}
