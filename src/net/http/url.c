/* url.c - what is looked at in a URL before it is handed to libcurl, and in the header lines of a
 * request. */
#include "net/http/engine.h"
#include <strings.h>

const char *vz_net_method_name(vz_net_method method)
{
    static const char *const names[] = {"GET", "HEAD", "PUT", "POST", "DELETE"};
    return names[method];
}

size_t vz_net_url_origin(const char *url)
{
    const size_t scheme = strncasecmp(url, "http://", 7) == 0 ? 7 : strncasecmp(url, "https://", 8) == 0 ? 8 : 0;
    const size_t authority = scheme ? strcspn(url + scheme, "/?#\\") : 0;
    return authority ? scheme + authority : 0;
}

/* A byte that ends a line would begin another header. */
static bool is_one_line(const char *text)
{
    return text[strcspn(text, "\r\n")] == '\0';
}

bool vz_net_url_check(const vz_net_request *request, vz_error *err)
{
    const char *url = request->url;
    const size_t length = vz_net_url_origin(url);
    if (length == 0)
        return vz_fail(err, VZ_INVALID, "not a URL of http or https");
    if (length >= VZ_NET_ORIGIN_SIZE)
        return vz_fail(err, VZ_INVALID, "the name of a host of %zu bytes", length);
    if (memchr(url, '@', length))
        return vz_fail(err, VZ_INVALID, "a URL with a user's name in it is not taken");
    for (const unsigned char *byte = (const unsigned char *)url; *byte; byte++)
        if (*byte <= ' ' || *byte >= 0x7f)
            return vz_fail(err, VZ_INVALID, "a URL with the byte 0x%02x, which must be percent-encoded", *byte);
    for (size_t i = 0; i < request->header_count; i++)
        if (!is_one_line(request->headers[i]) || !strchr(request->headers[i], ':'))
            return vz_fail(err, VZ_INVALID, "header %zu of a request is no line \"name: value\"", i);
    return true;
}
