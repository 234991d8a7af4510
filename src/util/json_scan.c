/* json_scan.c - members in the text of an object, before it is parsed. */
#include "util/json.h"

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

/* Behind the value that begins at `at`; `at` if there is none. */
static size_t skip_value(const char *text, size_t size, size_t at)
{
    static const char of_words[] = "+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    if (at < size && text[at] == '"')
        return skip_string(text, size, at);
    if (at < size && (text[at] == '{' || text[at] == '['))
        return skip_container(text, size, at);
    while (at < size && text[at] && strchr(of_words, text[at]))
        at++;
    return at;
}

static bool visit_member(const char *text, size_t key, size_t key_end, vz_bytes value, vz_json_visit visit,
                         void *context, vz_error *err)
{
    vz_json *name = vz_json_parse(text + key, key_end - key, err);
    size_t length = 0;
    const char *name_text = vz_json_get_string(name, &length);
    const bool ok = name && (strlen(name_text) != length || visit(context, name_text, value, err));
    vz_json_free(name);
    return ok;
}

bool vz_json_each_member(vz_bytes object, vz_json_visit visit, void *context, vz_error *err)
{
    const char *text = (const char *)object.data;
    const size_t size = object.size;
    size_t at = skip_blanks(text, size, 0);
    bool ends = false;
    if (at == size || text[at++] != '{')
        return vz_fail(err, VZ_CORRUPT, "JSON: no object");
    at = skip_blanks(text, size, at);
    if (at < size && text[at] == '}')
        ends = true;
    while (!ends) {
        const size_t key = at, key_end = at < size && text[at] == '"' ? skip_string(text, size, at) : at;
        at = skip_blanks(text, size, key_end);
        if (key_end == key || at == size || text[at] != ':')
            return vz_fail(err, VZ_CORRUPT, "JSON: a key and a colon are missing");
        const size_t value = skip_blanks(text, size, at + 1), value_end = skip_value(text, size, value);
        at = skip_blanks(text, size, value_end);
        if (value_end == value || at == size || (text[at] != ',' && text[at] != '}'))
            return vz_fail(err, VZ_CORRUPT, "JSON: an object does not end");
        if (!visit_member(text, key, key_end, (vz_bytes){object.data + value, value_end - value}, visit, context, err))
            return false;
        ends = text[at] == '}';
        if (!ends)
            at = skip_blanks(text, size, at + 1);
    }
    return skip_blanks(text, size, at + 1) == size || vz_fail(err, VZ_CORRUPT, "JSON: something follows an object");
}
