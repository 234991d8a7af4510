/* sigv4.c - AWS Signature Version 4: the request in its canonical form, its hash, and the signature
 * of that. */
#include "net/http/http.h"
#include "base/util/c_library.h"
#include "net/auth/sign_internal.h"

void vz_sigv4_time(time_t now, char out[17])
{
    struct tm parts;
    if (!gmtime_r(&now, &parts) || strftime(out, 17, "%Y%m%dT%H%M%SZ", &parts) != 16)
        strcpy(out, "19700101T000000Z");
}

bool vz_sigv4_canonical(const vz_sigv4_request *request, vz_buffer *out, vz_buffer *signed_headers, vz_error *err)
{
    vz_auth_url_parts url;
    if (!vz_auth_url_split(request->url, &url))
        return vz_fail(err, VZ_INVALID, "a URL without a host cannot be signed");
    return vz_buffer_printf(out, err, "%s\n%s", request->method, url.path.size ? "" : "/") &&
           vz_sigv4_encode(url.path, true, false, out, err) && vz_buffer_append(out, "\n", 1, err) &&
           vz_sigv4_query(url.query, out, err) && vz_buffer_append(out, "\n", 1, err) &&
           vz_sigv4_headers(request, &url, out, signed_headers, err) && vz_buffer_append(out, "\n", 1, err) &&
           vz_buffer_append(out, signed_headers->data, signed_headers->size, err) &&
           vz_buffer_printf(out, err, "\n%s", request->payload);
}

/* The key of a day, region and service. */
static bool derive_key(const vz_sigv4_scope *scope, uint8_t key[VZ_SHA256_SIZE], vz_error *err)
{
    vz_buffer first = {0};
    const char *const steps[] = {scope->region, scope->service, "aws4_request"};
    const size_t size = strlen(scope->secret_key) + 4;
    bool ok = vz_buffer_reserve(&first, size, err) && vz_buffer_append(&first, "AWS4", 4, err) &&
              vz_buffer_append(&first, scope->secret_key, size - 4, err) &&
              vz_hmac_sha256((vz_bytes){first.data, first.size}, (vz_bytes){(const uint8_t *)scope->time, 8}, key, err);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && ok; i++)
        ok = vz_hmac_sha256((vz_bytes){key, VZ_SHA256_SIZE}, vz_net_bytes_of(steps[i]), key, err);
    vz_secret_clear(&first);
    return ok;
}

/* Of the canonical request. */
static bool sign(const vz_buffer *canonical, const vz_sigv4_scope *scope, char hex[VZ_SHA256_HEX_SIZE], vz_error *err)
{
    uint8_t key[VZ_SHA256_SIZE], signature[VZ_SHA256_SIZE];
    char hash[VZ_SHA256_HEX_SIZE];
    vz_buffer text = {0};
    const bool ok = vz_sha256_hex((vz_bytes){canonical->data, canonical->size}, hash, err) &&
                    vz_buffer_printf(&text, err, "AWS4-HMAC-SHA256\n%s\n%.8s/%s/%s/aws4_request\n%s", scope->time,
                                     scope->time, scope->region, scope->service, hash) &&
                    derive_key(scope, key, err) &&
                    vz_hmac_sha256((vz_bytes){key, sizeof key}, (vz_bytes){text.data, text.size}, signature, err);
    if (ok)
        vz_hex(signature, sizeof signature, hex);
    vz_wipe(key, sizeof key);
    vz_buffer_clear(&text);
    return ok;
}

bool vz_sigv4_authorize(const vz_sigv4_request *request, const vz_sigv4_scope *scope, vz_buffer *out, vz_error *err)
{
    vz_buffer canonical = {0}, names = {0};
    char signature[VZ_SHA256_HEX_SIZE];
    const bool ok = vz_sigv4_canonical(request, &canonical, &names, err) && sign(&canonical, scope, signature, err) &&
                    vz_buffer_printf(out, err,
                                     "AWS4-HMAC-SHA256 Credential=%s/%.8s/%s/%s/aws4_request, SignedHeaders=%.*s, "
                                     "Signature=%s",
                                     scope->access_key, scope->time, scope->region, scope->service, (int)names.size,
                                     (const char *)names.data, signature);
    vz_secret_clear(&canonical); /* a token stands in it */
    vz_buffer_clear(&names);
    return ok;
}
