/* sigv4_canonical.c - URL and headers of a request in the form in which they are signed. */
#include "net/auth/sign_internal.h"
#include "base/util/bytes.h"
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#define PARTS_MAX 256 /* parameters, or headers, of one request */

bool vz_auth_url_split(const char *url, vz_auth_url_parts *parts)
{
    parts->secure = strncasecmp(url, "https://", 8) == 0;
    if (!parts->secure && strncasecmp(url, "http://", 7) != 0)
        return false;
    const char *host = url + (parts->secure ? 8 : 7), *path = host + strcspn(host, "/?#");
    const char *query = path + strcspn(path, "?#"), *end = query + strcspn(query, "#");
    parts->host = (vz_bytes){(const uint8_t *)host, (size_t)(path - host)};
    parts->path = (vz_bytes){(const uint8_t *)path, (size_t)(query - path)};
    query += *query == '?';
    parts->query = (vz_bytes){(const uint8_t *)query, (size_t)(end - query)};
    return parts->host.size > 0;
}

static int digit_of(uint8_t c)
{
    if (isdigit(c))
        return c - '0';
    return isxdigit(c) ? tolower(c) - 'a' + 10 : -1;
}

/* The byte that stands at *at, decoded; *at is behind it then. */
static uint8_t next_byte(vz_bytes text, size_t *at)
{
    const uint8_t c = text.data[(*at)++];
    if (c != '%' || text.size - *at < 2)
        return c;
    const int high = digit_of(text.data[*at]), low = digit_of(text.data[*at + 1]);
    if (high < 0 || low < 0)
        return c;
    *at += 2;
    return (uint8_t)(high << 4 | low);
}

bool vz_sigv4_encode(vz_bytes text, bool keep_slashes, bool plus_is_blank, vz_buffer *out, vz_error *err)
{
    for (size_t at = 0; at < text.size;) {
        const bool blank = plus_is_blank && text.data[at] == '+';
        const uint8_t c = blank ? (at++, ' ') : next_byte(text, &at);
        if (!vz_percent_append(out, c, keep_slashes ? "/" : "", err))
            return false;
    }
    return true;
}

bool vz_sigv4_decode(vz_bytes text, vz_buffer *out, vz_error *err)
{
    bool ok = true;
    for (size_t at = 0; ok && at < text.size;) {
        const uint8_t c = next_byte(text, &at);
        ok = vz_buffer_append(out, &c, 1, err);
    }
    return ok;
}

/* ---- the query ---- */

typedef struct parameter {
    vz_buffer name, value; /* encoded, each with a 0 */
} parameter;

static int compare_parameters(const void *a, const void *b)
{
    const parameter *x = a, *y = b;
    const int order = strcmp((const char *)x->name.data, (const char *)y->name.data);
    return order ? order : strcmp((const char *)x->value.data, (const char *)y->value.data);
}

static bool take_parameter(vz_bytes text, parameter *out, vz_error *err)
{
    const uint8_t *equals = text.size ? memchr(text.data, '=', text.size) : NULL;
    const vz_bytes name = {text.data, equals ? (size_t)(equals - text.data) : text.size};
    const vz_bytes value = {equals ? equals + 1 : NULL, equals ? text.size - name.size - 1 : 0};
    return vz_sigv4_encode(name, false, true, &out->name, err) && vz_buffer_append(&out->name, "", 1, err) &&
           vz_sigv4_encode(value, false, true, &out->value, err) && vz_buffer_append(&out->value, "", 1, err);
}

static bool take_parameters(vz_bytes query, parameter *parameters, size_t *count, vz_error *err)
{
    for (size_t at = 0, end; at < query.size; at = end + 1) {
        const uint8_t *found = memchr(query.data + at, '&', query.size - at);
        end = found ? (size_t)(found - query.data) : query.size;
        if (end == at)
            continue;
        if (*count == PARTS_MAX)
            return vz_fail(err, VZ_LIMIT, "a request with more than %d parameters", PARTS_MAX);
        if (!take_parameter((vz_bytes){query.data + at, end - at}, &parameters[(*count)++], err))
            return false;
    }
    return true;
}

bool vz_sigv4_query(vz_bytes query, vz_buffer *out, vz_error *err)
{
    parameter *parameters = query.size ? calloc(PARTS_MAX, sizeof *parameters) : NULL;
    size_t count = 0;
    if (query.size && !parameters)
        return vz_fail_memory(err);
    bool ok = take_parameters(query, parameters, &count, err);
    if (ok && count)
        qsort(parameters, count, sizeof *parameters, compare_parameters);
    for (size_t i = 0; i < count && ok; i++)
        ok = vz_buffer_printf(out, err, "%s%s=%s", i ? "&" : "", (const char *)parameters[i].name.data,
                              (const char *)parameters[i].value.data);
    for (size_t i = 0; i < count; i++) {
        vz_buffer_clear(&parameters[i].name);
        vz_buffer_clear(&parameters[i].value);
    }
    free(parameters);
    return ok;
}

/* ---- headers ---- */

typedef struct header {
    const char *name, *value;
    size_t name_size, value_size;
    size_t place; /* among those that were given */
} header;

static int compare_headers(const void *a, const void *b)
{
    const header *x = a, *y = b;
    const size_t size = x->name_size < y->name_size ? x->name_size : y->name_size;
    const int order = strncasecmp(x->name, y->name, size);
    if (order)
        return order;
    if (x->name_size != y->name_size)
        return x->name_size < y->name_size ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static bool is_called(const header *line, const char *name)
{
    return line->name_size == strlen(name) && strncasecmp(line->name, name, line->name_size) == 0;
}

/* Headers that proxies may change, or that curl makes. */
static bool is_left_out(const header *line)
{
    static const char *const names[] = {"accept-encoding", "authorization",     "connection", "content-length",
                                        "expect",          "transfer-encoding", "user-agent", "x-amzn-trace-id"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_called(line, names[i]))
            return true;
    return false;
}

static bool take_header(const char *text, header *out, vz_error *err)
{
    const size_t size = strcspn(text, ":");
    if (!size || text[size] != ':' || strpbrk(text, "\r\n"))
        return vz_fail(err, VZ_INVALID, "a header line without a name, or of several lines");
    *out = (header){.name = text, .name_size = size, .value = text + size + 1};
    out->value += strspn(out->value, " \t");
    out->value_size = strlen(out->value);
    while (out->value_size && strchr(" \t", out->value[out->value_size - 1]))
        out->value_size--;
    return true;
}

/* Several blanks count as one. */
static bool print_value(const header *line, vz_buffer *out, vz_error *err)
{
    bool ok = true, blank = false;
    for (size_t i = 0; i < line->value_size && ok; i++) {
        const bool is_blank = line->value[i] == ' ' || line->value[i] == '\t';
        if (!is_blank || !blank)
            ok = vz_buffer_append(out, is_blank ? " " : &line->value[i], 1, err);
        blank = is_blank;
    }
    return ok;
}

static bool print_name(const header *line, vz_buffer *out, vz_error *err)
{
    bool ok = true;
    for (size_t i = 0; i < line->name_size && ok; i++) {
        const char c = (char)tolower((unsigned char)line->name[i]);
        ok = vz_buffer_append(out, &c, 1, err);
    }
    return ok;
}

static bool print_headers(const header *lines, size_t count, vz_buffer *out, vz_buffer *names, vz_error *err)
{
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) {
        const bool same = i && lines[i].name_size == lines[i - 1].name_size &&
                          strncasecmp(lines[i].name, lines[i - 1].name, lines[i].name_size) == 0;
        if (!same)
            ok = (i == 0 || (vz_buffer_append(names, ";", 1, err) && vz_buffer_append(out, "\n", 1, err))) &&
                 print_name(&lines[i], names, err) && print_name(&lines[i], out, err);
        ok = ok && vz_buffer_append(out, same ? "," : ":", 1, err) && print_value(&lines[i], out, err);
    }
    return ok && vz_buffer_append(out, "\n", 1, err);
}

/* As curl sends it. */
static size_t host_size(const vz_auth_url_parts *url)
{
    const char *standard = url->secure ? ":443" : ":80";
    const size_t size = url->host.size, length = strlen(standard);
    return size > length && memcmp(url->host.data + size - length, standard, length) == 0 ? size - length : size;
}

bool vz_sigv4_headers(const vz_sigv4_request *request, const vz_auth_url_parts *url, vz_buffer *out, vz_buffer *names,
                      vz_error *err)
{
    if (request->header_count >= PARTS_MAX)
        return vz_fail(err, VZ_LIMIT, "a request with more than %d headers", PARTS_MAX - 1);
    header *lines = calloc(request->header_count + 1, sizeof *lines);
    if (!lines)
        return vz_fail_memory(err);
    bool ok = true, has_host = false;
    size_t count = 0;
    for (size_t i = 0; i < request->header_count && ok; i++) {
        ok = take_header(request->headers[i], &lines[count], err);
        lines[count].place = i;
        has_host = has_host || is_called(&lines[count], "host");
        count += !is_left_out(&lines[count]);
    }
    if (ok && !has_host)
        lines[count++] = (header){"host", (const char *)url->host.data, 4, host_size(url), 0};
    if (ok)
        qsort(lines, count, sizeof *lines, compare_headers);
    ok = ok && print_headers(lines, count, out, names, err);
    free(lines);
    return ok;
}
