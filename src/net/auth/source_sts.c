/* source_sts.c - AWS's Security Token Service: keys for a role, in exchange for other keys or for a
 * token. */
#include "net/auth/sign_internal.h"
#include "base/os/file.h"
#include "net/auth/settings_internal.h"
#include "net/auth/auth_internal.h"
#include "base/util/name_policy.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TIMEOUT_MS   10000
#define ATTEMPTS     3
#define FORM         "Content-Type: application/x-www-form-urlencoded; charset=utf-8"
#define VERSION      "2011-06-15"
#define DURATION_MIN 900
#define DURATION_MAX 43200

typedef struct sts {
    char url[1100];
    const char *region; /* that the request is signed for */
} sts;

/* That of the region, where there is one of Amazon's; servers of others ("auto") are asked by their
 * own endpoint. */
static void find_sts(const vz_auth_settings *s, const char *profile, sts *out)
{
    const bool ignored = vz_auth_settings_is_on(s, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
    const char *endpoint = ignored ? NULL : vz_auth_settings_get(s, "AWS_ENDPOINT_URL_STS");
    const char *region = profile ? vz_auth_settings_of(s, profile, "region") : NULL;
    if (!endpoint && !ignored)
        endpoint = vz_auth_settings_get(s, "AWS_ENDPOINT_URL");
    if (!region || !vz_endpoint_region_valid(region))
        region = s->region;
    const bool amazons = region && strchr(region, '-');
    out->region = region && (amazons || endpoint) ? region : "us-east-1";
    if (endpoint)
        snprintf(out->url, sizeof out->url, "%s%s", endpoint, endpoint[strlen(endpoint) - 1] == '/' ? "" : "/");
    else if (amazons)
        snprintf(out->url, sizeof out->url, "https://sts.%s.amazonaws.com%s/", region,
                 strncmp(region, "cn-", 3) == 0 ? ".cn" : "");
    else
        snprintf(out->url, sizeof out->url, "https://sts.amazonaws.com/");
}

/* The word that says why, if it is one. */
static const char *code_of(const vz_buffer *answer, char code[65])
{
    if (!vz_auth_xml_text((vz_bytes){answer->data, answer->size}, "Code", code, 65))
        return "no reason is given";
    for (const char *p = code; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '.')
            return "no reason is given";
    return code;
}

static bool exchange(const vz_auth_settings *s, const char *role, const sts *to, const char *const *headers,
                     size_t count, const vz_buffer *form, vz_auth_keys *keys, vz_error *err)
{
    char who[VZ_NET_KEYS_SOURCE_SIZE], code[65];
    vz_buffer answer = {0};
    int status = 0;
    snprintf(who, sizeof who, "STS, for the role %.100s", role);
    const vz_auth_token_question question = {
        .who = who,
        .method = VZ_NET_POST,
        .url = to->url,
        .headers = headers,
        .header_count = count,
        .body = {form->data, form->size},
        .ca_bundle = s->ca_bundle,
        .timeout_ms = TIMEOUT_MS,
        .attempts = ATTEMPTS,
    };
    bool ok = vz_auth_token_request(&question, &status, &answer, err);
    if (ok && status / 100 != 2)
        ok = vz_fail(err, VZ_PERMISSION, "%s: refused, %s (%d)", who, code_of(&answer, code), status);
    ok = ok && vz_auth_keys_from_xml((vz_bytes){answer.data, answer.size}, who, keys, err);
    vz_secret_clear(&answer);
    return ok;
}

static const char *session_name(const char *named, char *room, size_t size)
{
    if (named)
        return named;
    snprintf(room, size, "vol-zarr-%lld-%d", (long long)time(NULL), (int)vz_process_id());
    return room;
}

static bool check_duration(const char *text, const char *profile, vz_error *err)
{
    char *end;
    const long seconds = text ? strtol(text, &end, 10) : 0;
    if (!text || (isdigit((unsigned char)*text) && !*end && seconds >= DURATION_MIN && seconds <= DURATION_MAX))
        return true;
    return vz_fail(err, VZ_INVALID, "profile %.100s: duration_seconds is not between %d and %d", profile, DURATION_MIN,
                   DURATION_MAX);
}

/* The headers of a signed request; `lines` are buffers of the caller. */
static bool sign(const sts *to, const vz_auth_keys *with, const vz_buffer *form, vz_buffer lines[3],
                 const char *headers[4], size_t *count, vz_error *err)
{
    char hash[VZ_SHA256_HEX_SIZE];
    vz_sigv4_scope scope = {with->access_key, with->secret_key, to->region, "sts", ""};
    vz_sigv4_time(time(NULL), scope.time);
    headers[(*count)++] = FORM;
    if (!vz_sha256_hex((vz_bytes){form->data, form->size}, hash, err) ||
        !vz_buffer_printf(&lines[0], err, "x-amz-date: %s", scope.time) || !vz_buffer_append(&lines[0], "", 1, err))
        return false;
    headers[(*count)++] = (const char *)lines[0].data;
    if (with->token) {
        if (!vz_buffer_printf(&lines[1], err, "x-amz-security-token: %s", with->token) ||
            !vz_buffer_append(&lines[1], "", 1, err))
            return false;
        headers[(*count)++] = (const char *)lines[1].data;
    }
    const vz_sigv4_request request = {"POST", to->url, headers, *count, hash};
    if (!vz_buffer_printf(&lines[2], err, "Authorization: ") || !vz_sigv4_authorize(&request, &scope, &lines[2], err) ||
        !vz_buffer_append(&lines[2], "", 1, err))
        return false;
    headers[(*count)++] = (const char *)lines[2].data;
    return true;
}

bool vz_sts_assume_role(const vz_auth_settings *s, const char *profile, const vz_auth_keys *with, vz_auth_keys *keys,
                        vz_error *err)
{
    sts to;
    char room[64];
    const char *headers[4], *role = vz_auth_settings_of(s, profile, "role_arn");
    const char *duration = vz_auth_settings_of(s, profile, "duration_seconds");
    size_t count = 0;
    vz_buffer form = {0}, lines[3] = {0};
    if (with->bearer || !with->access_key)
        return vz_fail(err, VZ_INVALID, "profile %.100s: no keys with which its role could be asked for", profile);
    find_sts(s, profile, &to);
    const bool ok =
        check_duration(duration, profile, err) && vz_auth_form_add(&form, "Action", "AssumeRole", err) &&
        vz_auth_form_add(&form, "Version", VERSION, err) && vz_auth_form_add(&form, "RoleArn", role, err) &&
        vz_auth_form_add(&form, "RoleSessionName",
                         session_name(vz_auth_settings_of(s, profile, "role_session_name"), room, sizeof room), err) &&
        vz_auth_form_add(&form, "ExternalId", vz_auth_settings_of(s, profile, "external_id"), err) &&
        vz_auth_form_add(&form, "DurationSeconds", duration, err) &&
        sign(&to, with, &form, lines, headers, &count, err) && exchange(s, role, &to, headers, count, &form, keys, err);
    for (size_t i = 0; i < 3; i++)
        vz_secret_clear(&lines[i]);
    vz_buffer_clear(&form);
    return ok;
}

bool vz_sts_web_identity(const vz_auth_settings *s, const char *role, const char *token_file, const char *session,
                         vz_auth_keys *keys, vz_error *err)
{
    static const char *const headers[] = {FORM};
    sts to;
    char room[64];
    vz_buffer form = {0};
    char *token = vz_auth_secret_file_token(token_file, err);
    if (!token)
        return false;
    find_sts(s, s->profile, &to);
    const bool ok = vz_buffer_reserve(&form, 3 * strlen(token) + 3 * strlen(role) + 1024, err) &&
                    vz_auth_form_add(&form, "Action", "AssumeRoleWithWebIdentity", err) &&
                    vz_auth_form_add(&form, "Version", VERSION, err) && vz_auth_form_add(&form, "RoleArn", role, err) &&
                    vz_auth_form_add(&form, "RoleSessionName", session_name(session, room, sizeof room), err) &&
                    vz_auth_form_add(&form, "WebIdentityToken", token, err) &&
                    exchange(s, role, &to, headers, 1, &form, keys, err);
    vz_secret_clear(&form);
    vz_secret_free(token);
    return ok;
}

vz_auth_source_result vz_auth_source_web_identity(const vz_auth_settings *s, vz_auth_keys *keys, vz_error *err)
{
    const char *file = vz_auth_settings_get(s, "AWS_WEB_IDENTITY_TOKEN_FILE"),
               *role = vz_auth_settings_get(s, "AWS_ROLE_ARN");
    if (!file || (s->profile_named && vz_auth_settings_of(s, s->profile, "role_arn")))
        return VZ_SOURCE_NONE;
    if (!role) {
        vz_fail(err, VZ_INVALID, "AWS_WEB_IDENTITY_TOKEN_FILE is set, and AWS_ROLE_ARN is not");
        return VZ_SOURCE_FAILED;
    }
    snprintf(keys->source, sizeof keys->source, "web identity of the environment");
    return vz_sts_web_identity(s, role, file, vz_auth_settings_get(s, "AWS_ROLE_SESSION_NAME"), keys, err)
               ? VZ_SOURCE_FOUND
               : VZ_SOURCE_FAILED;
}
