/* source_sso.c - IAM Identity Center: the token that `aws sso login` left in its cache gives keys for a role. */
#include "net/small_file.h"
#include "net/source.h"
#include "util/json.h"
#include "util/reach.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TIMEOUT_MS     10000
#define ATTEMPTS       3
#define CACHE_FILE_MAX 65536

typedef struct sso {
    const char *start_url, *region, *account, *role;
    const char *cached_as; /* the name whose hash is the file's */
} sso;

static bool missing(const char *profile, const char *what, vz_error *err)
{
    return vz_fail(err, VZ_INVALID, "profile %.100s: SSO without %s", profile, what);
}

static bool find_sso(const vz_net_settings *s, const char *profile, sso *out, vz_error *err)
{
    const char *session = vz_net_settings_of(s, profile, "sso_session");
    *out = (sso){.account = vz_net_settings_of(s, profile, "sso_account_id"),
                 .role = vz_net_settings_of(s, profile, "sso_role_name"),
                 .start_url = vz_net_settings_of(s, profile, "sso_start_url"),
                 .region = vz_net_settings_of(s, profile, "sso_region")};
    out->cached_as = out->start_url;
    if (session) {
        if (!vz_profiles_has(s->profiles, VZ_SECTION_SSO_SESSION, session))
            return vz_fail(err, VZ_NOT_FOUND, "profile %.100s: there is no section [sso-session %.100s]", profile,
                           session);
        out->start_url = vz_profiles_get(s->profiles, VZ_SECTION_SSO_SESSION, session, "sso_start_url");
        out->region = vz_profiles_get(s->profiles, VZ_SECTION_SSO_SESSION, session, "sso_region");
        out->cached_as = session;
    }
    if (!out->account || !out->role)
        return missing(profile, out->account ? "sso_role_name" : "sso_account_id", err);
    if (!out->start_url)
        return missing(profile, "sso_start_url", err);
    return (out->region && vz_region_valid(out->region)) || missing(profile, "a valid sso_region", err);
}

static const char *text_of(const vz_json *document, const char *name)
{
    size_t size = 0;
    const char *text = vz_json_get_string(vz_json_get(document, name), &size);
    return text && strlen(text) == size ? text : NULL;
}

/* The token in the document of the cache; the caller's to free. */
static char *take_token(const vz_json *document, const char *profile, vz_error *err)
{
    const char *token = text_of(document, "accessToken"), *expires = text_of(document, "expiresAt");
    int64_t until;
    char *copy = NULL;
    if (!token || !vz_is_token(token) || !expires || !vz_time_parse(expires, &until))
        vz_fail(err, VZ_CORRUPT, "profile %.100s: the cached SSO token cannot be read; `aws sso login` makes a new one",
                profile);
    else if (until <= (int64_t)time(NULL))
        vz_fail(err, VZ_PERMISSION, "profile %.100s: the SSO token has expired; `aws sso login` makes a new one",
                profile);
    else if (!(copy = strdup(token)))
        vz_fail_memory(err);
    return copy;
}

static char *read_token(const vz_net_settings *s, const char *profile, const sso *from, vz_error *err)
{
    char hash[41], *path = NULL, *token = NULL;
    const char *home = vz_net_settings_get(s, "HOME");
    vz_buffer text = {0};
    if (!vz_sha1_hex(vz_bytes_of(from->cached_as), hash, err))
        return NULL;
    if (asprintf(&path, "%s/.aws/sso/cache/%s.json", home ? home : "", hash) < 0) {
        vz_fail_memory(err);
        return NULL;
    }
    const vz_small_file result = vz_small_file_read(path, CACHE_FILE_MAX, &text, err);
    if (result == VZ_SMALL_FILE_ABSENT)
        vz_fail(err, VZ_PERMISSION, "profile %.100s: nobody is logged in to SSO; `aws sso login --profile %.100s` does",
                profile, profile);
    if (result == VZ_SMALL_FILE_READ) {
        vz_json *document = vz_json_parse((const char *)text.data, text.size, NULL);
        token = take_token(document, profile, err);
        vz_json_free_secret(document);
    }
    vz_secret_clear(&text);
    free(path);
    return token;
}

static bool print_url(const vz_net_settings *s, const sso *from, vz_buffer *url, vz_error *err)
{
    const bool ignored = vz_net_settings_is_on(s, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
    const char *endpoint = ignored ? NULL : vz_net_settings_get(s, "AWS_ENDPOINT_URL_SSO");
    bool ok = endpoint ? vz_buffer_printf(url, err, "%s", endpoint)
                       : vz_buffer_printf(url, err, "https://portal.sso.%s.amazonaws.com%s", from->region,
                                          strncmp(from->region, "cn-", 3) == 0 ? ".cn" : "");
    ok = ok && vz_buffer_printf(url, err, "/federation/credentials?role_name=");
    ok = ok && vz_append_encoded(url, from->role, err) && vz_buffer_printf(url, err, "&account_id=");
    return ok && vz_append_encoded(url, from->account, err) && vz_buffer_append(url, "", 1, err);
}

static bool ask_portal(const vz_net_settings *s, const char *profile, const char *url, const char *header,
                       vz_net_keys *keys, vz_error *err)
{
    static const vz_net_keys_names names = {"roleCredentials", "accessKeyId", "secretAccessKey",
                                            "sessionToken",    "expiration",  true};
    char who[VZ_NET_KEYS_SOURCE_SIZE];
    int status = 0;
    vz_buffer answer = {0};
    snprintf(who, sizeof who, "SSO, for profile %.100s", profile);
    const vz_question question = {
        .who = who,
        .method = VZ_NET_GET,
        .url = url,
        .headers = &header,
        .header_count = 1,
        .ca_bundle = s->ca_bundle,
        .timeout_ms = TIMEOUT_MS,
        .attempts = ATTEMPTS,
    };
    bool ok = vz_ask(&question, &status, &answer, err);
    if (ok && (status == 401 || status == 403))
        ok = vz_fail(err, VZ_PERMISSION, "%s: refused (%d); `aws sso login` makes a new token, if the role is allowed",
                     who, status);
    else if (ok && status != 200)
        ok = vz_fail(err, VZ_PERMISSION, "%s: the answer was %d", who, status);
    ok = ok && vz_net_keys_from_json((vz_bytes){answer.data, answer.size}, &names, who, keys, err);
    vz_secret_clear(&answer);
    return ok;
}

bool vz_sso_role(const vz_net_settings *s, const char *profile, vz_net_keys *keys, vz_error *err)
{
    sso from;
    vz_buffer url = {0}, header = {0};
    char *token = find_sso(s, profile, &from, err) ? read_token(s, profile, &from, err) : NULL;
    const bool ok = token && print_url(s, &from, &url, err) && vz_buffer_reserve(&header, strlen(token) + 64, err) &&
                    vz_buffer_printf(&header, err, "x-amz-sso_bearer_token: ") &&
                    vz_buffer_append(&header, token, strlen(token) + 1, err) &&
                    ask_portal(s, profile, (const char *)url.data, (const char *)header.data, keys, err);
    vz_buffer_clear(&url);
    vz_secret_clear(&header);
    vz_secret_free(token);
    return ok;
}
