/* json_parse.c - from text to values: the grammar of RFC 8259 with the numbers of json_number.c,
 * in one pass. */
#include "base/util/bytes_internal.h"
#include "base/util/json_internal.h"
#include <stdlib.h>

struct parser {
    const char *text;
    size_t size;
    size_t at; /* the next character to look at */
    unsigned depth;
    size_t values_left, values_max;
    vz_buffer string; /* of the string that is read, where it is not a piece of the text */
    bool halves;      /* of surrogate pairs stand in it */
    vz_error *err;
};

static vz_json *parse_value(struct parser *p);

static bool corrupt(struct parser *p, const char *what)
{
    size_t line = 1;
    for (size_t i = 0; i < p->at && i < p->size; i++)
        line += p->text[i] == '\n';
    return vz_fail(p->err, VZ_CORRUPT, "JSON, line %zu: %s", line, p->at < p->size ? what : "ends early");
}

static void skip_blanks(struct parser *p)
{
    size_t at = p->at;
    while (at < p->size && (p->text[at] == ' ' || p->text[at] == '\n' || p->text[at] == '\t' || p->text[at] == '\r'))
        at++;
    p->at = at;
}

/* Behind `wanted`, if it is the next character that is no blank. */
static bool take(struct parser *p, char wanted)
{
    skip_blanks(p);
    if (p->at == p->size || p->text[p->at] != wanted)
        return false;
    p->at++;
    return true;
}

/* ---- strings ---- */

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The number of an escape \uXXXX at `at`, or -1. */
static int unicode_escape(const struct parser *p, size_t at)
{
    if (at > p->size || p->size - at < 6 || p->text[at] != '\\' || p->text[at + 1] != 'u')
        return -1;
    int number = 0;
    for (size_t i = at + 2; i < at + 6; i++) {
        const int digit = hex_value(p->text[i]);
        if (digit < 0)
            return -1;
        number = number << 4 | digit;
    }
    return number;
}

static size_t put_utf8(unsigned number, char out[4])
{
    const unsigned lead[] = {0, 0xC0, 0xE0, 0xF0};
    const unsigned more = number < 0x80 ? 0 : number < 0x800 ? 1 : number < 0x10000 ? 2 : 3;
    out[0] = (char)(lead[more] | number >> 6 * more);
    for (unsigned i = 1; i <= more; i++)
        out[i] = (char)(0x80 | (number >> 6 * (more - i) & 0x3F));
    return more + 1;
}

/* Half of a pair that stands alone is kept, in three bytes. */
static bool take_unicode(struct parser *p, bool is_key)
{
    char bytes[4];
    const int first = unicode_escape(p, p->at), second = unicode_escape(p, p->at + 6);
    if (first < 0)
        return corrupt(p, "a wrong escape");
    const bool pair = first >= 0xD800 && first <= 0xDBFF && second >= 0xDC00 && second <= 0xDFFF;
    p->at += pair ? 12 : 6;
    if (first == 0 && is_key) /* keys end with NUL */
        return vz_buffer_append(&p->string, "\xC0\x80", 2, p->err);
    const int number = pair ? 0x10000 + ((first - 0xD800) << 10 | (second - 0xDC00)) : first;
    p->halves = p->halves || (number >= 0xD800 && number <= 0xDFFF);
    return vz_buffer_append(&p->string, bytes, put_utf8((unsigned)number, bytes), p->err);
}

static bool take_escape(struct parser *p, bool is_key)
{
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char c = p->size - p->at > 1 ? p->text[p->at + 1] : '\0';
    const char *name = c ? strchr(names, c) : NULL;
    if (c == 'u')
        return take_unicode(p, is_key);
    if (!name)
        return corrupt(p, "a wrong escape");
    p->at += 2;
    return vz_buffer_append(&p->string, &meanings[name - names], 1, p->err);
}

/* Characters that mean themselves, as many as there are. Lone surrogates may stand there in
 * three bytes, as Python's json reads and writes them. */
static bool skip_plain(struct parser *p)
{
    while (p->at < p->size) {
        uint8_t c = (uint8_t)p->text[p->at];
        /* As nearly all are. */
        while (c >= 0x20 && c < 0x80 && c != '"' && c != '\\' && ++p->at < p->size)
            c = (uint8_t)p->text[p->at];
        if (p->at == p->size)
            break;
        if (c == '"' || c == '\\')
            return true;
        if (c < 0x20)
            return corrupt(p, "a control character in a string");
        const size_t length = vz_utf8_sequence(p->text + p->at, p->size - p->at, true);
        if (!length)
            return corrupt(p, "bytes that are not UTF-8");
        p->halves = p->halves || (length == 3 && c == 0xED && (uint8_t)p->text[p->at + 1] >= 0xA0);
        p->at += length;
    }
    return corrupt(p, "");
}

static unsigned half_at(const uint8_t *at)
{
    return (at[0] & 0x0Fu) << 12 | (at[1] & 0x3Fu) << 6 | (at[2] & 0x3Fu);
}

/* Two halves that met, however each was written, are the character that they are when they are
 * printed as escapes. */
static void join_halves(vz_buffer *string)
{
    size_t to = 0;
    for (size_t at = 0; at < string->size;) {
        const uint8_t *from = string->data + at;
        if (vz_utf8_is_pair(from, string->size - at)) {
            const unsigned number = 0x10000 + ((half_at(from) - 0xD800) << 10 | (half_at(from + 3) - 0xDC00));
            to += put_utf8(number, (char *)string->data + to);
            at += 6;
        } else {
            string->data[to++] = string->data[at++];
        }
    }
    string->size = to;
}

/* A string from its opening quote to behind the closing one: *start and *length of its bytes, in
 * the text or in p->string. */
static bool take_string(struct parser *p, bool is_key, const char **start, size_t *length)
{
    const size_t begin = ++p->at;
    size_t copied = begin;
    p->string.size = 0;
    p->halves = false;
    while (skip_plain(p)) {
        const bool ends = p->text[p->at] == '"';
        if (ends && copied == begin && !p->halves) {
            *start = p->text + begin;
            *length = p->at++ - begin;
            return true;
        }
        if (!vz_buffer_append(&p->string, p->text + copied, p->at - copied, p->err))
            return false;
        if (ends) {
            p->at++;
            if (p->halves)
                join_halves(&p->string);
            *start = (const char *)p->string.data;
            *length = p->string.size;
            return true;
        }
        if (!take_escape(p, is_key))
            return false;
        copied = p->at;
    }
    return false;
}

static vz_json *parse_string(struct parser *p)
{
    const char *start;
    size_t length;
    return take_string(p, false, &start, &length) ? vz_json_trusted_string(start, length, p->err) : NULL;
}

static const char *parse_key(struct parser *p)
{
    const char *start;
    size_t length;
    skip_blanks(p);
    vz_json_kind kind;
    const bool is_string = p->at < p->size && p->text[p->at] == '"';
    const size_t number = is_string ? 0 : vz_json_scan_number(p->text + p->at, p->size - p->at, &kind);
    if (number) {
        vz_fail(p->err, VZ_CORRUPT, "JSON: the number %.*s in the place of a key", (int)(number < 40 ? number : 40),
                p->text + p->at);
        return NULL;
    }
    if (!is_string) {
        corrupt(p, "no key");
        return NULL;
    }
    if (!take_string(p, true, &start, &length))
        return NULL;
    return vz_json_key_new(start, length, p->err);
}

/* ---- arrays and objects ---- */

static bool parse_item(struct parser *p, vz_json *array)
{
    vz_json *item = parse_value(p);
    return item && vz_json_append(array, item, p->err);
}

static bool parse_member(struct parser *p, vz_json *object)
{
    const char *key = parse_key(p);
    vz_json *value = NULL;
    if (key && !take(p, ':'))
        corrupt(p, "no ':' behind a key");
    else if (key)
        value = parse_value(p);
    if (value)
        return vz_json_set_key(object, key, value, p->err);
    vz_json_key_free(key);
    return false;
}

/* Between the brackets. */
static bool parse_content(struct parser *p, vz_json *container, bool is_array)
{
    const char end = is_array ? ']' : '}';
    if (take(p, end))
        return true;
    do {
        if (!(is_array ? parse_item(p, container) : parse_member(p, container)))
            return false;
    } while (take(p, ','));
    return take(p, end) || corrupt(p, is_array ? "neither ',' nor ']'" : "neither ',' nor '}'");
}

static vz_json *parse_container(struct parser *p)
{
    const bool is_array = p->text[p->at++] == '[';
    if (++p->depth > VZ_JSON_MAX_DEPTH) {
        vz_fail(p->err, VZ_LIMIT, "JSON: nested deeper than %d", VZ_JSON_MAX_DEPTH);
        return NULL;
    }
    vz_json *container = is_array ? vz_json_array(p->err) : vz_json_object(p->err);
    const bool ok = container && parse_content(p, container, is_array);
    p->depth--;
    if (ok)
        return container;
    vz_json_free(container);
    return NULL;
}

/* ---- values ---- */

static vz_json *parse_number(struct parser *p)
{
    vz_json_kind kind;
    const char *text = p->text + p->at;
    const size_t length = vz_json_scan_number(text, p->size - p->at, &kind);
    if (!length) {
        corrupt(p, "not a number");
        return NULL;
    }
    p->at += length;
    return vz_json_number(kind, text, length, p->err);
}

static bool take_word(struct parser *p, const char *word)
{
    const size_t length = strlen(word);
    if (p->size - p->at < length || memcmp(p->text + p->at, word, length) != 0)
        return false;
    p->at += length;
    return true;
}

static vz_json *parse_value(struct parser *p)
{
    if (p->values_left-- == 0) {
        vz_fail(p->err, VZ_LIMIT, "JSON: more than %zu values", p->values_max);
        return NULL;
    }
    skip_blanks(p);
    const char c = p->at < p->size ? p->text[p->at] : '\0';
    if (c == '"')
        return parse_string(p);
    if (c == '[' || c == '{')
        return parse_container(p);
    if (c == '-' || c == 'N' || c == 'I' || (c >= '0' && c <= '9'))
        return parse_number(p);
    if (take_word(p, "true"))
        return vz_json_bool(true, p->err);
    if (take_word(p, "false"))
        return vz_json_bool(false, p->err);
    if (take_word(p, "null"))
        return vz_json_null(p->err);
    corrupt(p, "not a value");
    return NULL;
}

vz_json *vz_json_parse(const char *text, size_t size, vz_error *err)
{
    return vz_json_parse_within(text, size, VZ_JSON_MAX_SIZE, err);
}

/* How many values a text may hold at most, reported before any of them takes memory. */
static size_t most_values(const char *text, size_t size)
{
    size_t count = 1;
    bool in_string = false;
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];
        if (c == '"')
            in_string = !in_string;
        else if (c == '\\' && in_string)
            i++;
        else if (!in_string)
            count += c == ',' || c == '[' || c == '{';
    }
    return count;
}

vz_json *vz_json_parse_within(const char *text, size_t size, size_t values, vz_error *err)
{
    if (size > VZ_JSON_MAX_SIZE) {
        vz_fail(err, VZ_LIMIT, "JSON: %zu bytes, the limit is %zu", size, VZ_JSON_MAX_SIZE);
        return NULL;
    }
    /* a value has two characters, with what parts it */
    if (size / 2 >= values && most_values(text, size) > values) {
        vz_fail(err, VZ_LIMIT, "JSON: more than %zu values", values);
        return NULL;
    }
    struct parser p = {.text = text, .size = size, .values_left = values, .values_max = values, .err = err};
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) /* a byte order mark, which Python reads
                                                            * over as well */
        p.at = 3;
    vz_json *value = parse_value(&p);
    skip_blanks(&p);
    if (value && p.at < size) {
        corrupt(&p, "more behind the value");
        vz_json_free(value);
        value = NULL;
    }
    vz_buffer_clear(&p.string);
    return value;
}
