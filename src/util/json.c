/* json.c - from text to values. The only user of jansson: it judges the text that json_mark.c prepared and takes it
 * apart; here its tree becomes ours. */
#include "util/json_tree.h"
#include <jansson.h>
#include <stdlib.h>

static vz_json *convert(const json_t *from, vz_error *err);

static size_t put_utf8_3(char *out, unsigned number)
{
    out[0] = (char)(0xE0 | number >> 12);
    out[1] = (char)(0x80 | (number >> 6 & 0x3F));
    out[2] = (char)(0x80 | (number & 0x3F));
    return 3;
}

static unsigned hex4(const char *digits)
{
    const char copy[5] = {digits[0], digits[1], digits[2], digits[3], '\0'};
    return (unsigned)strtoul(copy, NULL, 16);
}

/* Undoes the marks of a string into `out`, which is as long as the text at least (no mark is shorter than what it
 * stands for). A NUL becomes NUL in a string, C0 80 in a key. Returns the length. */
static size_t unmark(const char *text, size_t length, bool key, char *out)
{
    size_t size = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] != VZ_MARK) {
            out[size++] = text[i];
            continue;
        }
        switch (text[++i]) {
        case VZ_MARK_SELF:
            out[size++] = VZ_MARK;
            break;
        case VZ_MARK_NUL:
            if (key)
                out[size++] = (char)0xC0;
            out[size++] = key ? (char)0x80 : '\0';
            break;
        default: /* VZ_MARK_SURROGATE */
            size += put_utf8_3(out + size, hex4(text + i + 1));
            i += 4;
            break;
        }
    }
    return size;
}

static bool is_marked_number(const char *text, size_t length)
{
    return length >= 2 && text[0] == VZ_MARK && text[1] == VZ_MARK_NUMBER;
}

static vz_json *convert_string(const json_t *from, vz_error *err)
{
    const char *text = json_string_value(from);
    const size_t length = json_string_length(from);
    if (is_marked_number(text, length)) {
        vz_json_kind kind;
        vz_json_scan_number(text + 2, length - 2, &kind);
        return vz_json_number(kind, text + 2, length - 2, err);
    }
    if (!memchr(text, VZ_MARK, length))
        return vz_json_trusted_string(text, length, err);
    char *plain = malloc(length + 1);
    if (!plain) {
        vz_fail_memory(err);
        return NULL;
    }
    vz_json *string = vz_json_trusted_string(plain, unmark(text, length, false, plain), err);
    free(plain);
    return string;
}

static char *convert_key(const char *text, vz_error *err)
{
    const size_t length = strlen(text);
    if (is_marked_number(text, length)) {
        vz_fail(err, VZ_CORRUPT, "JSON: the number %.40s in the place of a key", text + 2);
        return NULL;
    }
    char *key = malloc(length + 1);
    if (!key) {
        vz_fail_memory(err);
        return NULL;
    }
    key[unmark(text, length, true, key)] = '\0';
    return key;
}

static bool convert_items(const json_t *from, vz_json *array, vz_error *err)
{
    const size_t count = json_array_size(from);
    for (size_t i = 0; i < count; i++)
        if (!vz_json_append(array, convert(json_array_get(from, i), err), err))
            return false;
    return true;
}

static bool convert_member(const char *text, const json_t *from, vz_json *object, vz_error *err)
{
    vz_json *value = convert(from, err);
    if (!value)
        return false;
    char *key = convert_key(text, err);
    if (!key) {
        vz_json_free(value);
        return false;
    }
    return vz_json_set_key(object, key, value, err);
}

static bool convert_members(json_t *from, vz_json *object, vz_error *err)
{
    for (void *at = json_object_iter(from); at; at = json_object_iter_next(from, at))
        if (!convert_member(json_object_iter_key(at), json_object_iter_value(at), object, err))
            return false;
    return true;
}

static vz_json *convert_container(const json_t *from, vz_error *err)
{
    const bool is_array = json_is_array(from);
    vz_json *value = is_array ? vz_json_array(err) : vz_json_object(err);
    if (!value)
        return NULL;
    if (is_array ? convert_items(from, value, err) : convert_members((json_t *)from, value, err))
        return value;
    vz_json_free(value);
    return NULL;
}

/* The depth is bounded by json_mark.c. */
static vz_json *convert(const json_t *from, vz_error *err)
{
    switch (json_typeof(from)) {
    case JSON_OBJECT:
    case JSON_ARRAY:
        return convert_container(from, err);
    case JSON_STRING:
        return convert_string(from, err);
    case JSON_TRUE:
    case JSON_FALSE:
        return vz_json_bool(json_is_true(from), err);
    default: /* no number is left after the marking */
        return vz_json_null(err);
    }
}

/* jansson ends its texts with the characters around the place, which are the marked ones: cut them off. */
static void fail_as_jansson(const json_error_t *error, vz_error *err)
{
    if (json_error_code(error) == json_error_out_of_memory || !error->text[0]) {
        vz_fail_memory(err);
        return;
    }
    const char *near = strstr(error->text, " near ");
    const int length = near ? (int)(near - error->text) : (int)strlen(error->text);
    vz_fail(err, VZ_CORRUPT, "JSON, line %d: %.*s", error->line, length, error->text);
}

static json_t *load(const char *text, size_t size, vz_error *err)
{
    vz_buffer marked = {0};
    if (!vz_buffer_reserve(&marked, size + size / 4 + 16, err) || !vz_json_mark(text, size, &marked, err)) {
        vz_buffer_clear(&marked);
        return NULL;
    }
    json_error_t error = {0};
    json_t *tree = json_loadb((const char *)marked.data, marked.size, JSON_DECODE_ANY, &error);
    vz_buffer_clear(&marked);
    if (!tree)
        fail_as_jansson(&error, err);
    return tree;
}

vz_json *vz_json_parse(const char *text, size_t size, vz_error *err)
{
    if (size > VZ_JSON_MAX_SIZE) {
        vz_fail(err, VZ_LIMIT, "JSON: %zu bytes, the limit is %zu", size, VZ_JSON_MAX_SIZE);
        return NULL;
    }
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) { /* a byte order mark, which Python reads over as well */
        text += 3;
        size -= 3;
    }
    json_t *tree = load(text, size, err);
    if (!tree)
        return NULL;
    vz_json *value = convert(tree, err);
    json_decref(tree);
    return value;
}
