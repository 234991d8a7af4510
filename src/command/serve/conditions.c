/* conditions.c - the conditions and the range of a request (RFC 9110, sections 13 and 14). */
#include "command/serve/serve_internal.h"
#include "base/util/http_date.h"

/* ---- conditions ---- */

/* The opaque part of an entity tag, behind "W/". */
static const char *opaque(const char *etag)
{
    return strncmp(etag, "W/", 2) == 0 ? etag + 2 : etag;
}

/* Is it in the list, or does "*" stand there? `strong`: a weak one matches nothing. */
static bool is_listed(const char *list, const vz_serve_version *version, bool strong)
{
    const size_t length = strlen(version->etag);
    if (strcmp(list, "*") == 0)
        return true;
    for (const char *at = list; *at;) {
        at += strspn(at, ", \t");
        const bool is_weak = strncmp(at, "W/", 2) == 0;
        at = opaque(at);
        if (*at != '"')
            return false; /* it is no list of tags */
        const char *end = strchr(at + 1, '"');
        if (!end)
            return false;
        const bool counts = !strong || !is_weak;
        if (counts && length == (size_t)(end + 1 - at) && strncmp(at, version->etag, length) == 0)
            return true;
        at = end + 1;
        at += strspn(at, ", \t");
    }
    return false;
}

/* Times are for versions that are known by them alone: a date that is none says nothing. */
static bool is_after(const vz_serve_version *version, const char *date, bool *is_date)
{
    int64_t seconds;
    *is_date = version->modified && vz_http_date_parse(date, &seconds);
    return *is_date && version->modified > seconds;
}

/* 0: the conditions hold. */
static int check(const vz_serve_request *request, const vz_serve_version *version)
{
    bool is_date;
    if (request->if_match) {
        if (!is_listed(request->if_match, version, true))
            return 412;
    } else if (request->if_unmodified_since && is_after(version, request->if_unmodified_since, &is_date)) {
        return 412;
    }
    if (request->if_none_match)
        return is_listed(request->if_none_match, version, false) ? 304 : 0;
    if (request->if_modified_since && !is_after(version, request->if_modified_since, &is_date) && is_date)
        return 304;
    return 0;
}

/* A part is sent only of the version of which the client has another part. */
static bool may_send_part(const vz_serve_request *request, const vz_serve_version *version)
{
    int64_t seconds;
    if (!request->if_range)
        return true;
    if (*request->if_range == '"')
        return *version->etag && strcmp(request->if_range, version->etag) == 0;
    return version->modified && vz_http_date_parse(request->if_range, &seconds) && seconds == version->modified;
}

/* ---- ranges ---- */

static bool parse_number(const char **text, uint64_t *number)
{
    const char *at = *text;
    bool fits = true;
    *number = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        fits = fits && vz_mul(*number, 10, number) && vz_add(*number, (uint64_t)(*at - '0'), number);
    if (!fits)
        *number = UINT64_MAX; /* beyond the end of anything */
    const bool is_there = at > *text;
    *text = at;
    return is_there;
}

/* "bytes=a-b", "bytes=a-" or "bytes=-n". False: it is none of them, and does not count; so do
 * several ranges. */
static bool parse_range(const char *text, uint64_t size, uint64_t *first, uint64_t *end)
{
    uint64_t last;
    if (strncmp(text, "bytes=", 6) != 0)
        return false;
    text += 6;
    if (*text == '-') {
        text++;
        if (!parse_number(&text, &last) || *text)
            return false;
        *first = last < size ? size - last : 0;
        *end = last > 0 ? size : 0;
        return true;
    }
    if (!parse_number(&text, first) || *text++ != '-')
        return false;
    *end = size;
    if (!*text)
        return true;
    if (!parse_number(&text, &last) || *text || last < *first)
        return false;
    *end = last < size ? last + 1 : size;
    return true;
}

vz_serve_part vz_serve_choose(const vz_serve_request *request, const vz_serve_version *version, uint64_t size)
{
    uint64_t first, end;
    const int status = check(request, version);
    if (status)
        return (vz_serve_part){.status = status};
    if (request->method != VZ_SERVE_GET || !request->range || !may_send_part(request, version) ||
        !parse_range(request->range, size, &first, &end))
        return (vz_serve_part){.status = 200, .size = size};
    if (first >= end)
        return (vz_serve_part){.status = 416};
    return (vz_serve_part){.status = 206, .first = first, .size = end - first};
}
