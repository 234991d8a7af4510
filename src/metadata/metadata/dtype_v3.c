/* dtype_v3.c - element types of format 3: a name, or a name with a configuration. */
#include "metadata/metadata/metadata_internal.h"
#include "base/util/hash.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static vz_dtype *parse(const vz_json *json, bool big, unsigned depth, vz_error *err);

static vz_dtype *unknown(const char *name, vz_error *err)
{
    vz_fail(err, VZ_UNSUPPORTED, "data_type: \"%.100s\" is not known", name);
    return NULL;
}

/* ---- names without a configuration ---- */

typedef struct name_row {
    const char *name;
    vz_dtype_kind kind;
    size_t size;
    vz_dtype_object_kind object;
} name_row;

/* The first name of a kind and size is the one that is written. */
static const name_row names[] = {
    {"bool", VZ_DTYPE_BOOL, 1, VZ_OBJECT_NONE},
    {"int8", VZ_DTYPE_INT, 1, VZ_OBJECT_NONE},
    {"int16", VZ_DTYPE_INT, 2, VZ_OBJECT_NONE},
    {"int32", VZ_DTYPE_INT, 4, VZ_OBJECT_NONE},
    {"int64", VZ_DTYPE_INT, 8, VZ_OBJECT_NONE},
    {"uint8", VZ_DTYPE_UINT, 1, VZ_OBJECT_NONE},
    {"uint16", VZ_DTYPE_UINT, 2, VZ_OBJECT_NONE},
    {"uint32", VZ_DTYPE_UINT, 4, VZ_OBJECT_NONE},
    {"uint64", VZ_DTYPE_UINT, 8, VZ_OBJECT_NONE},
    {"float16", VZ_DTYPE_FLOAT, 2, VZ_OBJECT_NONE},
    {"float32", VZ_DTYPE_FLOAT, 4, VZ_OBJECT_NONE},
    {"float64", VZ_DTYPE_FLOAT, 8, VZ_OBJECT_NONE},
    {"complex64", VZ_DTYPE_COMPLEX, 8, VZ_OBJECT_NONE},
    {"complex128", VZ_DTYPE_COMPLEX, 16, VZ_OBJECT_NONE},
    {"complex_float32", VZ_DTYPE_COMPLEX, 8, VZ_OBJECT_NONE},
    {"complex_float64", VZ_DTYPE_COMPLEX, 16, VZ_OBJECT_NONE},
    {"string", VZ_DTYPE_OBJECT, sizeof(vz_item), VZ_OBJECT_TEXT},
    {"variable_length_utf8", VZ_DTYPE_OBJECT, sizeof(vz_item), VZ_OBJECT_TEXT},
    {"variable_length_bytes", VZ_DTYPE_OBJECT, sizeof(vz_item), VZ_OBJECT_BYTES},
    {"bytes", VZ_DTYPE_OBJECT, sizeof(vz_item), VZ_OBJECT_BYTES},
};

/* "r16": so many bits. */
static vz_dtype *parse_bits(const char *name, vz_error *err)
{
    char *end;
    const unsigned long long bits = strtoull(name + 1, &end, 10);
    if (name[1] < '0' || name[1] > '9' || *end || bits == 0 || bits % CHAR_BIT != 0)
        return unknown(name, err);
    if (bits / CHAR_BIT > VZ_DTYPE_MAX_SIZE) {
        vz_fail(err, VZ_LIMIT, "data_type: \"%.100s\" is too large", name);
        return NULL;
    }
    return vz_dtype_new(VZ_DTYPE_RAW, (size_t)(bits / CHAR_BIT), false, err);
}

static vz_dtype *parse_name(const char *name, bool big, vz_error *err)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0) {
            vz_dtype *dtype = vz_dtype_new(names[i].kind, names[i].size, big, err);
            if (dtype)
                dtype->object = names[i].object;
            return dtype;
        }
    const vz_narrow narrow = vz_narrow_named(name);
    if (narrow)
        return vz_dtype_new_narrow(narrow, big, err);
    return name[0] == 'r' ? parse_bits(name, err) : unknown(name, err);
}

/* ---- names with a configuration ---- */

typedef vz_dtype *(*configured_parse)(const vz_json *configuration, vz_dtype_kind kind, bool big, unsigned depth,
                                      vz_error *err);

static vz_dtype *parse_length(const vz_json *configuration, vz_dtype_kind kind, bool big, unsigned depth, vz_error *err)
{
    uint64_t size;
    (void)depth;
    if (!vz_json_get_uint64(vz_json_get(configuration, "length_bytes"), &size)) {
        vz_fail(err, VZ_CORRUPT, "data_type: \"length_bytes\" is no size");
        return NULL;
    }
    if (size > VZ_DTYPE_MAX_SIZE) {
        vz_fail(err, VZ_LIMIT, "data_type: elements of %llu bytes", (unsigned long long)size);
        return NULL;
    }
    if (kind == VZ_DTYPE_UNICODE && size % 4 != 0) {
        vz_fail(err, VZ_CORRUPT, "data_type: text of %llu bytes, of which each character takes 4",
                (unsigned long long)size);
        return NULL;
    }
    return vz_dtype_new(kind, (size_t)size, big, err);
}

/* Unit and scale factor are numpy's, so numpy's text of them is put together and read. */
static vz_dtype *parse_time(const vz_json *configuration, vz_dtype_kind kind, bool big, unsigned depth, vz_error *err)
{
    const char *unit = vz_json_get_string(vz_json_get(configuration, "unit"), NULL);
    const vz_json *factor = vz_json_get(configuration, "scale_factor");
    uint64_t scale = 1;
    char text[64], number[24] = "";
    (void)depth;
    if (!unit || (factor && (!vz_json_get_uint64(factor, &scale) || scale == 0 || scale > INT32_MAX))) {
        vz_fail(err, VZ_CORRUPT, "data_type: a time without \"unit\", or with a \"scale_factor\" that is none");
        return NULL;
    }
    if (scale != 1 && strcmp(unit, "generic") != 0)
        snprintf(number, sizeof number, "%llu", (unsigned long long)scale);
    snprintf(text, sizeof text, "%c%c8[%s%.16s]", big ? '>' : '<', kind == VZ_DTYPE_DATETIME ? 'M' : 'm', number, unit);
    vz_json *json = vz_json_text(text, err);
    vz_dtype *dtype = json ? vz_dtype_parse_v2(json, NULL, err) : NULL;
    vz_json_free(json);
    return dtype;
}

/* {"name", "data_type"}, or zarr-python's older [name, data type]. */
static bool parse_field(vz_dtype *record, const vz_json *entry, size_t index, vz_strmap *seen, bool big, unsigned depth,
                        vz_error *err)
{
    const bool pair = vz_json_kind_of(entry) == VZ_JSON_ARRAY && vz_json_length(entry) == 2;
    const vz_json *type = pair ? vz_json_at(entry, 1) : vz_json_get(entry, "data_type");
    size_t length;
    const char *name = vz_json_get_string(pair ? vz_json_at(entry, 0) : vz_json_get(entry, "name"), &length);
    if (!name || !*name || strlen(name) != length || !type)
        return vz_fail(err, VZ_CORRUPT, "data_type: field %zu has no name or no data type", index);
    if (vz_strmap_get(seen, name))
        return vz_fail(err, VZ_CORRUPT, "data_type: two fields are called \"%.100s\"", name);
    vz_dtype *dtype = vz_strmap_put(seen, name, seen, err) ? parse(type, big, depth + 1, err) : NULL;
    if (!dtype)
        return false;
    if (dtype->object != VZ_OBJECT_NONE) /* no bytes of it lie in the chunk */
        record->object = VZ_OBJECT_OTHER;
    return vz_dtype_add_field(record, name, dtype, 0, NULL, err);
}

static vz_dtype *parse_fields(const vz_json *configuration, vz_dtype_kind kind, bool big, unsigned depth, vz_error *err)
{
    const vz_json *list = vz_json_get(configuration, "fields");
    vz_strmap *seen = vz_strmap_new();
    vz_dtype *record = vz_dtype_new(kind, 0, false, err);
    bool ok = record && (seen || vz_fail_memory(err));
    if (ok && (vz_json_kind_of(list) != VZ_JSON_ARRAY || vz_json_length(list) == 0))
        ok = vz_fail(err, VZ_CORRUPT, "data_type: a structure without \"fields\"");
    for (size_t i = 0; ok && i < vz_json_length(list); i++)
        ok = parse_field(record, vz_json_at(list, i), i, seen, big, depth, err);
    vz_strmap_free(seen, NULL);
    if (ok)
        return record;
    vz_dtype_free(record);
    return NULL;
}

static const struct {
    const char *name;
    vz_dtype_kind kind;
    configured_parse parse;
} configured[] = {
    {"fixed_length_utf32", VZ_DTYPE_UNICODE, parse_length},
    {"null_terminated_bytes", VZ_DTYPE_BYTES, parse_length},
    {"raw_bytes", VZ_DTYPE_RAW, parse_length},
    {"numpy.datetime64", VZ_DTYPE_DATETIME, parse_time},
    {"numpy.timedelta64", VZ_DTYPE_TIMEDELTA, parse_time},
    {"struct", VZ_DTYPE_STRUCT, parse_fields},
    {"structured", VZ_DTYPE_STRUCT, parse_fields},
};

static vz_dtype *parse(const vz_json *json, bool big, unsigned depth, vz_error *err)
{
    if (depth >= VZ_DTYPE_MAX_DEPTH) {
        vz_fail(err, VZ_LIMIT, "data_type: structures nested deeper than %d", VZ_DTYPE_MAX_DEPTH);
        return NULL;
    }
    const bool is_object = vz_json_kind_of(json) == VZ_JSON_OBJECT;
    size_t length;
    const char *name = vz_json_get_string(is_object ? vz_json_get(json, "name") : json, &length);
    if (!name || strlen(name) != length) {
        vz_fail(err, VZ_CORRUPT, "data_type: is %s, not a name or an object with one", vz_json_kind_name(json));
        return NULL;
    }
    for (size_t i = 0; i < sizeof configured / sizeof *configured; i++)
        if (strcmp(configured[i].name, name) == 0)
            return configured[i].parse(vz_json_get(json, "configuration"), configured[i].kind, big, depth, err);
    return parse_name(name, big, err);
}

vz_dtype *vz_dtype_parse_v3(const vz_json *json, bool big_endian, vz_error *err)
{
    return parse(json, big_endian, 0, err);
}

/* ---- printing ---- */

/* {"name": name, "configuration": {}}; *configuration is borrowed from it. */
static vz_json *named(const char *name, vz_json **configuration, vz_error *err)
{
    vz_json *object = vz_json_object(err);
    *configuration = NULL;
    if (object && vz_json_set_text(object, "name", name, err) &&
        vz_json_set(object, "configuration", vz_json_object(err), err)) {
        *configuration = vz_json_get(object, "configuration");
        return object;
    }
    vz_json_free(object);
    return NULL;
}

static vz_json *print_length(const vz_dtype *dtype, const char *name, vz_error *err)
{
    vz_json *configuration, *object = named(name, &configuration, err);
    if (object && vz_json_set(configuration, "length_bytes", vz_json_uint64(dtype->size, err), err))
        return object;
    vz_json_free(object);
    return NULL;
}

static vz_json *print_time(const vz_dtype *dtype, const char *name, vz_error *err)
{
    vz_json *configuration, *object = named(name, &configuration, err);
    char *unit;
    const unsigned long long scale = strtoull(dtype->unit, &unit, 10);
    if (object && vz_json_set_text(configuration, "unit", *unit ? unit : "generic", err) &&
        vz_json_set(configuration, "scale_factor", vz_json_uint64(scale ? scale : 1, err), err))
        return object;
    vz_json_free(object);
    return NULL;
}

static vz_json *print_field(const vz_dtype_field *field, vz_error *err)
{
    vz_json *pair = vz_json_array(err);
    if (pair && field->rank > 0)
        vz_fail(err, VZ_UNSUPPORTED, "data_type: field \"%.100s\" is an array, which Zarr v3 does not have",
                field->name);
    else if (pair && vz_json_append(pair, vz_json_text(field->name, err), err) &&
             vz_json_append(pair, vz_dtype_print_v3(field->dtype, err), err))
        return pair;
    vz_json_free(pair);
    return NULL;
}

/* The older form, as it is the one that all zarr-python 3 read. */
static vz_json *print_fields(const vz_dtype *record, vz_error *err)
{
    vz_json *configuration, *object = named("structured", &configuration, err);
    bool ok = object && vz_json_set(configuration, "fields", vz_json_array(err), err);
    vz_json *list = vz_json_get(configuration, "fields");
    for (size_t i = 0; ok && i < record->field_count; i++)
        ok = vz_json_append(list, print_field(&record->fields[i], err), err);
    if (ok)
        return object;
    vz_json_free(object);
    return NULL;
}

vz_json *vz_dtype_print_v3(const vz_dtype *dtype, vz_error *err)
{
    switch (dtype->kind) {
    case VZ_DTYPE_BYTES:
        return print_length(dtype, "null_terminated_bytes", err);
    case VZ_DTYPE_UNICODE:
        return print_length(dtype, "fixed_length_utf32", err);
    case VZ_DTYPE_RAW:
        return print_length(dtype, "raw_bytes", err);
    case VZ_DTYPE_DATETIME:
        return print_time(dtype, "numpy.datetime64", err);
    case VZ_DTYPE_TIMEDELTA:
        return print_time(dtype, "numpy.timedelta64", err);
    case VZ_DTYPE_STRUCT:
        return print_fields(dtype, err);
    case VZ_DTYPE_NARROW:
        return vz_json_text(vz_narrow_form_of(dtype->narrow)->name, err);
    default:
        break;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].kind == dtype->kind && names[i].size == dtype->size && names[i].object == dtype->object)
            return vz_json_text(names[i].name, err);
    vz_fail(err, VZ_UNSUPPORTED, "data_type: Zarr v3 has none for these objects");
    return NULL;
}
