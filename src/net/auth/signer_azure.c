/* signer_azure.c - makes a request one of an account of Azure's storage. It adds the signature of
 * the account's key, or a SAS behind the URL, and one behind the URL of a value that is copied. */
#include "net/http/engine.h"
#include "net/auth/sign_internal.h"
#include "net/auth/auth_internal.h"
#include "base/os/network.h"
#include "base/util/http_date.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

#define COPY_SOURCE "x-ms-copy-source"
#define SKEW_LEAST  600 /* seconds: servers take requests of a quarter of an hour */

static const char *copy_source(const vz_net_request *request)
{
    const size_t size = strlen(COPY_SOURCE);
    for (size_t i = 0; i < request->header_count; i++)
        if (strncasecmp(request->headers[i], COPY_SOURCE ":", size + 1) == 0)
            return request->headers[i] + size + 1 + strspn(request->headers[i] + size + 1, " ");
    return NULL;
}

static void print_time(time_t now, char out[40])
{
    static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    struct tm parts = {0};
    gmtime_r(&now, &parts);
    snprintf(out, 40, "%s, %02d %s %04d %02d:%02d:%02d GMT", days[parts.tm_wday % 7], parts.tm_mday % 100,
             months[parts.tm_mon % 12], (parts.tm_year + 1900) % 10000, parts.tm_hour % 100, parts.tm_min % 100,
             parts.tm_sec % 100);
}

/* ---- SAS ---- */

/* A SAS is as good as a key to anybody who sees it on its way. */
static bool is_sas_safe(const char *url)
{
    vz_auth_url_parts parts;
    char host[64] = "";
    if (!vz_auth_url_split(url, &parts) || parts.secure)
        return parts.secure;
    const size_t size = parts.host.data[0] == '[' ? strcspn((const char *)parts.host.data, "]") + 1
                                                  : strcspn((const char *)parts.host.data, ":/?");
    if (size < sizeof host && size <= parts.host.size)
        memcpy(host, parts.host.data, size);
    return strcasecmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0 || vz_os_is_loopback4(host);
}

static bool add_sas(const vz_net_request *request, const char *sas, vz_net_headers *out, vz_error *err)
{
    vz_buffer source = {0};
    const char *copied = copy_source(request);
    if (!is_sas_safe(request->url))
        return vz_fail(err, VZ_PERMISSION, "a SAS is sent over https alone");
    bool ok = vz_net_headers_set_query(out, sas, err);
    if (ok && copied)
        ok = vz_buffer_reserve(&source, strlen(copied) + strlen(sas) + 2, err) &&
             vz_buffer_append(&source, copied, strlen(copied), err) && vz_buffer_append(&source, "?", 1, err) &&
             vz_buffer_append(&source, sas, strlen(sas) + 1, err) &&
             vz_net_headers_add(out, COPY_SOURCE, (const char *)source.data, err);
    vz_secret_clear(&source);
    return ok;
}

/* ---- signatures ---- */

static bool add_signature(const vz_net_request *request, const vz_auth_keys *keys, int64_t skew, vz_net_headers *out,
                          vz_error *err)
{
    char date[40], line[60];
    vz_buffer authorization = {0};
    const char **lines = malloc((request->header_count + 1) * sizeof *lines);
    if (!lines)
        return vz_fail_memory(err);
    print_time((time_t)(time(NULL) + skew), date);
    snprintf(line, sizeof line, "x-ms-date: %s", date);
    for (size_t i = 0; i < request->header_count; i++)
        lines[i] = request->headers[i];
    lines[request->header_count] = line;
    const vz_auth_shared_key_request what = {vz_net_method_name(request->method), request->url, lines,
                                             request->header_count + 1, request->body.size};
    const bool ok = vz_auth_shared_key_authorize(&what, keys->access_key, keys->secret_key, &authorization, err) &&
                    vz_buffer_append(&authorization, "", 1, err) && vz_net_headers_add(out, "x-ms-date", date, err) &&
                    vz_net_headers_add(out, "Authorization", (const char *)authorization.data, err);
    vz_buffer_clear(&authorization);
    free(lines);
    return ok;
}

bool vz_auth_azure_sign(const vz_net_account *account, const vz_net_request *request, const vz_auth_keys *keys,
                        vz_net_headers *out, vz_error *err)
{
    return keys->query ? add_sas(request, keys->query, out, err)
                       : add_signature(request, keys, vz_provider_skew(account->provider), out, err);
}

/* A refusal does not say why; a clock that is right is not corrected. */
bool vz_auth_azure_is_skewed(const vz_net_account *account, const vz_net_request *request, int64_t *theirs)
{
    const char *code = vz_net_header(request, "x-ms-error-code"), *date = vz_net_header(request, "Date");
    if (request->status != 403 || !code || strcmp(code, "AuthenticationFailed") != 0 || !date ||
        !vz_http_date_parse(date, theirs))
        return false;
    const int64_t off = *theirs - (int64_t)time(NULL) - vz_provider_skew(account->provider);
    return off > SKEW_LEAST || off < -SKEW_LEAST;
}
