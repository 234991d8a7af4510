/* request_key.c - from the target of a request to the key of a value. A target leads to no place
 * that is no key: a store's keys have no parts "." and "..", and an encoded slash is none. */
#include "command/serve/serve_internal.h"
#include <strings.h>

static int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* In place. False: a sequence is broken, or stands for a slash or a NUL, which no part of a key
 * has. */
static bool decode(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        if (*from != '%') {
            *to = *from++;
            continue;
        }
        const int high = digit_of(from[1]), low = high < 0 ? -1 : digit_of(from[2]);
        const int byte = low < 0 ? 0 : high << 4 | low;
        if (byte == 0 || byte == '/')
            return false;
        *to = (char)byte;
        from += 3;
    }
    *to = '\0';
    return true;
}

/* 404: an empty part, as behind a slash at the end. */
static int check_parts(const char *path)
{
    for (;;) {
        const size_t length = strcspn(path, "/");
        if ((length == 1 && path[0] == '.') || (length == 2 && path[0] == '.' && path[1] == '.'))
            return 400;
        if (length == 0)
            return 404;
        if (!path[length])
            return 0;
        path += length + 1;
    }
}

/* How long it takes says nothing about the token. */
static bool is_secret(const char *path, const char *token)
{
    const size_t length = strlen(token);
    unsigned differ = 0;
    if (strnlen(path, length) < length || path[length] != '/')
        return false;
    for (size_t i = 0; i < length; i++)
        differ |= (unsigned)(unsigned char)path[i] ^ (unsigned char)token[i];
    return differ == 0;
}

/* Behind "http://127.0.0.1:8000" in the form that proxies send; NULL: it is another host, or
 * none. */
static char *path_of(char *target)
{
    static const char scheme[] = "http://";
    if (strncasecmp(target, scheme, sizeof scheme - 1) != 0)
        return *target == '/' ? target + 1 : NULL;
    char *host = target + sizeof scheme - 1, *slash = strchr(host, '/');
    if (!slash)
        return NULL;
    *slash = '\0';
    return vz_serve_host_is_here(host) ? slash + 1 : NULL;
}

int vz_serve_key(const vz_serve_site *site, char *target, vz_buffer *key)
{
    target[strcspn(target, "?#")] = '\0';
    char *path = path_of(target);
    if (!path)
        return 400;
    if (*site->token) {
        if (!is_secret(path, site->token))
            return 404;
        path += strlen(site->token) + 1;
    }
    if (!decode(path))
        return 400;
    const int status = check_parts(path);
    if (status)
        return status;
    const bool ok = vz_buffer_printf(key, NULL, "%s%s%s", site->inside, *site->inside ? "/" : "", path) &&
                    vz_buffer_append(key, "", 1, NULL);
    return ok ? 0 : 500;
}
