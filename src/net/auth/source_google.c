/* source_google.c - credentials for Google's storage: HMAC keys, a file (source_google_file.c), or
 * a token of the metadata server of the machine. */
#include "net/auth/auth_internal.h"
#include <ctype.h>
#include <stdio.h>

#define TIMEOUT_MS 1000
#define WHO        "Google's metadata server"
#define PATH       "/computeMetadata/v1/instance/service-accounts/default/token"

static vz_auth_source_result hmac_keys(const vz_auth_settings *s, vz_auth_keys *keys, vz_error *err)
{
    const char *access_key = vz_auth_settings_get(s, "GS_ACCESS_KEY_ID");
    const char *secret_key = vz_auth_settings_get(s, "GS_SECRET_ACCESS_KEY");
    if (!access_key && !secret_key)
        return VZ_SOURCE_NONE;
    if (!access_key || !secret_key) {
        vz_fail(err, VZ_INVALID, "%s is set, and %s is not", access_key ? "GS_ACCESS_KEY_ID" : "GS_SECRET_ACCESS_KEY",
                access_key ? "GS_SECRET_ACCESS_KEY" : "GS_ACCESS_KEY_ID");
        return VZ_SOURCE_FAILED;
    }
    snprintf(keys->source, sizeof keys->source, "the environment (GS_ACCESS_KEY_ID)");
    return vz_auth_keys_set(keys, access_key, secret_key, NULL, "the environment", err) ? VZ_SOURCE_FOUND
                                                                                        : VZ_SOURCE_FAILED;
}

/* host or host:port. */
static bool is_authority(const char *text)
{
    for (const char *p = text; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr(".-:[]", *p))
            return false;
    return strlen(text) < 256;
}

/* Nobody there, or one that is not Google's: no failure. A machine without an account answers
 * 404. */
static vz_auth_source_result machine_token(const vz_auth_settings *s, vz_auth_keys *keys, vz_error *err)
{
    static const char *const header = "Metadata-Flavor: Google";
    const char *host = vz_auth_settings_get(s, "GCE_METADATA_HOST");
    char url[400];
    int status = 0;
    vz_buffer answer = {0};
    vz_error silence = VZ_ERROR_NONE;
    if (host && !is_authority(host)) {
        vz_fail(err, VZ_INVALID, "GCE_METADATA_HOST: not a value that it can have");
        return VZ_SOURCE_FAILED;
    }
    /* By its address: a name is looked up for longer than the answer takes. */
    snprintf(url, sizeof url, "http://%s" PATH, host ? host : "169.254.169.254");
    const vz_auth_token_question question = {
        .who = WHO,
        .method = VZ_NET_GET,
        .url = url,
        .headers = &header,
        .header_count = 1,
        .timeout_ms = TIMEOUT_MS,
        .attempts = 1,
        .direct = true,
    };
    const bool is_there = vz_auth_token_request(&question, &status, &answer, &silence) && status == 200;
    const bool ok = is_there && vz_auth_keys_take_bearer((vz_bytes){answer.data, answer.size}, WHO, keys, err);
    vz_secret_clear(&answer);
    snprintf(keys->source, sizeof keys->source, "the machine's account");
    return !is_there ? VZ_SOURCE_NONE : ok ? VZ_SOURCE_FOUND : VZ_SOURCE_FAILED;
}

vz_auth_source_result vz_auth_source_google(const vz_auth_settings *s, vz_auth_keys *keys, vz_error *err)
{
    vz_auth_source_result result = hmac_keys(s, keys, err);
    if (result == VZ_SOURCE_NONE)
        result = vz_auth_source_google_file(s, keys, err);
    if (result != VZ_SOURCE_NONE)
        return result;
    return vz_auth_settings_is_on(s, "NO_GCE_CHECK") ? VZ_SOURCE_NONE : machine_token(s, keys, err);
}
