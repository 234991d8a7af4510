/* json_size.c - how large a value is as a text, before it is printed; and the place of a large member in a text, before
 * it is parsed. */
#include "util/json_tree.h"

/* ---- of a value ---- */

static void measure_element(const vz_json *value, size_t key, unsigned indent, unsigned depth, vz_json_size *size)
{
    size->bytes += key + 2 + (size_t)indent * depth; /* a comma and a line of its own */
    vz_json_measure(value, indent, depth, size);
}

void vz_json_measure(const vz_json *value, unsigned indent, unsigned depth, vz_json_size *size)
{
    size->values++;
    if (value->kind == VZ_JSON_ARRAY) {
        for (size_t i = 0; i < value->count; i++)
            measure_element(value->items[i], 0, indent, depth + 1, size);
    } else if (value->kind == VZ_JSON_OBJECT) {
        for (size_t i = 0; i < value->count; i++)
            measure_element(value->members[i].value, strlen(value->members[i].key) + 4, indent, depth + 1, size);
    } else if (value->kind == VZ_JSON_STRING || vz_json_number_text(value)) {
        size->bytes += value->count;
    }
    size->bytes += value->kind >= VZ_JSON_ARRAY ? 3 + (size_t)indent * depth : 5; /* brackets; quotes, or a word */
}

/* ---- in a text ---- */

/* Behind the string that begins at `at`; `size` if it does not end. */
static size_t skip_string(const char *text, size_t size, size_t at)
{
    for (at++; at < size && text[at] != '"'; at++)
        at += text[at] == '\\';
    return at < size ? at + 1 : size;
}

static size_t skip_blanks(const char *text, size_t size, size_t at)
{
    while (at < size && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r'))
        at++;
    return at;
}

/* Behind the bracket that ends what begins at `at`; `size` if there is none. */
static size_t skip_container(const char *text, size_t size, size_t at)
{
    size_t depth = 0;
    while (at < size) {
        const char c = text[at];
        if (c == '"') {
            at = skip_string(text, size, at);
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        at++;
        if (depth == 0)
            return at;
    }
    return size;
}

bool vz_json_find_object(const char *text, size_t size, const char *key, size_t *start, size_t *length)
{
    const size_t key_length = strlen(key);
    size_t at = skip_blanks(text, size, 0);
    if (at == size || text[at++] != '{')
        return false;
    while (at < size) {
        const size_t begin = at;
        if (text[at] == '{' || text[at] == '[') {
            at = skip_container(text, size, at);
        } else if (text[at] != '"') {
            at++;
        } else {
            at = skip_string(text, size, at);
            const bool named = at - begin == key_length + 2 && memcmp(text + begin + 1, key, key_length) == 0;
            const size_t colon = skip_blanks(text, size, at);
            const size_t value = colon < size && text[colon] == ':' ? skip_blanks(text, size, colon + 1) : size;
            if (named && value < size && text[value] == '{') {
                *start = value;
                *length = skip_container(text, size, value) - value;
                return true;
            }
        }
    }
    return false;
}
