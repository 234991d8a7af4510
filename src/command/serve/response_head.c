/* response_head.c - the head of an answer. Nothing that a store holds becomes a page or a script:
 * its values are bytes, or JSON. */
#include "command/serve/serve_internal.h"
#include "base/os/process.h"
#include <time.h>

static const char *reason_of(int status)
{
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {
        {200, "OK"},
        {204, "No Content"},
        {206, "Partial Content"},
        {304, "Not Modified"},
        {400, "Bad Request"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {412, "Precondition Failed"},
        {414, "URI Too Long"},
        {416, "Range Not Satisfiable"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
        {505, "HTTP Version Not Supported"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "Unknown";
}

static bool add_date(vz_buffer *out, const char *name, int64_t seconds)
{
    char text[40];
    const time_t date = (time_t)seconds;
    struct tm parts;
    if (!gmtime_r(&date, &parts) || strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts) == 0)
        return true; /* no date that a header could have */
    return vz_buffer_printf(out, NULL, "%s: %s\r\n", name, text);
}

static const char *type_of(const char *key)
{
    static const char *const documents[] = {"zarr.json", ".zgroup", ".zarray", ".zattrs", ".zmetadata"};
    const char *slash = strrchr(key, '/'), *name = slash ? slash + 1 : key;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
        if (strcmp(name, documents[i]) == 0)
            return "application/json";
    return "application/octet-stream";
}

static bool add_value(const vz_serve_head *head, vz_buffer *out)
{
    const unsigned long long whole = head->whole, first = head->first, size = head->size;
    bool ok = vz_buffer_printf(out, NULL, "Accept-Ranges: bytes\r\nCache-Control: no-cache\r\n");
    if (head->status == 200 || head->status == 206)
        ok = ok && vz_buffer_printf(out, NULL, "Content-Type: %s\r\n", type_of(head->key));
    if (head->status == 206)
        ok = ok &&
             vz_buffer_printf(out, NULL, "Content-Range: bytes %llu-%llu/%llu\r\n", first, first + size - 1, whole);
    if (head->status == 416)
        ok = ok && vz_buffer_printf(out, NULL, "Content-Range: bytes */%llu\r\n", whole);
    if (head->status != 304)
        ok = ok && vz_buffer_printf(out, NULL, "Content-Length: %llu\r\n", size);
    if (*head->version->etag)
        ok = ok && vz_buffer_printf(out, NULL, "ETag: %s\r\n", head->version->etag);
    return ok && (!head->version->modified || add_date(out, "Last-Modified", head->version->modified));
}

/* Of an answer without a value. */
static bool add_text(const vz_serve_head *head, vz_buffer *out)
{
    if (head->status == 405 && !vz_buffer_printf(out, NULL, "Allow: GET, HEAD\r\n"))
        return false;
    return !head->why || vz_buffer_printf(out, NULL,
                                          "Content-Type: text/plain; charset=utf-8\r\nContent-Length: %zu\r\n"
                                          "Cache-Control: no-store\r\n",
                                          strlen(head->why) + 1);
}

/* Which pages of other origins may read it. */
static bool add_origin(const vz_serve_site *site, const vz_serve_head *head, vz_buffer *out)
{
    if (!site->cors)
        return vz_buffer_printf(out, NULL, "Cross-Origin-Resource-Policy: same-origin\r\n");
    bool ok = vz_buffer_printf(out, NULL,
                               "Access-Control-Allow-Origin: %s\r\n"
                               "Access-Control-Expose-Headers: Accept-Ranges, Content-Length, Content-Range, ETag\r\n",
                               site->cors);
    if (head->status != 204)
        return ok;
    ok = ok && vz_buffer_printf(out, NULL,
                                "Access-Control-Allow-Methods: GET, HEAD\r\n"
                                "Access-Control-Allow-Headers: Range, If-Match, If-None-Match, If-Range, "
                                "If-Modified-Since, If-Unmodified-Since\r\n"
                                "Access-Control-Max-Age: 600\r\n");
    return ok && (!head->request->private_network ||
                  vz_buffer_printf(out, NULL, "Access-Control-Allow-Private-Network: true\r\n"));
}

bool vz_serve_print_head(const vz_serve_site *site, const vz_serve_head *head, vz_buffer *out)
{
    const bool has_text = !head->key && head->why && head->request->method != VZ_SERVE_HEAD;
    return vz_buffer_printf(out, NULL, "HTTP/1.1 %d %s\r\n", head->status, reason_of(head->status)) &&
           add_date(out, "Date", vz_os_date_s()) && (head->key ? add_value(head, out) : add_text(head, out)) &&
           add_origin(site, head, out) &&
           vz_buffer_printf(out, NULL, "X-Content-Type-Options: nosniff\r\nConnection: %s\r\n\r\n",
                            head->closes ? "close" : "keep-alive") &&
           (!has_text || vz_buffer_printf(out, NULL, "%s\n", head->why));
}
