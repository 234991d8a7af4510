/* exchange.c - see remote.h. */
#include "remote/protocol/remote_internal.h"
#include "remote/protocol/remote.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define PLACES_SIZE  360
#define MESSAGE_MOST 120  /* bytes of what a server says, of its first line */
#define LINE_SIZE    4096 /* bytes of a header line: a key in it is three times as long */

bool vz_exchange_line(vz_exchange *x, vz_error *err, const char *format, ...)
{
    char line[LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= sizeof line || x->net.header_count == VZ_EXCHANGE_LINES_MAX)
        return vz_fail(err, VZ_LIMIT, "a header of %d bytes", size);
    const char *own = vz_arena_copy(&x->arena, line, (size_t)size + 1, err);
    x->lines[x->net.header_count] = own;
    x->net.header_count += own != NULL;
    return own != NULL;
}

bool vz_exchange_begin(vz_exchange *x, vz_site *site, vz_net_method method, const char *whole_key, const char *query,
                       vz_error *err)
{
    x->site = site;
    x->key = vz_arena_copy(&x->arena, whole_key, strlen(whole_key) + 1, err);
    x->query = query && x->key ? vz_arena_copy(&x->arena, query, strlen(query) + 1, err) : NULL;
    x->net.method = method;
    x->net.headers = x->lines;
    x->net.owner = x;
    /* no listings: they take their time */
    x->net.twice = site->second_get && method == VZ_NET_GET && !query;
    x->net.hosts = site->hosts;
    x->net.follow = !vz_site_has_bucket(site) && !site->account;
    if (!x->key || (query && !x->query))
        return false;
    for (const char *const *line = site->service ? site->service->protocol->lines : NULL; line && *line; line++)
        if (!vz_exchange_line(x, err, "%s", *line))
            return false;
    return (!site->account || vz_exchange_line(x, err, "%s", site->account)) &&
           (!site->requester_pays || vz_exchange_line(x, err, "x-amz-request-payer: requester"));
}

bool vz_exchange_value(vz_exchange *x, vz_bytes value, vz_error *err)
{
    const vz_service *service = x->site->service;
    x->net.body = value;
    return !service || !service->protocol->value_line || vz_exchange_line(x, err, "%s", service->protocol->value_line);
}

bool vz_exchange_aim(vz_exchange *x, vz_error *err)
{
    x->url.size = 0;
    if (!vz_site_url(x->site, x->key, x->query, &x->url, err))
        return false;
    x->net.url = (const char *)x->url.data;
    if (vz_site_has_bucket(x->site))
        x->net.signer = vz_site_signer(x->site, err);
    return x->net.signer || !vz_site_has_bucket(x->site);
}

void vz_exchange_clear(vz_exchange *x)
{
    if (x->site)
        x->site->net->request_clear(&x->net);
    vz_buffer_clear(&x->url);
    vz_buffer_clear(&x->own);
    vz_arena_clear(&x->arena);
}

/* ---- what the answer means ---- */

bool vz_exchange_fail_changed(vz_error *err)
{
    return vz_fail(err, VZ_CHANGED, "another version was put in its place meanwhile");
}

static vz_bytes text_of(const vz_exchange *x)
{
    return (vz_bytes){x->net.text.data, x->net.text.size};
}

bool vz_exchange_is_redirected(vz_exchange *x)
{
    vz_refusal refusal;
    const int status = x->net.status;
    if (x->is_aimed_again || x->net.failed != VZ_OK || !vz_site_has_bucket(x->site) ||
        !(status == 301 || status == 307 || status == 308 || status == 400))
        return false;
    const char *region = x->site->net->header(&x->net, "x-amz-bucket-region");
    vz_s3_read_refusal(text_of(x), &refusal);
    if (!region || !*region)
        region = refusal.region;
    /* Another exchange may have learned it meanwhile, so that what was known is no reason not to
     * ask again. */
    if (!*region || (!vz_site_learn_region(x->site, region) && status == 400))
        return false;
    x->is_aimed_again = true;
    x->site->net->request_clear(&x->net);
    return vz_exchange_aim(x, NULL);
}

vz_error_class vz_exchange_class_of(int status)
{
    switch (status) {
    case 408:
    case 409:
    case 429:
        return VZ_TRANSIENT;
    case 401:
    case 403:
    case 407:
        return VZ_PERMISSION;
    case 412:
        return VZ_CHANGED;
    case 416:
        return VZ_CORRUPT;
    case 405:
    case 501:
        return VZ_UNSUPPORTED;
    default:
        return VZ_IO;
    }
}

/* The option that makes a refusal of a web server mean that there is nothing. */
static const char *web_hint(const vz_exchange *x)
{
    const bool may_help = x->net.status == 403 || x->net.status == 410;
    return may_help && x->site->missing != VZ_MISSING_403
               ? "; if the server answers so where there is nothing, the option missing=403 says that"
               : NULL;
}

/* Bytes of a server's message that are shown: whole sentences of its first line, else whole
 * words. */
static int shown_size(const char *message)
{
    const size_t line = strcspn(message, "\r\n");
    size_t sentences = 0, words = 0;
    if (line <= MESSAGE_MOST)
        return (int)line;
    for (size_t i = 1; i <= MESSAGE_MOST; i++)
        if (message[i] == ' ') {
            words = i;
            sentences = message[i - 1] == '.' ? i : sentences;
        }
    return (int)(sentences ? sentences : words ? words : MESSAGE_MOST);
}

static bool fail(const vz_exchange *x, const vz_refusal *refusal, vz_error *err)
{
    const int status = x->net.status;
    const vz_site *site = x->site;
    const vz_error_class class =
        site->service ? site->service->protocol->class_of(status, refusal->code) : vz_exchange_class_of(status);
    const bool is_named = refusal->code[0] != '\0';
    if (class == VZ_CHANGED)
        return vz_exchange_fail_changed(err);
    if (class == VZ_CORRUPT)
        return vz_fail(err, class, "the value is too short for the range asked for");
    char places[PLACES_SIZE] = "";
    const int message_size = is_named ? shown_size(refusal->message) : 0;
    const char *hint = !site->service ? web_hint(x)
                       : class == VZ_PERMISSION && site->service->protocol->hint
                           ? site->service->protocol->hint(refusal->code)
                           : NULL;
    const bool lacks = class == VZ_PERMISSION && vz_site_has_bucket(site) &&
                       site->net->account_found_none(site->owner, places, sizeof places);
    if (class == VZ_PERMISSION && err && err->class == VZ_OK)
        err->sys_errno = EACCES;
    return vz_fail(err, class, "the server refused it: status %d%s%s%s%.*s%s%s%s", status, is_named ? ", " : "",
                   refusal->code, is_named && refusal->message[0] ? ": " : "", message_size, refusal->message,
                   hint ? hint : "", lacks ? "; no credentials were found: not " : "", places);
}

bool vz_exchange_is_page(const vz_exchange *x)
{
    const char *type = x->site->net->header(&x->net, "Content-Type");
    return !vz_site_has_bucket(x->site) && type && strncmp(type, "text/html", 9) == 0;
}

/* Where an answer has no text (HEAD), some services have the code in a header. A web server may be
 * a bucket, too. */
static void read_refusal(const vz_exchange *x, vz_refusal *refusal)
{
    const char *header = x->site->service ? x->site->service->protocol->code_header : NULL;
    vz_s3_read_refusal(text_of(x), refusal);
    const char *code = header && !refusal->code[0] ? x->site->net->header(&x->net, header) : NULL;
    if (code)
        snprintf(refusal->code, sizeof refusal->code, "%s", code);
}

bool vz_exchange_check(const vz_exchange *x, bool *missing, vz_error *err)
{
    vz_refusal refusal = {0};
    *missing = false;
    if (x->net.failed != VZ_OK)
        return vz_fail(err, x->net.failed, "%s", x->net.why);
    if (x->net.status >= 200 && x->net.status < 300)
        return true;
    const vz_service *service = x->site->service;
    *missing = !service && x->net.status == 404;
    if (*missing)
        return true;
    read_refusal(x, &refusal);
    if (service && strcmp(refusal.code, service->protocol->no_bucket) == 0)
        return vz_fail_errno(err, ENOENT, "there is no such bucket");
    *missing = x->net.status == 404;
    return *missing || fail(x, &refusal, err);
}

bool vz_exchange_fail(const vz_exchange *x, vz_error *err)
{
    vz_refusal refusal;
    read_refusal(x, &refusal);
    return fail(x, &refusal, err);
}

static bool is_one_of(const char *code, const char *const *codes)
{
    for (; *codes; codes++)
        if (strcmp(code, *codes) == 0)
            return true;
    return false;
}

bool vz_exchange_names_no_key(const vz_exchange *x)
{
    const vz_service *service = x->site->service;
    vz_refusal refusal;
    if (!service)
        return true;
    read_refusal(x, &refusal);
    return !refusal.code[0] || is_one_of(refusal.code, service->protocol->absent_codes);
}

bool vz_exchange_may_hide_absence(const vz_exchange *x)
{
    const vz_service *service = x->site->service;
    vz_refusal refusal;
    read_refusal(x, &refusal);
    const bool speaks = refusal.code[0] ? refusal.speaks_of_access : vz_protocol_text_speaks_of_access(text_of(x));
    /* A refusal without a code is not the service's, but somebody's on the way, unless the user
     * says otherwise. */
    const bool may = !refusal.code[0] ? x->site->missing == VZ_MISSING_403
                                      : service && is_one_of(refusal.code, service->protocol->hiding_codes);
    return !speaks && (!service || may);
}

bool vz_exchange_do(vz_exchange *x, vz_error *err)
{
    if (!vz_exchange_aim(x, err) || !x->site->net->do_one(&x->site->options, &x->net, err))
        return false;
    return !vz_exchange_is_redirected(x) || x->site->net->do_one(&x->site->options, &x->net, err);
}

void vz_exchange_delete(vz_site *site, const char *whole_key)
{
    vz_exchange x = {0};
    if (vz_exchange_begin(&x, site, VZ_NET_DELETE, whole_key, NULL, NULL)) {
        x.net.repeatable = true;
        vz_exchange_do(&x, NULL);
    }
    vz_exchange_clear(&x);
}
