/* value_words.c - an element in memory as text and as JSON. */
#include "command/sample/sample_internal.h"
#include "hdf5/types/types.h"
#include "hierarchy/documents/documents.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PARTS_MAX 1000 /* of one element, in its JSON: the rest is left out */

/* One element under way. */
typedef struct words {
    const vz_sample_file *file;
    unsigned parts;
    vz_error *err;
} words;

static vz_json *json_at(words *w, hid_t type, const char *element, unsigned depth);

/* ---- text ---- */

size_t vz_sample_element_chars(hid_t type, const void *element, const char **text)
{
    if (H5Tis_variable_str(type) > 0) {
        memcpy(text, element, sizeof *text);
        return *text ? strlen(*text) : 0;
    }
    *text = element;
    size_t size = strnlen(element, H5Tget_size(type));
    while (H5Tget_strpad(type) == H5T_STR_SPACEPAD && size > 0 && (*text)[size - 1] == ' ')
        size--;
    return size;
}

/* Cut between characters. */
static size_t cut(const char *text, size_t size)
{
    size_t length = size < VZ_SAMPLE_TEXT_MAX ? size : VZ_SAMPLE_TEXT_MAX;
    while (length > 0 && length < size && ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    return length;
}

/* One byte, as PyTables stores booleans. */
static bool is_flag(hid_t type)
{
    return H5Tget_class(type) == H5T_BITFIELD && H5Tget_size(type) == 1;
}

bool vz_sample_element_text(const vz_sample_file *file, hid_t type, const void *element, vz_buffer *out, vz_error *err)
{
    const char *text;
    char time[VZ_SAMPLE_DATE];
    bool is_complex = false;
    if (vz_sample_opaque_time(type, element, time))
        return vz_words_printf(out, err, "%s", time);
    if (!vz_sample_complex_text(type, element, out, &is_complex, err) || is_complex)
        return is_complex && err->class == VZ_OK;
    if (is_flag(type))
        return vz_words_printf(out, err, "%u", *(const unsigned char *)element);
    if (H5Tget_class(type) != H5T_STRING)
        return vz_words_value(file->file, type, element, out, err);
    const size_t size = vz_sample_element_chars(type, element, &text), length = cut(text, size);
    return vz_words_printf(out, err, "%.*s%s", (int)length, text, length < size ? "..." : "");
}

static vz_json *json_text(const words *w, hid_t type, const char *element)
{
    vz_buffer text = {0};
    vz_json *value = NULL;
    if (vz_sample_element_text(w->file, type, element, &text, w->err))
        value = vz_text_json_of_path((const char *)text.data, w->err);
    vz_buffer_clear(&text);
    return value;
}

/* In words: references, opaque bytes, enumerations. */
static vz_json *json_words(const words *w, hid_t type, const char *element)
{
    vz_buffer text = {0};
    vz_json *value = NULL;
    char time[VZ_SAMPLE_DATE];
    if (vz_sample_opaque_time(type, element, time))
        return vz_json_text(time, w->err);
    if (vz_words_value(w->file->file, type, element, &text, w->err))
        value = vz_text_json_of_path((const char *)text.data, w->err);
    vz_buffer_clear(&text);
    return value;
}

/* ---- numbers ---- */

static bool convert(const words *w, hid_t type, hid_t native, const char *element, void *number)
{
    union {
        char bytes[64];
        long double aligned;
    } room;
    const size_t size = H5Tget_size(type);
    if (size > sizeof room)
        return vz_fail(w->err, VZ_LIMIT, "a number of %zu bytes", size);
    memcpy(room.bytes, element, size);
    if (H5Tconvert(type, native, 1, room.bytes, NULL, H5P_DEFAULT) < 0)
        return vz_convert_h5_fail(w->err, "a number cannot be converted");
    memcpy(number, room.bytes, 8);
    return true;
}

static vz_json *json_integer(const words *w, hid_t type, const char *element)
{
    int64_t number = 0;
    uint64_t large = 0;
    if (H5Tget_size(type) > 8)
        return json_words(w, type, element);
    if (H5Tget_sign(type) == H5T_SGN_NONE)
        return convert(w, type, H5T_NATIVE_UINT64, element, &large) ? vz_json_uint64(large, w->err) : NULL;
    return convert(w, type, H5T_NATIVE_INT64, element, &number) ? vz_json_int64(number, w->err) : NULL;
}

static vz_json *json_of_double(double number, vz_error *err)
{
    if (isfinite(number))
        return vz_json_double(number, err);
    return vz_json_text(isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity", err);
}

/* Of 32 bits or fewer: the fewest digits that read as the same number. */
static vz_json *json_real(const words *w, hid_t type, const char *element)
{
    double number;
    if (!convert(w, type, H5T_NATIVE_DOUBLE, element, &number))
        return NULL;
    vz_buffer text = {0};
    vz_json *value = NULL;
    if (!isfinite(number) || H5Tget_size(type) > 4)
        return json_of_double(number, w->err);
    if (vz_words_value(w->file->file, type, element, &text, w->err))
        value = vz_json_double(strtod((const char *)text.data, NULL), w->err);
    vz_buffer_clear(&text);
    return value;
}

static vz_json *json_enumeration(const words *w, hid_t type, const char *element)
{
    vz_buffer text = {0};
    vz_json *value = NULL;
    if (!vz_words_value(w->file->file, type, element, &text, w->err))
        return NULL;
    const char *word = (const char *)text.data;
    if (strcmp(word, "TRUE") == 0 || strcmp(word, "FALSE") == 0)
        value = vz_json_bool(*word == 'T', w->err);
    else
        value = vz_text_json_of_path(word, w->err);
    vz_buffer_clear(&text);
    return value;
}

/* ---- what has parts ---- */

static vz_json *json_list(words *w, hid_t base, const char *elements, size_t count, unsigned depth)
{
    const size_t size = base < 0 ? 0 : H5Tget_size(base);
    vz_json *list = vz_json_array(w->err);
    bool ok = list != NULL;
    for (size_t i = 0; ok && size && i < count && w->parts < PARTS_MAX; i++, w->parts++)
        ok = vz_json_append(list, json_at(w, base, elements + i * size, depth + 1), w->err);
    if (ok)
        return list;
    vz_json_free(list);
    return NULL;
}

static vz_json *json_array(words *w, hid_t type, const char *element, unsigned depth)
{
    const bool is_sequence = H5Tget_class(type) == H5T_VLEN;
    const hid_t base = H5Tget_super(type);
    const size_t size = base < 0 ? 0 : H5Tget_size(base);
    hvl_t sequence = {.len = size ? H5Tget_size(type) / size : 0};
    if (is_sequence)
        memcpy(&sequence, element, sizeof sequence);
    const char *elements = is_sequence ? sequence.p : element;
    vz_json *list = json_list(w, base, elements, elements ? sequence.len : 0, depth);
    vz_convert_id_close(base);
    return list;
}

/* A list of its two parts. */
static vz_json *json_complex(const words *w, hid_t type, const char *element)
{
    double numbers[2] = {0};
    bool is_single = false;
    vz_json *list = vz_json_array(w->err);
    bool ok = list && (vz_sample_complex_numbers(type, element, numbers, &is_single) ||
                       vz_convert_h5_fail(w->err, "a number cannot be converted"));
    for (int i = 0; ok && i < 2; i++) {
        const vz_sample_number part = {.kind = VZ_SAMPLE_FLOAT, .is_single = is_single, .real = numbers[i]};
        ok = vz_json_append(list, vz_sample_number_json(part, w->err), w->err);
    }
    if (ok)
        return list;
    vz_json_free(list);
    return NULL;
}

static vz_json *json_compound(words *w, hid_t type, const char *element, unsigned depth)
{
    const int count = H5Tget_nmembers(type);
    vz_json *object = vz_json_object(w->err);
    bool ok = object != NULL;
    for (int i = 0; ok && i < count && w->parts < PARTS_MAX; i++, w->parts++) {
        char *name = H5Tget_member_name(type, (unsigned)i);
        const hid_t member = H5Tget_member_type(type, (unsigned)i);
        vz_json *value = NULL;
        if (name && member >= 0)
            value = json_at(w, member, element + H5Tget_member_offset(type, (unsigned)i), depth + 1);
        ok = vz_json_set(object, name ? name : "", value, w->err);
        vz_convert_id_close(member);
        if (name)
            H5free_memory(name);
    }
    if (ok)
        return object;
    vz_json_free(object);
    return NULL;
}

static vz_json *json_at(words *w, hid_t type, const char *element, unsigned depth)
{
    if (depth >= VZ_TYPE_MAX_DEPTH) {
        vz_fail(w->err, VZ_LIMIT, "a type of more than %d levels", VZ_TYPE_MAX_DEPTH);
        return NULL;
    }
    switch ((int)H5Tget_class(type)) {
    case H5T_INTEGER:
        return json_integer(w, type, element);
    case H5T_FLOAT:
        return json_real(w, type, element);
    case H5T_STRING:
        return json_text(w, type, element);
    case H5T_ENUM:
        return json_enumeration(w, type, element);
    case H5T_VLEN:
    case H5T_ARRAY:
    case VZ_H5T_COMPLEX:
        return json_array(w, type, element, depth);
    case H5T_COMPOUND:
        return vz_sample_is_complex(type) ? json_complex(w, type, element) : json_compound(w, type, element, depth);
    default:
        return is_flag(type) ? vz_json_uint64(*(const unsigned char *)element, w->err) : json_words(w, type, element);
    }
}

vz_json *vz_sample_element_json(const vz_sample_file *file, hid_t type, const void *element, vz_error *err)
{
    words w = {.file = file, .err = err};
    return json_at(&w, type, element, 0);
}

/* ---- numbers of statistics ---- */

/* As numbers of arrays are shown: the fewest digits that read as the same number. */
bool vz_sample_number_text(vz_sample_number number, vz_buffer *out, vz_error *err)
{
    char text[VZ_WORDS_REAL];
    if (number.kind == VZ_SAMPLE_SIGNED)
        return vz_words_printf(out, err, "%lld", (long long)number.integer);
    if (number.kind == VZ_SAMPLE_UNSIGNED)
        return vz_words_printf(out, err, "%llu", (unsigned long long)number.large);
    vz_words_real(number.real, number.is_single, text);
    return vz_words_printf(out, err, "%s", text);
}

vz_json *vz_sample_number_json(vz_sample_number number, vz_error *err)
{
    vz_buffer text = {0};
    if (number.kind == VZ_SAMPLE_SIGNED)
        return vz_json_int64(number.integer, err);
    if (number.kind == VZ_SAMPLE_UNSIGNED)
        return vz_json_uint64(number.large, err);
    const bool ok = vz_sample_number_text(number, &text, err);
    vz_json *value = ok ? json_of_double(strtod((const char *)text.data, NULL), err) : NULL;
    vz_buffer_clear(&text);
    return value;
}
