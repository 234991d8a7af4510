/* source_sso.c - IAM Identity Center: the token of `aws sso login` gives keys for a role. */
#include "net/auth/auth_internal.h"
#include "base/util/name_policy.h"
#include "base/util/bytes.h"
#include <stdio.h>
#include <stdlib.h>

#define TIMEOUT_MS 10000
#define ATTEMPTS   3

typedef struct sso {
    const char *start_url, *region, *account, *role;
    const char *cached_as; /* the name whose hash is the file's */
    bool renews;           /* a token that runs out is renewed: of sessions */
} sso;

static bool missing(const char *profile, const char *what, vz_error *err)
{
    return vz_fail(err, VZ_INVALID, "profile %.100s: SSO without %s", profile, what);
}

static bool find_sso(const vz_auth_settings *s, const char *profile, sso *out, vz_error *err)
{
    const char *session = vz_auth_settings_of(s, profile, "sso_session");
    *out = (sso){.account = vz_auth_settings_of(s, profile, "sso_account_id"),
                 .role = vz_auth_settings_of(s, profile, "sso_role_name"),
                 .start_url = vz_auth_settings_of(s, profile, "sso_start_url"),
                 .region = vz_auth_settings_of(s, profile, "sso_region")};
    out->cached_as = out->start_url;
    if (session) {
        if (!vz_profiles_has(s->profiles, VZ_SECTION_SSO_SESSION, session))
            return vz_fail(err, VZ_NOT_FOUND, "profile %.100s: there is no section [sso-session %.100s]", profile,
                           session);
        out->start_url = vz_profiles_get(s->profiles, VZ_SECTION_SSO_SESSION, session, "sso_start_url");
        out->region = vz_profiles_get(s->profiles, VZ_SECTION_SSO_SESSION, session, "sso_region");
        out->cached_as = session;
        out->renews = true;
    }
    if (!out->account || !out->role)
        return missing(profile, out->account ? "sso_role_name" : "sso_account_id", err);
    if (!out->start_url)
        return missing(profile, "sso_start_url", err);
    return (out->region && vz_endpoint_region_valid(out->region)) || missing(profile, "a valid sso_region", err);
}

static bool print_url(const vz_auth_settings *s, const sso *from, vz_buffer *url, vz_error *err)
{
    const bool ignored = vz_auth_settings_is_on(s, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
    const char *endpoint = ignored ? NULL : vz_auth_settings_get(s, "AWS_ENDPOINT_URL_SSO");
    bool ok = endpoint ? vz_buffer_printf(url, err, "%s", endpoint)
                       : vz_buffer_printf(url, err, "https://portal.sso.%s.amazonaws.com%s", from->region,
                                          strncmp(from->region, "cn-", 3) == 0 ? ".cn" : "");
    ok = ok && vz_buffer_printf(url, err, "/federation/credentials?role_name=");
    ok = ok && vz_percent_encode(url, from->role, "", err) && vz_buffer_printf(url, err, "&account_id=");
    return ok && vz_percent_encode(url, from->account, "", err) && vz_buffer_append(url, "", 1, err);
}

static bool ask_portal(const vz_auth_settings *s, const char *profile, const char *url, const char *header,
                       vz_auth_keys *keys, vz_error *err)
{
    static const vz_auth_keys_names names = {"roleCredentials", "accessKeyId", "secretAccessKey",
                                             "sessionToken",    "expiration",  true};
    char who[VZ_NET_KEYS_SOURCE_SIZE];
    int status = 0;
    vz_buffer answer = {0};
    snprintf(who, sizeof who, "SSO, for profile %.100s", profile);
    const vz_auth_token_question question = {
        .who = who,
        .method = VZ_NET_GET,
        .url = url,
        .headers = &header,
        .header_count = 1,
        .ca_bundle = s->ca_bundle,
        .timeout_ms = TIMEOUT_MS,
        .attempts = ATTEMPTS,
    };
    bool ok = vz_auth_token_request(&question, &status, &answer, err);
    if (ok && (status == 401 || status == 403))
        ok = vz_fail(err, VZ_PERMISSION, "%s: refused (%d); `aws sso login` makes a new token, if the role is allowed",
                     who, status);
    else if (ok && status != 200)
        ok = vz_fail(err, VZ_PERMISSION, "%s: the answer was %d", who, status);
    ok = ok && vz_auth_keys_from_json((vz_bytes){answer.data, answer.size}, &names, who, keys, err);
    vz_secret_clear(&answer);
    return ok;
}

bool vz_sso_role(const vz_auth_settings *s, const char *profile, vz_auth_keys *keys, vz_error *err)
{
    sso from;
    vz_buffer url = {0}, header = {0};
    char *token = find_sso(s, profile, &from, err)
                      ? vz_sso_token(s, profile, from.cached_as, from.renews ? from.region : NULL, err)
                      : NULL;
    const bool ok = token && print_url(s, &from, &url, err) && vz_buffer_reserve(&header, strlen(token) + 64, err) &&
                    vz_buffer_printf(&header, err, "x-amz-sso_bearer_token: ") &&
                    vz_buffer_append(&header, token, strlen(token) + 1, err) &&
                    ask_portal(s, profile, (const char *)url.data, (const char *)header.data, keys, err);
    vz_buffer_clear(&url);
    vz_secret_clear(&header);
    vz_secret_free(token);
    return ok;
}
