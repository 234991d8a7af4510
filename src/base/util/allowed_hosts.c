/* allowed_hosts.c - which servers there can be, and whose credentials go to them. */
#include "base/util/name_policy.h"
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#define REGION_MAX   63
#define ENDPOINT_MAX 1023

/* The parts of an endpoint; they lie in its text. */
typedef struct endpoint_parts {
    bool secure;
    const char *host, *path;
    size_t host_size; /* bytes */
    unsigned port;
} endpoint_parts;

bool vz_endpoint_region_valid(const char *region)
{
    size_t length = 0;
    for (; region[length]; length++)
        if (length == REGION_MAX || (!isalnum((unsigned char)region[length]) && region[length] != '-'))
            return false;
    return length > 0;
}

static bool is_in(const char *text, size_t length, const char *others)
{
    for (size_t i = 0; i < length; i++)
        if ((text[i] & 0x80) || (!isalnum((unsigned char)text[i]) && !strchr(others, text[i])))
            return false;
    return length > 0;
}

/* [text]:port; *end is behind it. */
static bool split_host(const char *text, endpoint_parts *parts, const char **end)
{
    const bool bracket = *text == '[';
    const char *host_end = bracket ? strchr(text, ']') : text + strcspn(text, ":/");
    if (!host_end)
        return false;
    parts->host = text + bracket;
    parts->host_size = (size_t)(host_end - parts->host);
    *end = host_end + bracket;
    return is_in(parts->host, parts->host_size, bracket ? ":." : ".-_");
}

static bool split_port(const char **at, endpoint_parts *parts)
{
    unsigned long port = parts->secure ? 443 : 80;
    if (**at == ':') {
        char *end;
        if (!isdigit((unsigned char)(*at)[1]))
            return false;
        port = strtoul(*at + 1, &end, 10);
        *at = end;
    }
    parts->port = (unsigned)port;
    return port >= 1 && port <= 65535;
}

static bool split(const char *endpoint, endpoint_parts *parts)
{
    if (strnlen(endpoint, ENDPOINT_MAX + 1) > ENDPOINT_MAX)
        return false;
    parts->secure = strncasecmp(endpoint, "https://", 8) == 0;
    if (!parts->secure && strncasecmp(endpoint, "http://", 7) != 0)
        return false;
    const char *at;
    if (!split_host(endpoint + (parts->secure ? 8 : 7), parts, &at) || !split_port(&at, parts))
        return false;
    parts->path = at;
    return !*at || (*at == '/' && is_in(at, strlen(at), "/-_.~"));
}

bool vz_endpoint_valid(const char *endpoint)
{
    endpoint_parts parts;
    return split(endpoint, &parts);
}

static size_t path_size(const char *path)
{
    size_t size = strlen(path);
    while (size && path[size - 1] == '/')
        size--;
    return size;
}

bool vz_endpoint_same(const char *a, const char *b)
{
    endpoint_parts x, y;
    if (!split(a, &x) || !split(b, &y))
        return false;
    const size_t size = path_size(x.path);
    return x.secure == y.secure && x.port == y.port && x.host_size == y.host_size &&
           strncasecmp(x.host, y.host, x.host_size) == 0 && size == path_size(y.path) &&
           memcmp(x.path, y.path, size) == 0;
}

vz_reach vz_reach_of(const vz_options *user, const char *settings_endpoint, const char *redirect_endpoint,
                     bool owned_by_caller)
{
    const vz_name_case name = {.by = VZ_NAMER_REDIRECT_FILE, .trusted = owned_by_caller, .doorways = user->doorways};
    const char *own = *user->endpoint ? user->endpoint : settings_endpoint;
    const bool is_own = !redirect_endpoint || !*redirect_endpoint || (own && vz_endpoint_same(own, redirect_endpoint));
    return vz_name_decide(&name, is_own ? VZ_TARGET_BUCKET : VZ_TARGET_PUBLIC);
}
