/* azure_shared_key.c - see sign_internal.h. The method is signed, some headers by their places, all
 * headers that begin with x-ms-, and path and query of the URL. */
#include "net/auth/sign_internal.h"
#include "net/http/http.h"
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#define PARTS_MAX 64 /* headers, or parameters, of a request */

/* A name and its value, each with a 0. */
typedef struct part {
    vz_buffer name, value;
} part;

static void clear_parts(part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        vz_buffer_clear(&parts[i].name);
        vz_buffer_clear(&parts[i].value);
    }
}

static int compare(const void *a, const void *b)
{
    const part *x = a, *y = b;
    const int order = strcmp((const char *)x->name.data, (const char *)y->name.data);
    return order ? order : strcmp((const char *)x->value.data, (const char *)y->value.data);
}

static bool add_lower(vz_buffer *out, const char *text, size_t size, vz_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < size; i++) {
        const char c = (char)tolower((unsigned char)text[i]);
        ok = vz_buffer_append(out, &c, 1, err);
    }
    return ok && vz_buffer_append(out, "", 1, err);
}

/* ---- headers ---- */

static const char *value_of(const char *line, const char *name)
{
    const size_t size = strlen(name);
    if (strncasecmp(line, name, size) != 0 || line[size] != ':')
        return NULL;
    return line + size + 1 + strspn(line + size + 1, " \t");
}

/* Those that stand at a place of their own, each in a line. The length is none where there is no
 * body. */
static bool add_placed(const vz_auth_shared_key_request *request, vz_buffer *out, vz_error *err)
{
    static const char *const names[] = {
        "Content-Encoding",  "Content-Language", "Content-Length", "Content-MD5",         "Content-Type", "Date",
        "If-Modified-Since", "If-Match",         "If-None-Match",  "If-Unmodified-Since", "Range"};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof names / sizeof *names; i++) {
        const char *value = NULL;
        for (size_t k = 0; !value && k < request->header_count; k++)
            value = value_of(request->headers[k], names[i]);
        if (strcmp(names[i], "Content-Length") == 0 && request->body_size > 0)
            ok = vz_buffer_printf(out, err, "%zu", request->body_size);
        else if (value)
            ok = vz_buffer_append(out, value, strlen(value), err);
        ok = ok && vz_buffer_append(out, "\n", 1, err);
    }
    return ok;
}

static bool add_own(const vz_auth_shared_key_request *request, vz_buffer *out, vz_error *err)
{
    part parts[PARTS_MAX] = {0};
    size_t count = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < request->header_count; i++) {
        const char *line = request->headers[i];
        const size_t size = strcspn(line, ":");
        if (strncasecmp(line, "x-ms-", 5) != 0 || line[size] != ':')
            continue;
        const char *value = line + size + 1 + strspn(line + size + 1, " \t");
        if (count == PARTS_MAX)
            ok = vz_fail(err, VZ_LIMIT, "a request with more than %d headers", PARTS_MAX);
        else
            ok = add_lower(&parts[count].name, line, size, err) &&
                 vz_buffer_append(&parts[count].value, value, strlen(value) + 1, err);
        count += count < PARTS_MAX;
    }
    if (ok)
        qsort(parts, count, sizeof *parts, compare);
    for (size_t i = 0; ok && i < count; i++)
        ok = vz_buffer_append(out, parts[i].name.data, parts[i].name.size - 1, err) &&
             vz_buffer_append(out, ":", 1, err) &&
             vz_buffer_append(out, parts[i].value.data, parts[i].value.size - 1, err) &&
             vz_buffer_append(out, "\n", 1, err);
    clear_parts(parts, count);
    return ok;
}

/* ---- the URL ---- */

/* Names and values as they are without percent-encoding. */
static bool take_parameter(const char *text, size_t size, part *out, vz_error *err)
{
    const char *equals = memchr(text, '=', size);
    const size_t name_size = equals ? (size_t)(equals - text) : size;
    const vz_bytes name = {(const uint8_t *)text, name_size};
    const vz_bytes value = {(const uint8_t *)text + name_size + 1, equals ? size - name_size - 1 : 0};
    vz_buffer decoded = {0};
    bool ok = vz_sigv4_decode(name, &decoded, err);
    ok = ok && add_lower(&out->name, (const char *)decoded.data, decoded.size, err);
    ok = ok && vz_sigv4_decode(value, &out->value, err) && vz_buffer_append(&out->value, "", 1, err);
    vz_buffer_clear(&decoded);
    return ok;
}

/* In lines "name:value"; of a name that stands there twice the values follow one another in one
 * line. */
static bool add_query(vz_bytes query, vz_buffer *out, vz_error *err)
{
    part parts[PARTS_MAX] = {0};
    size_t count = 0;
    bool ok = true;
    for (size_t at = 0, end; ok && at < query.size; at = end + 1) {
        const uint8_t *found = memchr(query.data + at, '&', query.size - at);
        end = found ? (size_t)(found - query.data) : query.size;
        if (end == at)
            continue;
        ok = count < PARTS_MAX ? take_parameter((const char *)query.data + at, end - at, &parts[count++], err)
                               : vz_fail(err, VZ_LIMIT, "a request with more than %d parameters", PARTS_MAX);
    }
    if (ok)
        qsort(parts, count, sizeof *parts, compare);
    for (size_t i = 0; ok && i < count; i++) {
        const bool is_same =
            i > 0 && strcmp((const char *)parts[i].name.data, (const char *)parts[i - 1].name.data) == 0;
        ok = (is_same || (vz_buffer_append(out, "\n", 1, err) &&
                          vz_buffer_append(out, parts[i].name.data, parts[i].name.size - 1, err))) &&
             vz_buffer_append(out, is_same ? "," : ":", 1, err) &&
             vz_buffer_append(out, parts[i].value.data, parts[i].value.size - 1, err);
    }
    clear_parts(parts, count);
    return ok;
}

/* ---- whole ---- */

bool vz_auth_shared_key_text(const vz_auth_shared_key_request *request, const char *account, vz_buffer *out,
                             vz_error *err)
{
    vz_auth_url_parts url;
    if (!vz_auth_url_split(request->url, &url))
        return vz_fail(err, VZ_INVALID, "a URL without a host cannot be signed");
    return vz_buffer_printf(out, err, "%s\n", request->method) && add_placed(request, out, err) &&
           add_own(request, out, err) && vz_buffer_printf(out, err, "/%s", account) &&
           vz_buffer_append(out, url.path.size ? url.path.data : (const uint8_t *)"/",
                            url.path.size ? url.path.size : 1, err) &&
           add_query(url.query, out, err);
}

bool vz_auth_shared_key_authorize(const vz_auth_shared_key_request *request, const char *account, const char *key,
                                  vz_buffer *out, vz_error *err)
{
    vz_buffer text = {0}, secret = {0};
    uint8_t signature[VZ_SHA256_SIZE];
    char *coded = NULL;
    const bool ok =
        vz_buffer_reserve(&secret, strlen(key), err) && vz_base64_decode(key, strlen(key), &secret, err) &&
        vz_auth_shared_key_text(request, account, &text, err) &&
        vz_hmac_sha256((vz_bytes){secret.data, secret.size}, (vz_bytes){text.data, text.size}, signature, err) &&
        (coded = vz_base64_encode(signature, sizeof signature, err)) &&
        vz_buffer_printf(out, err, "SharedKey %s:%s", account, coded);
    vz_secret_clear(&secret);
    vz_buffer_clear(&text);
    free(coded);
    return ok;
}
