/* dtype_v2.c - reads element types of format 2: numpy's, as text ("<f8") or as a list of fields. */
#include "metadata/metadata/v2_internal.h"
#include "base/util/hash.h"
#include <stdio.h>
#include <stdlib.h>

#define NATIVE_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define MAX_DIGITS        10 /* of a size: enough for VZ_DTYPE_MAX_SIZE */

static vz_dtype *parse(const vz_json *json, const vz_codecs_spec *codec, unsigned depth, vz_error *err);

static vz_dtype *unknown(const char *text, vz_error *err)
{
    vz_fail(err, VZ_UNSUPPORTED, "dtype: \"%.100s\" is not known", text);
    return NULL;
}

/* ---- |O: what the items hold is said by the first filter ---- */

static bool set_sequence(vz_dtype *dtype, const vz_codecs_spec *codec, unsigned depth, vz_error *err)
{
    dtype->object = VZ_OBJECT_SEQUENCE;
    dtype->item = parse(vz_json_get(codec->configuration, "dtype"), NULL, depth + 1, err);
    if (!dtype->item)
        return false;
    if (dtype->item->kind == VZ_DTYPE_OBJECT)
        return vz_fail(err, VZ_UNSUPPORTED, "dtype: sequences of objects");
    return true;
}

static bool is_json_codec(const vz_codecs_spec *codec)
{
    return vz_codecs_spec_is(codec, "json2") || vz_codecs_spec_is(codec, "msgpack2") ||
           vz_codecs_spec_is(codec, "pickle");
}

static bool set_object(vz_dtype *dtype, const vz_codecs_spec *codec, unsigned depth, vz_error *err)
{
    if (vz_codecs_spec_is(codec, "vlen-array"))
        return set_sequence(dtype, codec, depth, err);
    if (vz_codecs_spec_is(codec, "vlen-utf8") || vz_codecs_spec_is(codec, "categorize"))
        dtype->object = VZ_OBJECT_TEXT;
    else if (vz_codecs_spec_is(codec, "vlen-bytes"))
        dtype->object = VZ_OBJECT_BYTES;
    else
        dtype->object = is_json_codec(codec) ? VZ_OBJECT_JSON : VZ_OBJECT_OTHER;
    const bool named = dtype->object == VZ_OBJECT_OTHER || (dtype->object == VZ_OBJECT_JSON && depth == 0);
    if (named && codec && !(dtype->codec = strdup(codec->id)))
        return vz_fail_memory(err);
    return true;
}

static vz_dtype *parse_object(const vz_codecs_spec *codec, unsigned depth, vz_error *err)
{
    vz_dtype *dtype = vz_dtype_new(VZ_DTYPE_OBJECT, 0, false, err);
    if (dtype && !set_object(dtype, codec, depth, err)) {
        vz_dtype_free(dtype);
        return NULL;
    }
    return dtype;
}

/* ---- text ---- */

/* Reads the decimal digits at *text and moves past them; false if there are none or too many. */
static bool parse_number(const char **text, size_t *number)
{
    const char *p = *text;
    size_t value = 0;
    int digits = 0;
    for (; *p >= '0' && *p <= '9'; p++, digits++)
        if (digits < MAX_DIGITS)
            value = 10 * value + (size_t)(*p - '0');
    if (digits == 0 || digits > MAX_DIGITS)
        return false;
    *text = p;
    *number = value;
    return true;
}

static bool is_time_unit(const char *unit)
{
    static const char *const units[] = {"Y",  "M",  "W",         "D",  "h",  "m",  "s",
                                        "ms", "us", "\xce\xbcs", "ns", "ps", "fs", "as"};
    size_t multiple;
    parse_number(&unit, &multiple);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i]) == 0)
            return true;
    return false;
}

/* "8", "8[ns]", "8[25s]", "8[generic]" after the letter. */
static vz_dtype *parse_time(const char *text, const char *rest, vz_dtype_kind kind, bool big, vz_error *err)
{
    char unit[sizeof((vz_dtype *)0)->unit] = "";
    if (*rest++ != '8')
        return unknown(text, err);
    if (*rest != '\0') {
        const size_t length = strlen(rest);
        if (rest[0] != '[' || rest[length - 1] != ']' || length - 2 >= sizeof unit || length < 3)
            return unknown(text, err);
        memcpy(unit, rest + 1, length - 2);
        if (strcmp(unit, "generic") == 0)
            memset(unit, 0, sizeof unit);
        else if (!is_time_unit(unit))
            return unknown(text, err);
    }
    vz_dtype *dtype = vz_dtype_new(kind, 8, big, err);
    if (dtype)
        memcpy(dtype->unit, unit, sizeof unit);
    return dtype;
}

static const vz_dtype_letter *find_letter(char letter)
{
    for (size_t i = 0; i < VZ_DTYPE_LETTERS; i++)
        if (vz_dtype_letters[i].letter == letter)
            return &vz_dtype_letters[i];
    return NULL;
}

static bool is_size_of(const vz_dtype_letter *row, size_t size)
{
    return row->sizes == 0 || (size <= 16 && (size & (size - 1)) == 0 && size != 0 && (row->sizes & size) != 0);
}

/* The machine's long double has no counterpart here: its bytes are shown as they are. */
static bool is_long_double(char letter, size_t size)
{
    return (letter == 'f' && (size == 12 || size == 16)) || (letter == 'c' && (size == 24 || size == 32));
}

static vz_dtype *parse_text(const char *text, const vz_codecs_spec *codec, unsigned depth, vz_error *err)
{
    const char *p = text;
    bool big = NATIVE_BIG_ENDIAN;
    if (*p == '<' || *p == '>')
        big = *p == '>';
    if (*p != '\0' && strchr("<>|=", *p))
        p++;
    const vz_narrow narrow = vz_narrow_named(text); /* tensorstore's, in its names */
    if (narrow)
        return vz_dtype_new_narrow(narrow, false, err);
    const char letter = *p ? *p++ : '\0';
    if (letter == 'O' && (*p == '\0' || strcmp(p, "8") == 0))
        return parse_object(codec, depth, err);
    if (letter == 'M' || letter == 'm')
        return parse_time(text, p, letter == 'M' ? VZ_DTYPE_DATETIME : VZ_DTYPE_TIMEDELTA, big, err);
    const vz_dtype_letter *row = find_letter(letter);
    size_t size;
    if (!row || !parse_number(&p, &size) || *p != '\0')
        return unknown(text, err);
    if (is_long_double(letter, size))
        return vz_dtype_new(VZ_DTYPE_RAW, size, false, err);
    if (!is_size_of(row, size))
        return unknown(text, err);
    if (size > VZ_DTYPE_MAX_SIZE / row->unit) {
        vz_fail(err, VZ_LIMIT, "dtype: \"%.100s\" is too large", text);
        return NULL;
    }
    return vz_dtype_new(row->kind, size * row->unit, big, err);
}

/* ---- lists of fields ---- */

/* [name, type] or [name, type, dims]; dims is a list or one number. */
static bool parse_dims(const vz_json *value, vz_dtype_field *field, vz_error *err)
{
    field->rank = 0;
    if (!value)
        return true;
    const bool list = vz_json_kind_of(value) == VZ_JSON_ARRAY;
    const size_t count = list ? vz_json_length(value) : 1;
    if (count > VZ_MAX_RANK)
        return vz_fail(err, VZ_LIMIT, "dtype: field \"%.100s\" has more than %d dimensions", field->name, VZ_MAX_RANK);
    for (size_t d = 0; d < count; d++)
        if (!vz_json_get_uint64(list ? vz_json_at(value, d) : value, &field->dims[d]))
            return vz_fail(err, VZ_CORRUPT, "dtype: dimension %zu of field \"%.100s\" is no size", d, field->name);
    field->rank = (unsigned)count;
    return true;
}

/* The name may be [title, name]; padding has none and is called as numpy calls it. */
static const char *field_name(const vz_json *value, size_t index, char *buffer, size_t size)
{
    if (vz_json_kind_of(value) == VZ_JSON_ARRAY)
        value = vz_json_at(value, 1);
    size_t length;
    const char *name = value ? vz_json_get_string(value, &length) : NULL;
    if (!name || strlen(name) != length)
        return NULL;
    if (length > 0)
        return name;
    snprintf(buffer, size, "f%zu", index);
    return buffer;
}

static bool parse_field(vz_dtype *record, const vz_json *entry, size_t index, vz_strmap *names,
                        const vz_codecs_spec *codec, unsigned depth, vz_error *err)
{
    const size_t length = vz_json_length(entry);
    char buffer[32];
    const char *name = NULL;
    if (vz_json_kind_of(entry) == VZ_JSON_ARRAY && (length == 2 || length == 3))
        name = field_name(vz_json_at(entry, 0), index, buffer, sizeof buffer);
    if (!name)
        return vz_fail(err, VZ_CORRUPT, "dtype: field %zu is not [name, type] or [name, type, shape]", index);
    if (vz_strmap_get(names, name))
        return vz_fail(err, VZ_CORRUPT, "dtype: two fields are called \"%.100s\"", name);
    vz_dtype_field field = {.name = (char *)name};
    if (!vz_strmap_put(names, name, names, err) || !parse_dims(vz_json_at(entry, 2), &field, err))
        return false;
    vz_dtype *dtype = parse(vz_json_at(entry, 1), codec, depth + 1, err);
    if (!dtype)
        return false;
    /* An object anywhere inside makes the whole element an object of that codec: no bytes of it lie
     * in the chunk. */
    if (dtype->object != VZ_OBJECT_NONE) {
        const bool json = dtype->object == VZ_OBJECT_JSON;
        record->object = json ? VZ_OBJECT_JSON : VZ_OBJECT_OTHER;
        if (!json && codec && !record->codec && !(record->codec = strdup(codec->id))) {
            vz_dtype_free(dtype);
            return vz_fail_memory(err);
        }
    }
    return vz_dtype_add_field(record, name, dtype, field.rank, field.dims, err);
}

static bool parse_fields(vz_dtype *record, const vz_json *list, vz_strmap *names, const vz_codecs_spec *codec,
                         unsigned depth, vz_error *err)
{
    const size_t count = vz_json_length(list);
    if (count == 0)
        return vz_fail(err, VZ_CORRUPT, "dtype: a structure without fields");
    for (size_t i = 0; i < count; i++)
        if (!parse_field(record, vz_json_at(list, i), i, names, codec, depth, err))
            return false;
    return true;
}

static vz_dtype *parse_struct(const vz_json *list, const vz_codecs_spec *codec, unsigned depth, vz_error *err)
{
    vz_strmap *names = vz_strmap_new();
    vz_dtype *record = vz_dtype_new(VZ_DTYPE_STRUCT, 0, false, err);
    bool ok = record && (names || vz_fail_memory(err)) && parse_fields(record, list, names, codec, depth, err);
    if (names)
        vz_strmap_free(names, NULL);
    if (!ok) {
        vz_dtype_free(record);
        return NULL;
    }
    return record;
}

static vz_dtype *parse(const vz_json *json, const vz_codecs_spec *codec, unsigned depth, vz_error *err)
{
    if (!json) {
        vz_fail(err, VZ_CORRUPT, "dtype: missing");
        return NULL;
    }
    if (depth >= VZ_DTYPE_MAX_DEPTH) {
        vz_fail(err, VZ_LIMIT, "dtype: structures nested deeper than %d", VZ_DTYPE_MAX_DEPTH);
        return NULL;
    }
    if (vz_json_kind_of(json) == VZ_JSON_ARRAY)
        return parse_struct(json, codec, depth, err);
    size_t length;
    const char *text = vz_json_get_string(json, &length);
    if (!text) {
        vz_fail(err, VZ_CORRUPT, "dtype: is %s, not text or a list of fields", vz_json_kind_name(json));
        return NULL;
    }
    return strlen(text) == length ? parse_text(text, codec, depth, err) : unknown(text, err);
}

static void forget_objects(vz_dtype *record)
{
    record->object = VZ_OBJECT_NONE;
    for (size_t i = 0; i < record->field_count; i++)
        if (record->fields[i].dtype->kind == VZ_DTYPE_STRUCT)
            forget_objects(record->fields[i].dtype);
}

/* The rows of a structure with objects in it, encoded as JSON values are: such an array holds
 * objects. */
static vz_dtype *rows_of(vz_dtype *record, const vz_codecs_spec *codec, vz_error *err)
{
    forget_objects(record);
    vz_dtype *rows = parse_object(codec, 0, err);
    if (rows)
        rows->item = record;
    else
        vz_dtype_free(record);
    return rows;
}

vz_dtype *vz_dtype_parse_v2(const vz_json *json, const vz_codecs_spec *codec, vz_error *err)
{
    vz_dtype *dtype = parse(json, codec, 0, err);
    const bool rows = dtype && dtype->kind == VZ_DTYPE_STRUCT && dtype->object == VZ_OBJECT_JSON;
    return rows ? rows_of(dtype, codec, err) : dtype;
}
