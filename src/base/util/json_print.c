/* json_print.c - from values to text, spelled as Python's json spells it (raw UTF-8, lower-case
 * escapes). */
#include "base/util/json_internal.h"
#include <stdio.h>

struct printer {
    int indent;
    bool quoted; /* within a string: quotes and backslashes get a backslash in front */
    vz_buffer *out;
    vz_error *err;
};

static bool print_value(const struct printer *p, const vz_json *value, unsigned depth);

static bool put(const struct printer *p, const char *text, size_t length)
{
    return vz_buffer_append(p->out, text, length, p->err);
}

/* Place for `size` bytes behind what was printed, or NULL: there has to be made room first. */
static char *place_for(const struct printer *p, size_t size)
{
    vz_buffer *out = p->out;
    if (out->capacity - out->size < size || (out->limit && out->size + size > out->limit))
        return NULL;
    char *place = (char *)out->data + out->size;
    out->size += size;
    return place;
}

static bool put_char(const struct printer *p, char c)
{
    char *place = place_for(p, 1);
    if (!place)
        return put(p, &c, 1);
    *place = c;
    return true;
}

static bool put_text(const struct printer *p, const char *text)
{
    return put(p, text, strlen(text));
}

static bool put_quote(const struct printer *p)
{
    return p->quoted ? put(p, "\\\"", 2) : put_char(p, '"');
}

static bool put_escaped(const struct printer *p, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const bool is_special = p->quoted && (text[i] == '"' || text[i] == '\\');
        if ((is_special && !put_char(p, '\\')) || !put_char(p, text[i]))
            return false;
    }
    return true;
}

static bool put_number(const struct printer *p, unsigned number)
{
    char text[sizeof "\\uffff"];
    snprintf(text, sizeof text, "\\u%04x", number & 0xFFFFu);
    return put_escaped(p, text, sizeof text - 1);
}

static bool put_escape(const struct printer *p, uint8_t c)
{
    switch (c) {
    case '"':
        return put_escaped(p, "\\\"", 2);
    case '\\':
        return put_escaped(p, "\\\\", 2);
    case '\n':
        return put_escaped(p, "\\n", 2);
    case '\r':
        return put_escaped(p, "\\r", 2);
    case '\t':
        return put_escaped(p, "\\t", 2);
    case '\b':
        return put_escaped(p, "\\b", 2);
    case '\f':
        return put_escaped(p, "\\f", 2);
    default:
        return put_number(p, c);
    }
}

static bool is_surrogate(const uint8_t *at, size_t left)
{
    return left >= 3 && at[0] == 0xED && at[1] >= 0xA0;
}

static bool is_key_nul(const uint8_t *at, size_t left)
{
    return left >= 2 && at[0] == 0xC0 && at[1] == 0x80;
}

/* Prints what cannot stand for itself at `at`, and says how many bytes it was: 0 if it can. */
static size_t special_length(const uint8_t *at, size_t left)
{
    if (*at < 0x20 || *at == '"' || *at == '\\')
        return 1;
    if (is_surrogate(at, left))
        return 3;
    return is_key_nul(at, left) ? 2 : 0;
}

/* Most bytes are. */
static bool is_plain(uint8_t c)
{
    return c >= 0x20 && c < 0xC0 && c != '"' && c != '\\';
}

static bool put_special(const struct printer *p, const uint8_t *at, size_t length)
{
    if (length == 1)
        return put_escape(p, *at);
    if (length == 2)
        return put_number(p, 0);
    return put_number(p, (at[0] & 0x0Fu) << 12 | (at[1] & 0x3Fu) << 6 | (at[2] & 0x3Fu));
}

static bool print_string(const struct printer *p, const char *text, size_t length)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t copied = 0, plain = 0;
    while (plain < length && is_plain(bytes[plain]))
        plain++;
    const size_t side = p->quoted ? 2 : 1;
    char *place = plain == length ? place_for(p, length + 2 * side) : NULL;
    if (place) {
        place[0] = place[side + length] = p->quoted ? '\\' : '"';
        place[side - 1] = place[2 * side + length - 1] = '"';
        memcpy(place + side, text, length);
        return true;
    }
    if (!put_quote(p))
        return false;
    for (size_t at = plain; at < length;) {
        if (is_plain(bytes[at])) {
            at++;
            continue;
        }
        const size_t special = special_length(bytes + at, length - at);
        if (!special) {
            at++;
            continue;
        }
        if (!put(p, text + copied, at - copied) || !put_special(p, bytes + at, special))
            return false;
        at += special;
        copied = at;
    }
    return put(p, text + copied, length - copied) && put_quote(p);
}

static bool print_blanks(const struct printer *p, unsigned depth)
{
    static const char blanks[] = "                                                                ";
    size_t left = p->indent > 0 ? (size_t)p->indent * depth : 0;
    bool ok = true;
    for (size_t part; ok && left > 0; left -= part) {
        part = left < sizeof blanks - 1 ? left : sizeof blanks - 1;
        ok = put(p, blanks, part);
    }
    return ok;
}

static bool print_break(const struct printer *p, unsigned depth)
{
    const size_t blanks = p->indent > 0 ? (size_t)p->indent * depth : 0;
    char *place = p->indent > 0 ? place_for(p, 1 + blanks) : NULL;
    if (!place)
        return p->indent <= 0 || (put_char(p, '\n') && print_blanks(p, depth));
    *place = '\n';
    memset(place + 1, ' ', blanks);
    return true;
}

/* A line break in a text of JSON is never part of a string. */
static bool print_printed(const struct printer *p, const vz_json *value, unsigned depth)
{
    const char *at = value->text, *end = at + value->count, *line;
    const size_t blanks = p->indent > 0 ? (size_t)p->indent * depth : 0;
    if (p->quoted)
        return put_escaped(p, at, value->count);
    for (; (line = memchr(at, '\n', (size_t)(end - at))); at = line + 1) {
        const size_t length = (size_t)(line + 1 - at);
        char *place = place_for(p, length + blanks);
        if (place) {
            memcpy(place, at, length);
            memset(place + length, ' ', blanks);
        } else if (!put(p, at, length) || !print_blanks(p, depth)) {
            return false;
        }
    }
    return put(p, at, (size_t)(end - at));
}

static bool print_element(const struct printer *p, const vz_json *container, size_t index, unsigned depth)
{
    if ((index > 0 && !put_char(p, ',')) || !print_break(p, depth))
        return false;
    if (container->kind == VZ_JSON_ARRAY)
        return print_value(p, container->items[index], depth);
    const struct vz_json_member *member = &container->members[index];
    return print_string(p, member->key, strlen(member->key)) && put_char(p, ':') &&
           (p->indent <= 0 || put_char(p, ' ')) && print_value(p, member->value, depth);
}

static bool print_container(const struct printer *p, const vz_json *container, unsigned depth)
{
    const char *brackets = container->kind == VZ_JSON_ARRAY ? "[]" : "{}";
    if (container->count == 0)
        return put(p, brackets, 2);
    const vz_json_kept_text *kept = p->quoted ? vz_json_kept(container) : NULL;
    if (kept && depth + kept->depth <= VZ_JSON_MAX_DEPTH)
        return put(p, kept->text, kept->length);
    if (depth >= VZ_JSON_MAX_DEPTH)
        return vz_fail(p->err, VZ_LIMIT, "JSON: nested deeper than %d", VZ_JSON_MAX_DEPTH);
    if (!put_char(p, brackets[0]))
        return false;
    for (size_t i = 0; i < container->count; i++)
        if (!print_element(p, container, i, depth + 1))
            return false;
    return print_break(p, depth) && put_char(p, brackets[1]);
}

static bool print_value(const struct printer *p, const vz_json *value, unsigned depth)
{
    switch (value->kind) {
    case VZ_JSON_NULL:
        return put_text(p, "null");
    case VZ_JSON_FALSE:
        return put_text(p, "false");
    case VZ_JSON_TRUE:
        return put_text(p, "true");
    case VZ_JSON_INTEGER:
    case VZ_JSON_REAL:
        return put(p, value->text, value->count);
    case VZ_JSON_STRING:
        return print_string(p, value->text, value->count);
    case VZ_JSON_PRINTED:
        return print_printed(p, value, depth);
    default:
        return print_container(p, value, depth);
    }
}

static bool check_size(size_t size, vz_error *err)
{
    return size <= VZ_JSON_MAX_SIZE || vz_fail(err, VZ_LIMIT, "JSON: a document of %zu bytes", size);
}

bool vz_json_print(const vz_json *value, int indent, vz_buffer *out, vz_error *err)
{
    const size_t before = out->size;
    const struct printer p = {.indent = indent, .out = out, .err = err};
    return print_value(&p, value, 0) && check_size(out->size - before, err);
}

bool vz_json_print_inside(const vz_json *value, vz_buffer *out, vz_error *err)
{
    const struct printer p = {.quoted = true, .out = out, .err = err};
    return print_value(&p, value, 0);
}

bool vz_json_print_in_string(const vz_json *value, vz_buffer *out, vz_error *err)
{
    const size_t before = out->size;
    return vz_buffer_append(out, "\"", 1, err) && vz_json_print_inside(value, out, err) &&
           vz_buffer_append(out, "\"", 1, err) && check_size(out->size - before, err);
}
