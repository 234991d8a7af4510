/* json_mark.c - the pass before jansson, see json_tree.h. It looks at strings and numbers and counts brackets; whether
 * the whole is JSON is jansson's to say, over a text with the same lines. */
#include "util/json_tree.h"

struct marker {
    const char *text;
    size_t size;
    size_t at;     /* next character to look at */
    size_t copied; /* everything before it is in `out` */
    unsigned depth;
    vz_buffer *out;
    vz_error *err;
};

static bool corrupt(struct marker *m, const char *what)
{
    size_t line = 1;
    for (size_t i = 0; i < m->at; i++)
        line += m->text[i] == '\n';
    return vz_fail(m->err, VZ_CORRUPT, "JSON, line %zu: %s", line, what);
}

/* Puts `text` in the place of the next `length` characters. */
static bool replace(struct marker *m, size_t length, const char *text, size_t text_size)
{
    if (!vz_buffer_append(m->out, m->text + m->copied, m->at - m->copied, m->err))
        return false;
    m->at += length;
    m->copied = m->at;
    return vz_buffer_append(m->out, text, text_size, m->err);
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The number of an escape \uXXXX at `at`, or -1. */
static int unicode_escape(const struct marker *m, size_t at)
{
    if (m->size - at < 6 || m->text[at] != '\\' || m->text[at + 1] != 'u')
        return -1;
    int number = 0;
    for (size_t i = at + 2; i < at + 6; i++) {
        const int digit = hex_value(m->text[i]);
        if (digit < 0)
            return -1;
        number = number << 4 | digit;
    }
    return number;
}

static bool is_high(int number)
{
    return number >= 0xD800 && number <= 0xDBFF;
}

static bool is_low(int number)
{
    return number >= 0xDC00 && number <= 0xDFFF;
}

static bool mark_escape(struct marker *m)
{
    const int number = unicode_escape(m, m->at);
    if (number == 0)
        return replace(m, 6, (const char[]){VZ_MARK, VZ_MARK_NUL}, 2);
    if (number == VZ_MARK)
        return replace(m, 6, (const char[]){VZ_MARK, VZ_MARK_SELF}, 2);
    if (is_high(number) && is_low(unicode_escape(m, m->at + 6))) {
        m->at += 12;
        return true;
    }
    if (is_high(number) || is_low(number)) {
        const char *digits = m->text + m->at + 2;
        const char mark[] = {VZ_MARK, VZ_MARK_SURROGATE, digits[0], digits[1], digits[2], digits[3]};
        return replace(m, 6, mark, sizeof mark);
    }
    m->at += m->size - m->at > 1 ? 2 : 1; /* also a wrong escape: jansson will say so */
    return true;
}

/* A lone surrogate that stands in the text itself, in three bytes as Python's json reads and writes it. */
static bool is_raw_surrogate(const struct marker *m)
{
    const char *p = m->text + m->at;
    return (uint8_t)p[0] == 0xED && m->size - m->at >= 3 && (uint8_t)p[1] >= 0xA0 && vz_utf8_sequence(p, 3, true);
}

static bool mark_raw_surrogate(struct marker *m)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *p = (const uint8_t *)m->text + m->at;
    const unsigned number = 0xD000u | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu);
    const char mark[] = {VZ_MARK,
                         VZ_MARK_SURROGATE,
                         digits[number >> 12],
                         digits[number >> 8 & 15],
                         digits[number >> 4 & 15],
                         digits[number & 15]};
    return replace(m, 3, mark, sizeof mark);
}

/* From an opening quote to behind the closing one, or to the end of the text. */
static bool mark_string(struct marker *m)
{
    m->at++;
    while (m->at < m->size) {
        const char c = m->text[m->at];
        if (c == '"') {
            m->at++;
            return true;
        }
        bool ok = true;
        if (c == '\\')
            ok = mark_escape(m);
        else if (c == VZ_MARK)
            ok = replace(m, 1, (const char[]){VZ_MARK, VZ_MARK_SELF}, 2);
        else if (is_raw_surrogate(m))
            ok = mark_raw_surrogate(m);
        else
            m->at++;
        if (!ok)
            return false;
    }
    return true;
}

static bool mark_number(struct marker *m)
{
    vz_json_kind kind;
    const size_t length = vz_json_scan_number(m->text + m->at, m->size - m->at, &kind);
    if (!length)
        return corrupt(m, "not a number");
    const char *number = m->text + m->at;
    return replace(m, length, (const char[]){'"', VZ_MARK, VZ_MARK_NUMBER}, 3) &&
           vz_buffer_append(m->out, number, length, m->err) && vz_buffer_append(m->out, "\"", 1, m->err);
}

static bool mark_next(struct marker *m)
{
    switch (m->text[m->at]) {
    case '"':
        return mark_string(m);
    case '-':
    case 'N':
    case 'I':
    case '0' ... '9':
        return mark_number(m);
    case '[':
    case '{':
        m->at++;
        if (++m->depth > VZ_JSON_MAX_DEPTH)
            return vz_fail(m->err, VZ_LIMIT, "JSON: nested deeper than %d", VZ_JSON_MAX_DEPTH);
        return true;
    case ']':
    case '}':
        m->at++;
        m->depth -= m->depth > 0;
        return true;
    case '\0': /* jansson would take it for the end behind a literal */
        return corrupt(m, "a NUL character");
    default:
        m->at++;
        return true;
    }
}

bool vz_json_mark(const char *text, size_t size, vz_buffer *out, vz_error *err)
{
    struct marker m = {.text = text, .size = size, .out = out, .err = err};
    while (m.at < size)
        if (!mark_next(&m))
            return false;
    return replace(&m, 0, "", 0);
}
