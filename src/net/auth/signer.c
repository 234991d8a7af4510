/* signer.c - what makes a request an account's: AWS's signature, or a token. A signer signs for the
 * hosts of its account alone. A request that a redirect or another person's document leads to
 * another host carries no credentials. */
#include "net/auth/auth_internal.h"
#include "net/auth/sign_internal.h"
#include "base/util/http_date.h"
#include <stdlib.h>
#include <strings.h>
#include <time.h>

#define SKEW_MAX_S 86400 /* how wrong our clock may be believed to be */

/* ---- hosts ---- */

static size_t without_port(vz_bytes host)
{
    for (size_t i = host.size; i-- > 0 && host.data[i] != ']';)
        if (host.data[i] == ':')
            return i;
    return host.size;
}

/* That host, or one below it. */
static bool is_or_below(vz_bytes host, size_t size, const char *name, size_t name_size)
{
    const char *text = (const char *)host.data;
    return size >= name_size && strncasecmp(text + size - name_size, name, name_size) == 0 &&
           (size == name_size || text[size - name_size - 1] == '.');
}

static unsigned port_of(const vz_auth_url_parts *url)
{
    const size_t size = without_port(url->host);
    return size == url->host.size ? url->secure ? 443 : 80
                                  : (unsigned)strtoul((const char *)url->host.data + size + 1, NULL, 10);
}

static bool is_own_host(const vz_net_account *account, const vz_auth_url_parts *url)
{
    static const char *const amazons[] = {"amazonaws.com", "amazonaws.com.cn"};
    static const char google[] = "storage.googleapis.com";
    const size_t size = without_port(url->host);
    vz_auth_url_parts own;
    if (account->endpoint)
        return vz_auth_url_split(account->endpoint, &own) && own.secure == url->secure &&
               port_of(&own) == port_of(url) &&
               is_or_below(url->host, size, (const char *)own.host.data, without_port(own.host));
    if (account->service == VZ_NET_GS)
        return is_or_below(url->host, size, google, strlen(google));
    return is_or_below(url->host, size, amazons[0], strlen(amazons[0])) ||
           is_or_below(url->host, size, amazons[1], strlen(amazons[1]));
}

/* ---- signing ---- */

static const char *method_name(vz_net_method method)
{
    static const char *const names[] = {"GET", "HEAD", "PUT", "POST", "DELETE"};
    return names[method];
}

/* The value of a header that the request brings itself; NULL: it does not. */
static const char *own_header(const vz_net_request *request, const char *name)
{
    const size_t size = strlen(name);
    for (size_t i = 0; i < request->header_count; i++)
        if (strncasecmp(request->headers[i], name, size) == 0 && request->headers[i][size] == ':')
            return request->headers[i] + size + 1 + strspn(request->headers[i] + size + 1, " \t");
    return NULL;
}

/* Headers that go with the signature. */
typedef struct additions {
    const char *names[3], *values[3];
    vz_buffer lines[3];
    size_t count;
} additions;

static void add(additions *more, const char *name, const char *value)
{
    more->names[more->count] = name;
    more->values[more->count++] = value;
}

/* The request's own lines and those that are added; the caller's to free. */
static const char **all_lines(const vz_net_request *request, additions *more, vz_error *err)
{
    const char **lines = malloc((request->header_count + 3) * sizeof *lines);
    bool ok = lines || vz_fail_memory(err);
    for (size_t i = 0; i < request->header_count && ok; i++)
        lines[i] = request->headers[i];
    for (size_t i = 0; i < more->count && ok; i++) {
        const size_t size = strlen(more->names[i]) + strlen(more->values[i]) + 3;
        ok = vz_buffer_reserve(&more->lines[i], size, err) &&
             vz_buffer_append(&more->lines[i], more->names[i], strlen(more->names[i]), err) &&
             vz_buffer_append(&more->lines[i], ": ", 2, err) &&
             vz_buffer_append(&more->lines[i], more->values[i], strlen(more->values[i]) + 1, err);
        if (ok)
            lines[request->header_count + i] = (const char *)more->lines[i].data;
    }
    if (ok)
        return lines;
    free(lines);
    return NULL;
}

static bool add_signature(const vz_signer *s, const vz_net_request *request, const vz_auth_keys *keys, bool secure,
                          vz_net_headers *out, vz_error *err)
{
    vz_sigv4_scope scope = {keys->access_key, keys->secret_key, s->region, "s3", ""};
    char hash[VZ_SHA256_HEX_SIZE] = VZ_SIGV4_UNSIGNED;
    additions more = {0};
    vz_buffer authorization = {0};
    const char *payload = own_header(request, "x-amz-content-sha256");
    vz_sigv4_time((time_t)(time(NULL) + vz_provider_skew(s->account->provider)), scope.time);
    if (!payload) {
        if (!secure && !vz_sha256_hex(request->body, hash, err))
            return false;
        add(&more, "x-amz-content-sha256", payload = hash);
    }
    add(&more, "x-amz-date", scope.time);
    if (keys->token)
        add(&more, "x-amz-security-token", keys->token);
    const char **lines = all_lines(request, &more, err);
    const vz_sigv4_request what = {method_name(request->method), request->url, lines,
                                   request->header_count + more.count, payload};
    bool ok = lines && vz_sigv4_authorize(&what, &scope, &authorization, err) &&
              vz_buffer_append(&authorization, "", 1, err) &&
              vz_net_headers_add(out, "Authorization", (const char *)authorization.data, err);
    for (size_t i = 0; i < more.count; i++) {
        ok = ok && vz_net_headers_add(out, more.names[i], more.values[i], err);
        vz_secret_clear(&more.lines[i]);
    }
    vz_buffer_clear(&authorization);
    free(lines);
    return ok;
}

static bool add_bearer(const vz_auth_keys *keys, bool secure, vz_net_headers *out, vz_error *err)
{
    vz_buffer value = {0};
    if (!secure)
        return vz_fail(err, VZ_PERMISSION, "a token is sent over https alone");
    const size_t size = strlen(keys->bearer);
    const bool ok = vz_buffer_reserve(&value, size + 8, err) && vz_buffer_append(&value, "Bearer ", 7, err) &&
                    vz_buffer_append(&value, keys->bearer, size + 1, err) &&
                    vz_net_headers_add(out, "Authorization", (const char *)value.data, err);
    vz_secret_clear(&value);
    return ok;
}

static vz_net_signed sign(vz_net_signer *head, const vz_net_request *request, vz_net_headers *out, vz_error *err)
{
    const vz_signer *s = (const vz_signer *)head;
    vz_auth_url_parts url;
    vz_credential *credential = vz_provider_current(s->account->provider);
    if (!credential)
        return VZ_NET_STALE;
    bool ok = true;
    if (!credential->anonymous) {
        const vz_auth_keys *keys = &credential->keys;
        ok = (vz_auth_url_split(request->url, &url) && is_own_host(s->account, &url)) ||
             vz_fail(err, VZ_PERMISSION, "credentials are not for that host");
        if (ok && s->account->service == VZ_NET_AZ)
            ok = vz_auth_azure_sign(s->account, request, keys, out, err);
        else if (ok)
            ok = keys->bearer ? add_bearer(keys, url.secure, out, err)
                              : add_signature(s, request, keys, url.secure, out, err);
    }
    vz_credential_release(credential);
    return ok ? VZ_NET_SIGNED : VZ_NET_UNSIGNABLE;
}

static bool prepare(vz_net_signer *head, vz_error *err)
{
    return vz_provider_prepare(((vz_signer *)head)->account->provider, err);
}

/* ---- refusals ---- */

/* The time in the answer's header Date. */
static bool server_time(const vz_net_request *request, int64_t *out)
{
    const char *date = vz_net_header(request, "Date");
    return date && vz_http_date_parse(date, out);
}

static bool is_one_of(const char *code, const char *const *codes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(code, codes[i]) == 0)
            return true;
    return false;
}

/* Keys that are out of date are fetched anew; a clock that is wrong is corrected. */
static bool refused(vz_net_signer *head, const vz_net_request *request, int64_t begun_ms)
{
    static const char *const expired[] = {"ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired",
                                          "RequestExpired"};
    static const char *const skewed[] = {"RequestTimeTooSkewed", "AccessDenied.RequestTimeTooSkewed"};
    vz_provider *provider = ((vz_signer *)head)->account->provider;
    vz_credential *credential = vz_provider_current(provider);
    const bool bearer = credential && credential->keys.bearer, anonymous = credential && credential->anonymous;
    char code[65] = "";
    int64_t theirs;
    vz_credential_release(credential);
    vz_auth_xml_text((vz_bytes){request->text.data, request->text.size}, "Code", code, sizeof code);
    const bool is_azure = ((vz_signer *)head)->account->service == VZ_NET_AZ;
    if (is_azure ? !anonymous && vz_auth_azure_is_skewed(((vz_signer *)head)->account, request, &theirs)
                 : is_one_of(code, skewed, 2) && server_time(request, &theirs)) {
        const int64_t skew = theirs - (int64_t)time(NULL);
        if (skew < -SKEW_MAX_S || skew > SKEW_MAX_S)
            return false;
        vz_provider_set_skew(provider, skew);
        return true;
    }
    if (anonymous || (!is_one_of(code, expired, 4) && !(bearer && request->status == 401)))
        return false;
    vz_provider_refused(provider, begun_ms);
    return true;
}

const vz_net_signer_class vz_signer_class = {.prepare = prepare, .sign = sign, .refused = refused};
